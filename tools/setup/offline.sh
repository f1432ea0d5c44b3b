# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# A bundle (tools/setup/bundle.sh) in place of the network.
#
# Enters: the folder .bundle of the course, or `--offline FILE`. Leaves: `bundle`, a folder whose every byte is as it was packed, or ""
# with `bundle_problem` and `bundle_advice`. With `only_offline` a bundle that cannot be used ends the run; else the network serves.
only_offline=  # "yes": --offline was said
bundle=
bundle_file=
program_will_do=yes
bundle_problem="there is no bundle here"
bundle_advice="Make one where there is network with ./lab bundle FILE, then here: ./lab setup --offline FILE"

# What this system calls itself: "bookworm", "noble".
# shellcheck disable=SC1090
read_system() {
  system=$(. "${LAB_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${PRETTY_NAME:-}") || system=
  codename=$(. "${LAB_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${UBUNTU_CODENAME:-${VERSION_CODENAME:-}}") || codename=
  machine=$(uname -m)
}

find_bundle() {
  if [ -n "$bundle_file" ]; then unpack_bundle "$bundle_file"; fi
  if [ ! -d "$root/.bundle" ]; then
    [ -n "$only_offline" ] && find_bundle_beside || return 0  # perhaps nothing is missing
  fi
  if check_bundle "$root/.bundle"; then
    bundle=$root/.bundle
    [ -n "$said_compiler" ] || [ "$wanted" = none ] || wanted=$bundle_compiler
    return 0
  fi
  [ -z "$only_offline" ] || stop "$bundle_problem" "$bundle_advice"
  say "$bundle_problem: it is not used, the network is"
}

# A bundle that was copied to where the course lies, not into it.
find_bundle_beside() {
  for file in "$root"/transpose-lab-*.tar* "$root"/../transpose-lab-*.tar*; do
    if [ -f "$file" ]; then
      unpack_bundle "$file"
      return 0
    fi
  done
  return 1
}

unpack_bundle() {
  [ -f "$1" ] || stop "there is no bundle $1" "$bundle_advice"
  say "unpacking $1"
  log=$cache/unpack.log
  rm -rf "$cache/unpacked"
  mkdir -p "$cache/unpacked"
  # gzip has sums of its own: a damaged file stops here, or at SHA256SUMS.
  tar -xf "$1" -C "$cache/unpacked" --strip-components=1 --wildcards '*/.bundle' >"$log" 2>&1 ||
    stop_with_log "$1 is damaged, or is no bundle" "Copy it again; its SHA-256 was printed when it was made." "$log"
  rm -rf "$root/.bundle"
  mv "$cache/unpacked/.bundle" "$root/.bundle"
  rm -rf "$cache/unpacked"
}

# Every byte, then whether it is for such a machine.
check_bundle() {
  bundle_format='' bundle_course='' bundle_sources='' bundle_system='' bundle_codename='' bundle_machine='' bundle_compiler='' bundle_made=''
  if [ ! -f "$1/manifest" ] || [ ! -f "$1/SHA256SUMS" ]; then
    bundle_problem="$1 is not whole: it has no manifest"
    bundle_advice="Unpack the bundle again."
    return 1
  fi
  while IFS='=' read -r key value; do
    case $key in
      format) bundle_format=$value ;;
      made) bundle_made=$value ;;
      course) bundle_course=$value ;;
      sources) bundle_sources=$value ;;
      system) bundle_system=$value ;;
      distribution) bundle_codename=$value ;;
      architecture) bundle_machine=$value ;;
      compiler) bundle_compiler=$value ;;
    esac
  done <"$1/manifest"
  if [ "$bundle_format" != 1 ]; then
    bundle_problem="this ./lab cannot read the bundle's format ($bundle_format)"
    bundle_advice="Unpack the course from the same file, and run the ./lab in it."
    return 1
  fi
  damaged=$(cd "$1" && LC_ALL=C sha256sum -c --quiet SHA256SUMS 2>/dev/null | sed -n 's/: FAILED.*//p' | head -n 3 | tr '\n' ' ') || :
  if ! (cd "$1" && sha256sum -c --status SHA256SUMS 2>/dev/null); then
    bundle_problem="the bundle is damaged: ${damaged:-SHA256SUMS }is not as it was packed"
    bundle_advice="Copy the bundle's file again and unpack it anew."
    return 1
  fi
  read_system
  if [ "$bundle_machine" != "$machine" ]; then
    bundle_problem="the bundle is for $bundle_machine, this machine is $machine"
    bundle_advice="Make one on a machine like this one: ./lab bundle"
    return 1
  fi
}

# Packages are of one distribution; wheels and sources are for all. Leaves `apt_config`: apt looks into the bundle, nowhere else.
open_package_store() {
  if [ "$bundle_codename" != "$codename" ]; then
    bundle_problem="the bundle's packages are for $bundle_system, this is ${system:-an unknown system}"
    bundle_advice="Make one for it where there is network: ./lab bundle --distribution ${codename:-NAME}"
    return 1
  fi
  for package in $missing; do
    if ! grep -qx "Package: $package" "$bundle/packages/Packages"; then
      bundle_problem="$package is not in the bundle (made $bundle_made for --compiler $bundle_compiler, course $bundle_course)"
      bundle_advice="Make a new one with this course: ./lab bundle --compiler $wanted"
      return 1
    fi
  done
  store=$cache/apt
  mkdir -p "$store/lists/partial" "$store/lists/auxfiles"
  apt_config=$store/apt.conf
  printf 'deb [trusted=yes] file:%s ./\n' "$(printf %s "$bundle/packages" | sed 's/%/%25/g; s/ /%20/g')" >"$store/sources.list"
  # Our sums were checked; root reads, because the course may lie in a home that others cannot enter.
  cat >"$apt_config" <<END
Dir::Etc::sourcelist "$store/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$store/lists/";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "root";
END
}

has_bundled_wheels() { [ -n "$bundle" ] && ls "$bundle"/wheels/*.whl >/dev/null 2>&1; }

# The program that was built with these very sources on a machine like this one: saves a few minutes a laptop.
take_bundled_program() {
  [ -n "$bundle" ] && [ -n "$program_will_do" ] && [ -d "$bundle/program" ] && [ ! -e "$build/build.ninja" ] || return 1
  read_system
  [ "$bundle_codename" = "$codename" ] && has_avx2 || return 1
  if [ "$(sources_hash "$root")" != "$bundle_sources" ]; then
    say "the bundle is of another state of the course ($bundle_course): its program is not used, it is built here"
    return 1
  fi
  printf '%s\n' "$root" >"$stamp.new"
  cp -R "$bundle/program/." "$build/"
  "$build/common/cli/lab" --version >/dev/null 2>&1 || return 1
  choose lab
  mv "$stamp.new" "$stamp"
}
