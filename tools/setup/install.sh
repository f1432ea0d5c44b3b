# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# Installs what is missing: packages through apt-get, wheels through pip; from a bundle where there is one, else from the network.
#
# Enters: `missing`, `wheels`, and `bundle` of offline.sh ("" for none). Leaves: the tools in place, or exit 3 with the line to run.

# Root, or sudo that asks nothing: `as_root` is what stands before the command.
can_install() {
  as_root=
  [ "$(id -u)" -ne 0 ] || return 0
  as_root='sudo -n'
  command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null
}

# $1: what is done; the rest: a command, whose words go into $log. At a terminal a line says meanwhile how long it has gone on; through a
# pipe it says nothing. The line ends with us, however we end.
with_progress() {
  what=$(in_words "$1")
  shift
  status=0
  if [ -t 2 ]; then
    (
      exec 9>&-  # the build's lock is not the line's
      seconds=0
      while sleep 1 && kill -0 $$ 2>/dev/null; do
        seconds=$((seconds + 1))
        printf '\r\033[Klab: %s · %s s' "$what" "$seconds" >&2
      done
    ) &
    progress_line=$!
    "$@" >>"$log" 2>&1 </dev/null || status=$?
    kill "$progress_line" 2>/dev/null
    wait "$progress_line" 2>/dev/null || :
    printf '\r\033[K' >&2
  else
    "$@" >>"$log" 2>&1 </dev/null || status=$?
  fi
  return $status
}

# Packages in $missing, through apt-get. Only what is missing, never a question asked.
install_missing() {
  [ -n "$missing" ] || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    stop "missing: $missing (Debian's names), and there is no apt-get here" \
      "Install a C++20 compiler, Meson 1.0, Ninja, pkg-config, fmt, nlohmann-json, CLI11, toml++, doctest, zstd and lz4, then run ./lab again."
  fi
  from=
  if [ -n "$bundle" ]; then open_package_store && from="export APT_CONFIG=\"$apt_config\"; "; fi
  [ -z "$only_offline" ] || [ -n "$from" ] || stop "$bundle_problem" "$bundle_advice"
  line="${from}apt-get update && apt-get install -y --no-install-recommends $missing"
  can_install || stop "missing: $missing. Installing them needs root. Run this line, then ./lab ${command:-tour} again:" \
    "sudo sh -c '$line'"
  say "installing $missing ($([ -n "$from" ] && echo "from the bundle" || echo "apt-get"), a minute or two)"
  began=$(date +%s)
  log=$cache/install.log
  : >"$log"
  # shellcheck disable=SC2086  # sudo and its option, or nothing
  if ! with_progress "installing packages" $as_root env DEBIAN_FRONTEND=noninteractive sh -c "$line"; then
    [ -z "$from" ] || stop_with_log "apt-get could not install from the bundle" \
      "If it says that versions do not fit, this system is newer than the bundle: make a new bundle, or run ./lab setup with network." "$log"
    stop_with_log "apt-get failed" "Run: $line" "$log"
  fi
  say "installed in $(($(date +%s) - began)) s"
}

make_venv() {
  "$root/.venv/bin/python3" -m pip --version >/dev/null 2>&1 || python3 -m venv --clear "$root/.venv" >>"$log" 2>&1
}

pip_install() { make_venv && with_progress "fetching Python wheels" "$root/.venv/bin/python3" -m pip install --quiet "$@"; }

# Distributions that lag behind: a newer Meson as a wheel, no root needed.
install_meson() {
  find_meson && return 0
  has_venv || { missing=python3-venv && install_missing; }
  [ -z "$only_offline" ] || stop "Meson is older than 1.0, and a bundle has no newer one" "Run ./lab setup once with network."
  say "fetching Meson into .venv (a few seconds): the one installed is older than 1.0"
  log=$cache/meson.log
  : >"$log"
  pip_install 'meson>=1.0' || stop_with_log "Meson could not be fetched" \
    "Run: python3 -m venv .venv && .venv/bin/pip install 'meson>=1.0'" "$log"
  find_meson || stop "the fetched Meson does not start" "Remove $root/.venv and run ./lab again."
}

