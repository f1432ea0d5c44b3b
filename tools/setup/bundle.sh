# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# `lab bundle`: what set-up needs, in one file, for machines without network.
#
# Enters: a machine with network. Leaves: an archive of the course with a folder .bundle in it: packages/ (a small apt repository with all
# dependencies), wheels/ (NVRTC or nvcc), program/ (built here), manifest, SHA256SUMS. offline.sh reads it. Nothing needs root.

bundle_usage() {
  cat <<'END'
Packs what set-up needs into one file, for machines without network.
Usage: ./lab bundle [FILE] [--compiler nvrtc|nvcc|clang] [--distribution NAME] [--no-program] [--json]

  FILE                   default: transpose-lab-DISTRIBUTION-ARCHITECTURE-COMPILER.tar.gz; .tar and .tar.zst work too
  --compiler NAME        the kernel compiler that goes in: nvrtc (default), nvcc (which `lab run` needs) or clang
  --distribution NAME    whose packages: bookworm, trixie, noble, ... (default: this machine's)
  --mirror URL           where that distribution's packages are
  --keyring FILE         what they are signed with
  --no-program           leave out the program that was built here: each machine builds its own
  --json                 one object about the file

There:  tar -xf FILE && cd transpose-lab && ./lab setup --offline
END
}

read_bundle_options() {
  file='' target='' mirror='' keyring='' with_program=yes as_json=''
  while [ $# -gt 0 ]; do
    case $1 in
      bundle) ;;
      --distribution | --mirror | --keyring | --compiler | --lang)
        [ $# -gt 1 ] || refuse "$1 wants a word behind it: ./lab bundle --help"
        case $1 in
          --distribution) target=$2 ;;
          --mirror) mirror=$2 ;;
          --keyring) keyring=$2 ;;
        esac
        shift
        ;;
      --distribution=*) target=${1#*=} ;;
      --mirror=*) mirror=${1#*=} ;;
      --keyring=*) keyring=${1#*=} ;;
      --compiler=* | --lang=* | --plain) ;;
      --no-program) with_program= ;;
      --json) as_json=yes ;;
      --help | -h) in_words "$(bundle_usage)" && exit 0 ;;
      -*) refuse "there is no \"./lab bundle $1\": ./lab bundle --help shows what it takes" ;;
      *)
        [ -z "$file" ] || refuse "two files, \"$file\" and \"$1\": a bundle is one"
        file=$1
        ;;
    esac
    shift
  done
  case $target in *[!a-z]*) refuse "\"$target\" is no distribution's name: bookworm, trixie, noble, ..." ;; esac
}

run_bundle() {
  read_bundle_options "$@"
  read_system
  [ -n "$target" ] || target=$codename
  for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null 2>&1 || stop "no $tool here: packages are fetched with it" "Make the bundle on Debian or Ubuntu."
  done
  [ -n "$target" ] || stop "this system has no code name" "Say whose packages: ./lab bundle --distribution bookworm"
  name=$target-$machine-$wanted
  file=${file:-transpose-lab-$name.tar.gz}
  case $file in
    *.tar | *.tar.gz | *.tgz | *.tar.zst) ;;
    *) refuse "\"$file\" is no name for a bundle: it ends with .tar.gz, .tar.zst or .tar" ;;
  esac
  [ -d "$(dirname -- "$file")" ] || refuse "there is no folder $(dirname -- "$file") for $file"
  program_will_do=
  prepare common/cli/lab
  stage=$cache/bundle
  rm -rf "$stage"
  trap 'rm -rf "$stage" "$file.part"' EXIT
  trap 'exit 130' INT TERM
  load=$stage/transpose-lab/.bundle
  pack_course
  mkdir -p "$load/packages"
  fetch_packages
  index_packages
  [ "$wanted" = clang ] || fetch_wheels
  [ -z "$with_program" ] || pack_program
  write_manifest
  write_archive
  report_bundle
}

