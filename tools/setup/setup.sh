# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# `lab setup`: installs and builds everything, so that the rest works offline.
#
# Enters: --offline [BUNDLE], --json. Leaves: the program and its tools; with --json one object.

setup_usage() {
  cat <<'END'
Installs and builds everything, so that the rest works without network.
Usage: ./lab setup [--compiler nvrtc|nvcc|clang] [--offline [BUNDLE]] [--json]

  --compiler NAME        the kernel compiler to install: nvrtc (default), nvcc (which `lab run` needs) or clang
  --offline [BUNDLE]     take everything from a bundle and nothing from the network: from the file BUNDLE, the folder .bundle of an
                         unpacked one, or a transpose-lab-*.tar.gz beside the course
  --json                 one object, when all is ready
END
}

run_setup() {
  as_json=
  while [ $# -gt 0 ]; do
    case $1 in
      setup) ;;
      --offline)
        only_offline=yes
        case ${2:-} in
          '' | -*) ;;
          *) bundle_file=$2 && shift ;;
        esac
        ;;
      --offline=*) only_offline=yes && bundle_file=${1#--offline=} ;;
      --json) as_json=yes ;;
      --compiler | --lang) shift ;;  # read already
      --compiler=* | --lang=* | --plain) ;;
      --help | -h) in_words "$(setup_usage)" && exit 0 ;;
      *) refuse "there is no \"./lab setup $1\": ./lab setup --help shows what it takes" ;;
    esac
    shift
  done
  prepare common/cli/lab lab-run lab-embed
  say "ready: $program"
  [ ! -d "$root/.bundle" ] || say "the bundle has served: rm -r '$root/.bundle' frees $(du -sh "$root/.bundle" | cut -f 1)"
  [ -z "$as_json" ] || printf '{"ready": true, "program": %s, "bundle": %s}\n' "$(json_string "$program")" \
    "$([ -n "$bundle" ] && json_string "$bundle" || echo null)"
}
