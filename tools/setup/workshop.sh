# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# `lab workshop`: a board on the leader's laptop, and the laptops that report to it. Python's standard library does both.
#
# Enters: serve, or join and an address. Leaves: what tools/workshop/serve.py and join.py say.

workshop_usage() {
  cat <<'END'
Shows the leader of a workshop who is where and which diagnosis is frequent, in the local network, without names.
Usage: ./lab workshop serve [--port N] [--names] [--laptops N]
       ./lab workshop join ADDRESS:PORT [--name NAME]

  serve                  the board, for the browser of this laptop alone (--names: who gives a name is shown with it;
                         --laptops: how many are expected, so that it says how many never joined)
  join                   reports chapter and diagnosis of this clone until Ctrl-C; never a kernel.
                         Enter asks the leader for help
END
}

run_workshop() {
  what=
  while [ $# -gt 0 ]; do
    case $1 in
      workshop | --plain | --lang=* | --compiler=*) shift ;;
      --lang | --compiler) shift 2 ;;  # read already
      *) break ;;
    esac
  done
  case ${1:-} in
    --help | -h) in_words "$(workshop_usage)" && exit 0 ;;
    serve | join) what=$1 && shift ;;
    *) refuse "there is no \"./lab workshop ${1:-}\": ./lab workshop --help shows what it takes" ;;
  esac
  LAB_LANG=${said_language:-${LAB_LANG:-}} exec python3 "$root/tools/workshop/$what.py" "$@"
}
