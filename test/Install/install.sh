#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Installs Parallax, moves it somewhere else, and uses it there as a stranger
# would: by its tool, from a CMake project, through completion, and as a package.
# Usage: install.sh SOURCES BUILD SCRATCH COMPILER
set -euo pipefail
sources=$1 build=$2 scratch=$3 compiler=$4
here=$(dirname "$(readlink -f "$0")")
tree=$scratch/moved
# shellcheck source=test/Install/checks.sh
source "$here/checks.sh"

check_files() {
  local file
  for file in bin/parallax bin/parallax-opt lib/libparallax.so \
    lib/parallax/libparallax-pixels.so lib/cmake/Parallax/ParallaxConfig.cmake \
    include/parallax/Compiler.h include/parallax/Runtime.h share/parallax/configs/targets/generic.json \
    share/parallax/configs/schema.json share/parallax/configs/quickstart.json \
    share/parallax/examples/compile.cpp \
    share/parallax/examples/run_compiled.cpp share/doc/parallax/docs/index.md \
    lib/python3/dist-packages/parallax/{__init__.py,session.py,bin/parallax} \
    lib/python3/dist-packages/parallax/lib/parallax/libparallax-pixels.so \
    share/doc/parallax/copyright share/zsh/site-functions/_parallax \
    share/bash-completion/completions/parallax; do
    [[ -s $tree/$file ]] || fail "$file is not installed"
  done
  [[ ! -e $tree/bin/build ]] || fail "a program called 'build' is installed"
  if grep -rlF -e "$sources" -e "$build" "$tree" >"$scratch/paths"; then
    fail "the build folder is named in $(paste -sd ' ' "$scratch/paths")"
  fi
}

# All that libparallax.so shows belongs to Parallax.
check_symbols() {
  nm -DC --defined-only "$tree/lib/libparallax.so" >"$scratch/symbols"
  grep -q 'parallax::Runtime::run(' "$scratch/symbols" ||
    fail "libparallax.so does not show parallax::Runtime::run"
  grep -q 'parallax::compile(' "$scratch/symbols" ||
    fail "libparallax.so does not show parallax::compile"
  if grep -v ' parallax::' "$scratch/symbols" >"$scratch/foreign"; then
    fail "libparallax.so also shows $(head -1 "$scratch/foreign" | cut -c 20-120)"
  fi
}

# A program outside gives the same bytes as the tool, for the same model.
check_project() {
  local project=$scratch/project model=$scratch/tree/output/quickstart
  cp -r "$tree/share/parallax/examples" "$project"
  quietly cmake -G Ninja -S "$project" -B "$project/build" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$tree" \
    -DCMAKE_DISABLE_FIND_PACKAGE_{MLIR,LLVM,ONNX,dnnl}=ON
  quietly cmake --build "$project/build"

  cd "$project"
  quietly stranger "$tree/bin/parallax" run --model "$model/compiled.axmodel" \
    --random_input --input_dir in --output_dir tool
  mkdir program zeros
  quietly stranger build/run-compiled "$model/compiled.axmodel" \
    --output-dir program in/image.bin
  quietly stranger build/run-compiled "$model/compiled.axmodel" \
    --output-dir zeros
  cmp -s tool/logits.bin program/logits.bin ||
    fail "a program and the tool differ in what a model gives"
  ! cmp -s zeros/logits.bin program/logits.bin ||
    fail "the model gives the same for zeros and for random numbers"
  # An Error reaches the program.
  if stranger build/run-compiled in/image.bin 2>error; then
    fail "a program runs what is not a model"
  fi
  grep -q 'image.bin' error || fail "an error reached no handler: $(cat error)"
}

# A program outside compiles as the tool does.
check_compiler() {
  local program=$scratch/project/build/compile-model
  local tool=$scratch/tree/output/quickstart
  cd "$scratch/tree"
  quietly stranger "$program" configs/quickstart.json output/program
  cmp -s "$tool/compiled.axmodel" output/program/compiled.axmodel ||
    fail "a program and the tool differ in what they compile"
  # Pictures are decoded by a module that is found beside the library.
  echo '{"input": "pictures.onnx", "quant": {"input_configs": [
    {"tensor_name": "DEFAULT", "calibration_dataset": "pictures.tar"}]}}' >own.json
  quietly stranger "$program" own.json output/own
  # An Error reaches the program with what the tool would say.
  echo '{"input": "nothing.onnx", "npu_mod": "NPU1"}' >wrong.json
  if stranger "$program" wrong.json output/wrong 2>error; then
    fail "a program compiles a wrong configuration"
  fi
  if stranger "$tree/bin/parallax" build --config wrong.json 2>said; then
    fail "the tool builds a wrong configuration"
  fi
  [[ $(cat said) == "error: $(cat error)" ]] ||
    fail "a program gets another error than the tool: $(cat error)"
}

# The package in Python compiles as the tool does, finds the decoder of pictures
# and the tool that builds cases.
check_python() { # folder for results, then what runs Python with the package
  mkdir -p "$1"
  cd "$1"
  shift
  cp -r "$tree/share/parallax/configs" "$scratch/tree"/pictures.* .
  quietly stranger PYTHONDONTWRITEBYTECODE=1 "$@" -c '
import parallax
parallax.build("configs/quickstart.json", output_dir="quickstart")
parallax.build("pictures.json", input="pictures.onnx", output_dir="pictures")
parallax.case.pack("quickstart", "quickstart.plxcase")
assert parallax.case.replay("quickstart.plxcase").is_same'
  cmp -s "$scratch/tree/output/quickstart/compiled.axmodel" \
    quickstart/compiled.axmodel ||
    fail "Python and the tool differ in what they compile"
}

# The wheel has the same package, without the rest of Parallax; it is installed
# as docs/installing.md says.
check_wheel() {
  local environment=$scratch/environment
  quietly ninja -C "$build" wheel
  quietly /usr/bin/python3 -m venv --system-site-packages "$environment"
  quietly "$environment/bin/pip" install --no-index "$build"/wheel/*.whl
  quietly stranger "$environment/bin/parallax" --version
  check_python "$scratch/by-wheel" "$environment/bin/python"
}

rm -rf "$scratch"
mkdir -p "$scratch"
quietly cmake --install "$build" --strip --prefix "$scratch/installed"
mv "$scratch/installed" "$tree"
check_files
check_symbols
check_tool "$tree/bin/parallax" "$tree/share/parallax" "$scratch/tree"
(check_python "$scratch/by-python" \
  PYTHONPATH="$tree/lib/python3/dist-packages" /usr/bin/python3)
(check_wheel)
(check_project)
(check_compiler)
"$here/completion.sh" "$tree"
"$here/package.sh" "$build" "$scratch/package"
echo "the installed tree and the package work"
