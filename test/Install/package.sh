#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Packs Parallax for Debian, and uses the package without installing it.
# Usage: package.sh BUILD SCRATCH
set -euo pipefail
build=$1 scratch=$2
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=test/Install/checks.sh
source "$here/checks.sh"

check_control() {
  local field name depends
  for field in Package Version Architecture Maintainer Section Description; do
    [[ -n $(dpkg-deb -f "$package" $field) ]] ||
      fail "the package has no field '$field'"
  done
  depends=$(dpkg-deb -f "$package" Depends)
  for name in libmlir-22 libllvm22 libonnx libdnnl libarchive \
    libopencv-imgcodecs libc6; do
    [[ ", $depends" == *", $name"* ]] ||
      fail "the package does not depend on $name, only on: $depends"
  done
  [[ ", $depends" != *mpi* ]] || fail "the package depends on MPI: $depends"
  [[ ", $depends" != *-dev* ]] ||
    fail "the package depends on what only compilers need: $depends"
}

check_contents() {
  local file
  dpkg-deb -c "$package" >"$scratch/contents"
  for file in usr/bin/parallax usr/bin/parallax-opt usr/lib/libparallax.so \
    usr/lib/cmake/Parallax/ParallaxConfig.cmake \
    usr/share/bash-completion/completions/parallax \
    usr/share/zsh/site-functions/_parallax usr/share/doc/parallax/copyright; do
    grep -qE " (\./)?$file( |\$)" "$scratch/contents" ||
      fail "the package has no $file"
  done
  # Everything belongs to root, and nobody else can write it.
  if grep -vE '^(l.{9}|.{5}-..-.) root/root ' "$scratch/contents"; then
    fail "these files of the package have wrong owners or permissions"
  fi
}

rm -rf "$scratch"
mkdir -p "$scratch"
quietly cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch"
shopt -s nullglob
packages=("$scratch"/parallax_*_"$(dpkg --print-architecture)".deb)
# What only jobs of many processes need is a package of its own.
mpi=("$scratch"/parallax-mpi_*.deb)
if [[ -e $build/lib/parallax/libparallax-mpi.so ]]; then
  ((${#mpi[@]} == 1)) || fail "there is no package parallax-mpi"
  [[ $(dpkg-deb -f "${mpi[0]}" Depends) == *libopenmpi* ]] ||
    fail "parallax-mpi does not depend on Open MPI"
fi
((${#packages[@]} == 1)) || fail "cpack has made ${#packages[@]} packages"
package=${packages[0]}
check_control
check_contents
dpkg-deb -x "$package" "$scratch/root"
usr=$scratch/root/usr
check_tool "$usr/bin/parallax" "$usr/share/parallax" "$scratch/work"
quietly stranger "$usr/bin/parallax-opt" --version
