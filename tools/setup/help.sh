# shellcheck shell=sh disable=SC2154  # a part of ./lab
# Help, the version and typos, in a clone that is not built: these must not wait minutes for a build.
#
# Enters: a command line of which the program has not been built. Leaves: text and exit 0, or a message and exit 2; or nothing, when the line
# makes sense and wants the program. The texts are the program's own (tools/setup/help.py writes them, a test compares them).

# $1: the words of a command; its part, without the heading. Nothing: there is no such command.
help_part() {
  file=$root/tools/setup/help.en.txt
  case $(language) in zh*) file=$root/tools/setup/help.zh.txt ;; esac
  sed -n "/^==>.*|$1|/,/^==>/{/^==>/!p;}" "$file"
}

# Only letters and dashes may become a part of sed's pattern.
is_plain_word() {
  case $1 in '' | *[!a-z-]*) return 1 ;; esac
}

answer_without_program() {
  is_plain_word "${command:-lab}" || refuse "there is no command \"$command\"; ./lab --help lists them"
  part=$(help_part "${command:-lab}")
  [ -n "$part" ] || refuse "there is no command \"$command\"; ./lab --help lists them"
  if is_plain_word "$second" && [ -n "$command" ]; then
    of_group=$(help_part "$command $second")
    part=${of_group:-$part}
  fi
  for argument in "$@"; do
    case $argument in
      --) break ;;
      --help | -h)
        printf '%s\n' "$part"
        exit 0
        ;;
      --version)
        [ -n "$command" ] || { help_part version && exit 0; }
        ;;
    esac
  done
  case $command in run | grade) return 0 ;; esac  # these take options that their help does not list
  for argument in "$@"; do
    case $argument in
      --) break ;;
      --plain | --plain=* | --compiler | --compiler=* | --lang | --lang=*) ;;
      --*)
        printf '%s\n' "$part" | grep -q -e "${argument%%=*}\([^a-z-]\|\$\)" ||
          refuse "\`$command\` has no option ${argument%%=*}; ./lab $command --help lists them"
        ;;
    esac
  done
}
