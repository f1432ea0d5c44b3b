# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# Configures and builds, after everything was installed.
#
# Enters: targets of the build. Leaves: the program in $build and the stamps by which ./lab knows that nothing is to be done.

configure() {
  if [ -f "$build/build.ninja" ] && [ -f "$stamp" ] && read -r stamped <"$stamp" && [ "$stamped" = "$root" ] && rules_are_new; then
    return 0
  fi
  log=$cache/configure.log
  # A clone that was moved or copied: what was compiled names no place, so it serves here too once Meson knows where it lies.
  if [ -f "$build/build.ninja" ] && [ -f "$stamp" ] && "$meson" setup --reconfigure "$build" "$root" >"$log" 2>&1; then
    name_units_from_here
    printf '%s\n' "$root" >"$stamp"
    return 0
  fi
  # Several files of a room in one go: a third of the seconds. Developers' own build folders compile file by file.
  set -- --buildtype=release --unity=on --unity-size=32
  has_avx2 || set -- "$@" -Dsimd=false
  # A compiler that is newer than the course may warn of more: no first build fails for that.
  [ "$command" = test ] || set -- "$@" -Dwerror=false
  if [ -f "$build/meson-private/coredata.dat" ]; then set -- "$@" --wipe; fi
  : >"$log"
  with_progress "configuring the build" "$meson" setup "$@" "$build" "$root" ||
    stop_with_log "meson setup failed" "Run: meson setup --wipe '$build' '$root'" "$log"
  name_units_from_here
  printf '%s\n' "$root" >"$stamp"
}

# Without it all works, and a clone that is moved compiles anew. Where ninja itself called Meson once, it remembers when, and would call it
# again, past units.py: it learns that build.ninja is new.
name_units_from_here() {
  ! command -v python3 >/dev/null 2>&1 || python3 "$root/tools/setup/units.py" "$build" "$ninja"
  [ ! -f "$build/.ninja_log" ] || "$ninja" -C "$build" -t restat build.ninja >/dev/null 2>&1 || :
}

# No meson.build was edited since the build was configured: then ninja does not call Meson by itself, past units.py.
rules_are_new() {
  [ -z "$(find "$root/meson.build" "$root/meson_options.txt" "$root/common" "$root/chapters" "$root/tests" "$root/tools" \
    \( -name 'meson*' -o -name chapters.toml \) -newer "$build/build.ninja" 2>/dev/null)" ]
}

has_avx2() { [ "$(uname -m)" != x86_64 ] || grep -qw avx2 /proc/cpuinfo; }

# How many of ninja's steps are done: on a terminal one line that writes over itself, else a line every $steps_every seconds.
steps_every=20
show_steps() {
  format=$(in_words "building, %s of %s ")
  reported=$(date +%s)
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
      '['*/*']'*)
        steps=${line%%]*}
        steps=${steps#?}
        if [ -t 2 ]; then
          # shellcheck disable=SC2059  # a sentence with two numbers
          printf "\rlab: $format" "${steps%/*}" "${steps#*/}" >&2
        elif [ $(($(date +%s) - reported)) -ge "$steps_every" ]; then
          # shellcheck disable=SC2059  # a sentence with two numbers
          printf "lab: $format\n" "${steps%/*}" "${steps#*/}" >&2
          reported=$(date +%s)
        fi
        ;;
    esac
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# How many compilers run at once: one for each core and two more, as ninja has it, if there is memory; a unit takes up to 0.7 GB, one 1.1.
# $1: cores, $2: KiB that are free.
jobs_for() {
  most=$(($2 / 800000))
  [ "$most" -ge 1 ] || most=1
  [ "$most" -le $(($1 + 2)) ] || most=$(($1 + 2))
  printf '%s\n' "$most"
}

free_memory() {
  free_kib=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null) || :
  printf '%s\n' "${free_kib:-8000000}"
}