# Where the distribution has no toml++: its headers from the source of its Python package. Meson and scripts find it and tomllib by these paths.
install_toml() {
  is_jammy || return 0
  export PKG_CONFIG_PATH="$root/.venv/lib/pkgconfig" PYTHONPATH="$root/tools/setup/python310"
  [ ! -e "$PKG_CONFIG_PATH/tomlplusplus.pc" ] || return 0
  has_venv || { missing=python3-venv && install_missing; }
  [ -z "$only_offline" ] || stop "Ubuntu 22.04 has no toml++, and a bundle has none either" "Run ./lab setup once with network."
  say "fetching toml++ into .venv (a few seconds): Ubuntu 22.04 has no package of it"
  log=$cache/toml.log
  : >"$log"
  rm -rf "$cache/toml"
  if ! make_venv || ! with_progress "fetching toml++" "$root/.venv/bin/python3" -m pip download --quiet --no-deps --no-binary pytomlpp -d "$cache/toml" pytomlpp==1.1.0 ||
    ! tar -xzf "$cache"/toml/pytomlpp-*.tar.gz -C "$cache/toml" --strip-components=1; then
    stop_with_log "toml++ could not be fetched" "Use the pip package instead (docs/install.md), or Ubuntu 24.04." "$log"
  fi
  mkdir -p "$root/.venv/include" "$PKG_CONFIG_PATH"
  cp -R "$cache/toml/third_party/tomlplusplus/include/toml++" "$root/.venv/include/"
  printf 'Name: tomlplusplus\nDescription: TOML reader, headers\nVersion: 3.4.0\nCflags: -I%s\n' "$root/.venv/include" >"$PKG_CONFIG_PATH/tomlplusplus.pc"
}

# $1: what to call it, $2: MB on disk. Leaves `found`, the compiler of $wanted or one that will do.
install_compiler_wheels() {
  found=
  if find_wheel_compiler; then return 0; fi
  wheels=$(wheels_for "$wanted")
  log=$cache/$wanted.log
  : >"$log"
  began=$(date +%s)
  if has_bundled_wheels; then
    say "installing $1 from the bundle into .venv ($2 MB on disk)"
    # shellcheck disable=SC2086  # a list of words
    if pip_install --no-index --find-links "$bundle/wheels" $wheels && find_wheel_compiler; then return 0; fi
    stop_with_log "$1 could not be installed from the bundle" \
      "Make a new bundle (./lab bundle --compiler $wanted), or use clang: ./lab --compiler clang" "$log"
  fi
  if [ -z "$only_offline" ]; then
    say "fetching $1 as Python wheels into .venv ($2 MB on disk, about half a minute)"
    # shellcheck disable=SC2086  # a list of words
    if pip_install $wheels && find_wheel_compiler; then
      say "fetched in $(($(date +%s) - began)) s"
      return 0
    fi
  fi
  if find_clang; then
    say "$1 could not be fetched (log: $log): kernels will be compiled by $clang"
    found=$clang
    return 0
  fi
  [ -z "$only_offline" ] || stop "there is no $1 here, and none in the bundle" "$bundle_advice"
  stop_with_log "$1 could not be fetched" \
    "Run: python3 -m venv .venv && .venv/bin/pip install $wheels   or use clang: ./lab --compiler clang" "$log"
}

install_kernel_compiler() {
  case $wanted in
    nvrtc)
      install_compiler_wheels "NVRTC 13.0" 240
      printf '%s\n' "${found:-$nvrtc}" >"$stamp-nvrtc"
      ;;
    nvcc)
      install_compiler_wheels "nvcc 13.0" 300
      printf '%s\n' "${found:-$nvcc}" >"$stamp-nvcc"
      ;;
    clang)
      find_clang || stop "clang++ 14 or later is not here" "Run: apt-get install clang"
      printf '%s\n' "$clang" >"$stamp-clang"
      [ -n "$said_compiler" ] || printf '%s\n' "$clang" >"$stamp-nvrtc"  # the bundle's choice serves the default
      ;;
  esac
}

# What `grade` and `similar` put compilers behind. Where it cannot be installed, they report it themselves when they need it.
install_walls() {
  case $walls$command in yesgrade | yessimilar) ;; *) return 0 ;; esac
  [ -z "${LAB_BWRAP+set}" ] && ! command -v bwrap >/dev/null 2>&1 || return 0
  command -v apt-get >/dev/null 2>&1 && can_install || return 0
  missing=bubblewrap
  install_missing
}
