# shellcheck shell=sh disable=SC2016,SC2034,SC2154  # the stubs are to see the dollars; $course comes from the test
# Machines that are made of stubs, for tests of the start script: each tool is a line of shell that notes how it was called.
#
# Enters: $course. Leaves: functions, and a temporary folder $box that goes away at the end; nothing outside of it changes.
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cases=0
failures=0
printf 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\n' >"$box/os-release"

# A machine: the project in a folder with a blank in its name, a PATH with stubs and the plainest tools only.
new_machine() {
  rm -rf "$box/machine"
  root="$box/machine/my lab"
  bin="$box/machine/bin"
  calls="$box/machine/calls"
  mkdir -p "$root/common/cli" "$root/tests" "$root/tools" "$root/chapters" "$bin"
  : >"$calls"
  cp "$course/lab" "$course/.gitignore" "$root/"
  cp -R "$course/tools/setup" "$root/tools/"
  touch "$root/meson.build" "$root/meson_options.txt" "$root/common/code.cpp" "$root/chapters/kernel.cu"
  for tool in sh env sed head tail find mkdir date cat uname grep readlink rm mv touch chmod cp \
    tar gzip sha256sum sort xargs cut wc tr ls du df dirname basename sleep; do
    ln -s "$(command -v "$tool")" "$bin/$tool"
  done
  stub true ""
  stub id 'echo 1000'
}

# stub NAME BODY: a program on that machine.
stub() {
  rm -f "$bin/$1"  # a link: what it leads to is a tool of the real machine
  printf '#!/bin/sh\necho "%s $*" >>"%s"\n%s\n' "$1" "$calls" "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}

stub_nvcc() { stub nvcc "echo 'Cuda compilation tools, release $1, V$1.88'"; }
stub_clang() { stub clang++ 'echo "Debian clang version 14.0.6"'; }

# The build makes a program that prints what it was called with, and ends with 7.
stub_builders() {
  stub gcc ''
  stub c++ 'cat >/dev/null'
  stub pkg-config ''
  stub meson 'case $1 in --version) echo 1.0.1 ;; setup) for last; do :; done
    mkdir -p "$last/build"; touch "$last/build/build.ninja" ;; esac'
  stub ninja 'mkdir -p "$2/common/cli"
    [ -n "${PYTHONDONTWRITEBYTECODE:-}" ] || mkdir -p "'"$root"'/common/__pycache__"
    case "$*" in *lab-run*) mkdir -p "$2/common/run/cudart"; : >"$2/common/run/cudart/libcudart.so.13" ;; esac
    for name in lab lab-course lab-tour; do
      case " $* " in *" common/cli/$name "*)
        printf "#!/bin/sh\nfor a; do echo \"<\$a>\"; done\nexit 7\n" >"$2/common/cli/$name"; chmod +x "$2/common/cli/$name" ;;
      esac
    done'
}

# run ARGUMENTS: on that machine, from another folder. Sets code, out, err.
run() {
  code=0
  (cd / && env -i PATH="$bin" HOME="$box" LAB_CUDA_SEARCH= LAB_OS_RELEASE="$box/os-release" "${start:-$root/lab}" "$@") >"$box/out" 2>"$box/err" || code=$?
  out=$(cat "$box/out")
  err=$(cat "$box/err")
}

check() {  # check WHAT COMMAND...
  what=$1
  shift
  cases=$((cases + 1))
  "$@" && return 0
  failures=$((failures + 1))
  printf 'failed: %s\n--- code %s, out:\n%s\n--- err:\n%s\n--- calls:\n%s\n' "$what" "$code" "$out" "$err" "$(cat "$calls")"
}
said() { case $err in *"$1"*) return 0 ;; *) return 1 ;; esac; }
was_called() { grep -q -- "$1" "$calls"; }
not() { if "$@"; then return 1; fi; }

# $1: fewer checks than that were made: the test itself is broken.
end_checks() {
  echo "$cases checks, $failures failed"
  [ "$failures" -eq 0 ] && [ "$cases" -gt "$1" ]
}