# The course as it was committed, skeletons and all: what the leader solved meanwhile stays here.
pack_course() {
  course=unversioned
  mkdir -p "$stage"
  log=$cache/bundle.log
  if command -v git >/dev/null 2>&1 && [ -e "$root/.git" ]; then
    git clone -q --no-hardlinks "$root" "$stage/transpose-lab" >"$log" 2>&1 ||
      stop_with_log "git could not copy the course" "Run: git -C '$root' status" "$log"
    course=$(git -C "$root" rev-parse --short=12 HEAD)
    if origin=$(git -C "$root" remote get-url origin 2>/dev/null); then
      git -C "$stage/transpose-lab" remote set-url origin "$origin"
    else
      git -C "$stage/transpose-lab" remote remove origin
    fi
    changed=$(git -C "$root" status --porcelain --untracked-files=no | wc -l)
    [ "$changed" -eq 0 ] || say "$changed changed files are not committed: the bundle has them as they were"
  else
    mkdir "$stage/transpose-lab"
    # What git ignores is this machine's own: builds, progress, a class's grades.
    sed -e 's|^/|./|' -e 's|/$||' "$root/.gitignore" >"$stage/left-out"
    tar -C "$root" -cf - --exclude-from="$stage/left-out" . | tar -C "$stage/transpose-lab" -xf -
    rm "$stage/left-out"
    for skeleton in "$root"/solutions/*/skeleton.cu; do
      chapter=$(basename "$(dirname "$skeleton")")
      cp "$skeleton" "$stage/transpose-lab/chapters/$chapter/transpose.cu"
    done
  fi
}

# Where a distribution that is not this machine's own has its packages. Its own: what apt is set up with here.
write_sources() {
  case $target in
    buster | bullseye | bookworm | trixie | forky | duke) family=debian ;;
    *) family=ubuntu ;;
  esac
  keyring=${keyring:-/usr/share/keyrings/$family-archive-keyring.gpg}
  [ -f "$keyring" ] || stop "the key that packages of $target are signed with is not here ($keyring)" \
    "Install $family-archive-keyring or ubuntu-keyring, give the key with --keyring FILE, or make the bundle on that system."
  signed="[signed-by=$keyring]"
  if [ $family = debian ]; then
    mirror=${mirror:-http://deb.debian.org/debian}
    printf 'deb %s %s %s main\n' "$signed" "$mirror" "$target" "$signed" "$mirror" "$target-updates"
    printf 'deb %s %s %s main\n' "$signed" "${mirror%/debian}/debian-security" "$target-security"
  else
    mirror=${mirror:-http://archive.ubuntu.com/ubuntu}
    for suite in "$target" "$target-updates" "$target-security"; do
      printf 'deb %s %s %s main universe\n' "$signed" "$mirror" "$suite"
    done
  fi
}

# apt in folders of its own, on a system where nothing is installed: so everything that is needed comes, whatever a laptop has.
own_apt() {
  apt-get -o Dir::State="$stage/apt" -o Dir::State::status="$stage/apt/status" -o Dir::State::lists="$stage/apt/lists/" \
    -o Dir::Cache="$stage/apt/cache" -o Dir::Cache::archives="$load/packages/" -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" \
    "$@"
}

fetch_packages() {
  mkdir -p "$stage/apt/lists/partial" "$stage/apt/cache" "$load/packages/partial"
  : >"$stage/apt/status"
  log=$cache/bundle.log
  packages=$(packages_for "$wanted" | tr '\n' ' ')
  set --
  if [ "$target" != "$codename" ] || [ -n "$mirror" ]; then
    write_sources >"$stage/apt/sources.list"
    set -- -o Dir::Etc::sourcelist="$stage/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
  fi
  say "fetching packages of $target: $packages"
  # shellcheck disable=SC2086  # a list of words
  if ! { with_progress "fetching the lists of packages" own_apt "$@" update &&
    with_progress "fetching packages" own_apt "$@" install -y --download-only --no-install-recommends $packages; }; then
    stop_with_log "apt-get could not fetch the packages of $target" "Look at the network and at --distribution, --mirror." "$log"
  fi
  rm -rf "$load/packages/partial" "$load/packages/lock"
}

# An apt repository is its files and one list of them.
index_packages() {
  package_count=0
  for deb in "$load"/packages/*.deb; do
    plain=${deb##*/}
    case $plain in *%3a*) plain=$(printf %s "$plain" | sed 's/%3a/_/g') && mv "$deb" "$load/packages/$plain" ;; esac
    deb=$load/packages/$plain
    dpkg-deb -f "$deb"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$plain" "$(wc -c <"$deb")" "$(sha256sum "$deb" | cut -d ' ' -f 1)"
    package_count=$((package_count + 1))
  done >"$load/packages/Packages"
}