# $@: targets; none: all of them.
build_targets() {
  if [ -x "$program" ]; then :
  elif [ -x "$program-course" ]; then say "building the other commands in ${build#"$PWD"/} (once, a minute or two)"
  elif [ -x "${program%-course}-tour" ]; then say "building the other words of the course in ${build#"$PWD"/} (once, a minute)"
  else say "building in ${build#"$PWD"/} (once, a few minutes)"
  fi
  case $program in  # those of older sources, or they would have been called
    *-course) rm -f "${program%-course}" ;;
    *-tour) rm -f "${program%-tour}" "${program%-tour}-course" ;;
  esac
  began=$(date +%s)
  log=$cache/build.log
  jobs=$(jobs_for "$(nproc 2>/dev/null || echo 2)" "$(free_memory)")
  printf '%s\n' "$root" >"$built.new"  # before the build: an edit during it must be seen next time
  rm -f "$cache/build.failed"
  # Byte code of Python beside the sources would count as an edit of them.
  { NINJA_STATUS='[%f/%t] ' PYTHONDONTWRITEBYTECODE=1 "$ninja" -C "$build" -j "$jobs" "$@" 2>&1 || : >"$cache/build.failed"; } | show_steps >"$log"
  [ ! -e "$cache/build.failed" ] || build_failed
  mv "$built.new" "$built"
  took=$(($(date +%s) - began))
  [ "$took" -lt 2 ] || say "built in $took s"
}

build_failed() {
  grep -m 5 -E 'error|FAILED' "$log" >&2 || :  # the first error; the end of the log may be far from it
  stop_with_log "the build failed" "Run: $ninja -C '$build'" "$log"
}

# Fingerprint of what the program is built from: the same on every machine that has the same course. $1: the course.
sources_hash() {
  # shellcheck disable=SC2086  # a list of words
  (cd "$1" && find $built_from -type f ! -name '*.pyc' -print0 2>/dev/null | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum |
    cut -d ' ' -f 1)
}

# A first build takes minutes: who waits at a terminal reads the ladder as it was recorded, and the first page of chapter 01.
show_meanwhile() {
  [ -t 2 ] && [ -z "$(find "$build/common/cli" -name 'lab*' -type f 2>/dev/null | head -n 1)" ] || return 0
  say "the first call installs and builds, which takes minutes. Meanwhile, the ladder as it was recorded; yours is counted when it is done"
  sed -n -e '/^\$ \.\/lab tour$/,/^== /{/^\$ /d' -e '/^== /d' -e 's/^/  /' -e 'p' -e '}' "$root/docs/session/session.txt" >&2 || :
  case $(language) in zh*) page=chapters/01_naive/README.zh.md ;; *) page=chapters/01_naive/README.md ;; esac
  say "and how $page begins"
  sed -n -e '/^## /,$p' "$root/$page" | sed -e 's/<!--[^>]*-->//g' -e 's/^/  /' | head -n 24 >&2
}

# $@: targets to build. `program_will_do` (setup): a bundle's program is as good as one that is built here.
prepare() {
  mkdir -p "$build" "$cache" 2>/dev/null || :
  if [ ! -w "$build" ] || [ ! -w "$cache" ]; then
    stop "cannot write to $build or $cache" "Make them writable, or set LAB_BUILD_DIR and LAB_CACHE_DIR to folders of yours."
  fi
  if command -v flock >/dev/null 2>&1; then  # two at once: the second waits, then finds all done
    exec 9>"$cache/build.lock"  # not in $build, which is wiped now and then
    flock -n 9 || { say "another ./lab builds; this one waits for it" && flock 9; }
  fi
  case $command in setup | test | bundle | site | workshop) ;; *) show_meanwhile ;; esac
  if [ -n "$only_offline" ] || [ ! -x "$program" ]; then find_bundle; fi
  find_missing
  install_missing
  find_cxx || stop "no C++20 compiler even now" "Install g++ 11 or later, or set CXX, then run ./lab again."
  find_ninja || stop "no ninja even now" "Install ninja-build, then run ./lab again."
  [ "$cxx" = c++ ] || export CXX="$cxx"
  install_meson
  install_toml
  install_kernel_compiler
  install_walls
  if ! take_bundled_program; then
    configure
    build_targets "$@"
  fi
  if command -v flock >/dev/null 2>&1; then exec 9>&-; fi
}

# Who reads the ladder is about to check: at a terminal the rest of the course is built behind it, and the next call waits for that.
build_behind() {
  [ -t 2 ] || return 0
  (
    exec >/dev/null 2>&1 </dev/null
    sleep 3  # the ladder is counted first
    choose lab-course
    is_ready || prepare common/cli/lab-course
  ) &
}

# A string of JSON.
json_string() { printf '"%s"' "$(printf %s "$1" | sed 's/\\/\\\\/g; s/"/\\"/g' | tr '\n\t' '  ')"; }
