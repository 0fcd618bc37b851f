#!/bin/bash
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# Asks the installed completion what it would offer.
# Usage: completion.sh TREE
set -euo pipefail
tree=$1
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=test/Install/checks.sh
source "$here/checks.sh"
bash_script=$tree/share/bash-completion/completions/parallax
zsh_script=$tree/share/zsh/site-functions/_parallax

# offers EXPECTED WORD...: the last word is the one that is being typed.
offers() {
  local expected=$1 reply
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _parallax
  for reply in "${COMPREPLY[@]}"; do
    [[ $reply != "$expected" ]] || return 0
  done
  return 1
}

must_offer() {
  offers "$@" || fail "bash does not offer '$1' for '${*:2}', but ${COMPREPLY[*]}"
}

must_not_offer() {
  ! offers "$@" || fail "bash offers '$1' for '${*:2}'"
}

check_bash() {
  # shellcheck source=/dev/null
  source "$bash_script"
  complete -p parallax >/dev/null || fail "bash completes no 'parallax'"
  must_offer build parallax b
  must_not_offer run parallax b
  must_offer pack parallax case ''
  must_offer --from parallax case pack --f
  must_not_offer --from parallax build --f
  must_offer --quant.calibration_method parallax build --quant.cal
  must_offer Percentile parallax build --quant.calibration_method P
  must_offer Percentile parallax build --quant.calibration_method = P
  must_not_offer MinMax parallax build --quant.calibration_method P
  must_offer true parallax build --quant.precision_analysis t
  must_offer debug parallax run --log-level ''
  must_not_offer --model parallax run --log-level ''
  must_offer generic parallax run --target_hardware g
  must_offer --model parallax run --log-level debug --mo
  must_offer zsh parallax completion ''
  must_not_offer --evidence parallax build --ev
  cd "$tree"
  must_offer share parallax inspect sh
  must_offer share parallax build --config sh
  must_offer share parallax run --input_dir sh
}

# Whatever help shows can be completed: check_help SUBCOMMAND...
check_help() {
  local help word
  help=$("$tree/bin/parallax" "$@" --help)
  if [[ $help == *Subcommands:* ]]; then
    while read -r word _; do
      must_offer "$word" parallax "$@" "$word"
      check_help "$@" "$word"
    done < <(sed -n '/^Subcommands:/,/^$/s/^  //p' <<<"$help")
    return
  fi
  while read -r word; do
    must_offer "${word#-?,}" parallax "$@" "${word#-?,}"
    ((checked += 1))
  done < <(grep -oE '^ +(-[a-z],)?--[a-z._-]+' <<<"$help")
}

# zsh's own functions print what they are given.
check_zsh() {
  [[ $(head -1 "$zsh_script") == '#compdef parallax' ]] ||
    fail "zsh would not load $zsh_script"
  # The script keeps to what both shells can parse.
  quietly bash -n "$zsh_script"
  command -v zsh >/dev/null || { echo "SKIPPED: zsh is missing" && return; }
  # shellcheck disable=SC2016 # zsh expands them
  local functions='_describe() { print -rl -- ${(P)2}; }; _arguments() { print -rl -- $@; }'
  local load="fpath=('${zsh_script%/*}'); autoload -Uz _parallax; $functions"
  zsh_prints() { # PATTERN CURRENT WORD...
    local output
    output=$(zsh -fc "$load; CURRENT=$2 words=(${*:3}); _parallax")
    [[ $output == *"$1"* ]] || fail "zsh does not offer '$1' for '${*:3}'"
  }
  zsh_prints 'build:compile' 2 parallax b
  zsh_prints 'pack:pack' 3 parallax case p
  zsh_prints '--config=[' 3 parallax build --c
  zsh_prints '(MinMax Percentile' 3 parallax build --c
  zsh_prints '--from=[' 4 parallax case pack --f
}

[[ -s $bash_script && -s $zsh_script ]] || fail "there is no completion in $tree"
check_bash
checked=0
check_help
((checked > 100)) || fail "help shows $checked options only"
check_zsh