fetch_wheels() {
  has_venv || { missing=python3-venv && install_missing; }
  say "fetching $wanted 13.0 as Python wheels"
  wheels=$(wheels_for "$wanted")
  log=$cache/bundle.log
  : >"$log"
  # shellcheck disable=SC2086  # a list of words
  if ! { make_venv && with_progress "fetching Python wheels" \
    "$root/.venv/bin/python3" -m pip download --quiet --only-binary :all: --dest "$load/wheels" $wheels; }; then
    stop_with_log "$wanted could not be fetched" "Look at the network, or pack clang: ./lab bundle --compiler clang" "$log"
  fi
}

# Only where it would run, and only what the packed course makes.
pack_program() {
  with_program=
  if [ "$target" != "$codename" ]; then
    say "the program is not packed: it was built on $codename, the bundle is for $target"
  elif [ "$(sources_hash "$root")" != "$(sources_hash "$stage/transpose-lab")" ]; then
    say "the program is not packed: the course here was changed since the last commit"
  else
    mkdir -p "$load/program/common/cli" "$load/program/common/compile" "$load/program/common/run/cudart"
    cp "$program" "$load/program/common/cli/"
    cp "$build/common/compile/lab-nvrtc" "$load/program/common/compile/"
    for library in "$build"/common/run/cudart/libcudart.so*; do
      [ -d "$library" ] || cp -P "$library" "$load/program/common/run/cudart/"
    done
    with_program=yes
  fi
}

write_manifest() {
  case $target in
    "$codename") of_system=$system ;;
    *) of_system=$target ;;
  esac
  cat >"$load/manifest" <<END
format=1
made=$(date -u +%Y-%m-%d)
course=$course
sources=$(sources_hash "$stage/transpose-lab")
distribution=$target
system=$of_system
architecture=$machine
compiler=$wanted
packages=$packages
END
  # shellcheck disable=SC2094  # find does not name it
  (cd "$load" && find . -type f ! -name SHA256SUMS -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS)
}

write_archive() {
  say "packing"
  case $file in
    *.tar) pack='cat' ;;
    *.tar.zst) pack="zstd -q -T0 -3" ;;
    *) pack="gzip -1" ;;  # nearly all of it is packed already; gzip's sums reveal a damaged file
  esac
  command -v "${pack%% *}" >/dev/null 2>&1 || stop "no ${pack%% *} here" "Give the file another ending: .tar.gz"
  rm -rf "$stage/apt"
  log=$cache/bundle.log
  with_progress "packing" write_packed || : >"$stage/failed"
  [ ! -e "$stage/failed" ] || stop "$file could not be written" "Is the disk full? $(df -h "$(dirname -- "$file")" | tail -n 1)"
  mv "$file.part" "$file"
}

# A pipe hides a failed tar: it says so in a file.
write_packed() {
  { tar -C "$stage" --owner=0 --group=0 --numeric-owner -cf - transpose-lab || : >"$stage/failed"; } | $pack >"$file.part"
}

report_bundle() {
  bytes=$(wc -c <"$file")
  sum=$(sha256sum "$file" | cut -d ' ' -f 1)
  say "$file: $((bytes / 1000000)) MB for $of_system, $machine, $wanted; course $course, $package_count packages$(
    [ -z "$with_program" ] || echo ", the program")"
  say "SHA-256 $sum"
  say "on each laptop: tar -xf ${file##*/} && cd transpose-lab && ./lab setup --offline"
  [ -z "$as_json" ] || printf '{"file": %s, "bytes": %s, "sha256": "%s", "distribution": "%s", "architecture": "%s", "compiler": "%s", "course": "%s", "packages": %s, "program": %s}\n' \
    "$(json_string "$file")" "$bytes" "$sum" "$target" "$machine" "$wanted" "$course" "$package_count" \
    "$([ -n "$with_program" ] && echo true || echo false)"
}
