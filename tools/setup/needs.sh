# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# What set-up needs, and what of it is here. This is the one list: set-up installs from it, `lab bundle` carries it.
#
# Enters: $wanted, the kernel compiler, or none. Leaves: `missing`, Debian's names of what is not here, and where the tools are.

# Ubuntu 22.04 has no toml++, and a Python without tomllib: install_toml gets the one from PyPI, python3-tomli is the other.
is_jammy() ( read_system && [ "$codename" = jammy ] )

# $1: kernel compiler. Debian's names.
packages_for() {
  echo g++ meson ninja-build pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev doctest-dev libzstd-dev liblz4-dev libarchive-dev
  if is_jammy; then echo python3-tomli; else echo libtomlplusplus-dev; fi
  case $1 in
    nvrtc) echo python3-venv ;;
    nvcc) echo python3-venv libopenblas0 ;;  # whole programs: cuBLAS is computed by it
    clang) echo clang ;;
  esac
}

has_blas() {
  for folder in /usr/lib /usr/lib64 /usr/lib/*-linux-gnu /usr/local/lib; do
    for library in libopenblas.so.0 libblas.so.3; do [ -e "$folder/$library" ] && return 0; done
  done
  return 1
}

# $1: kernel compiler. Its parts must be of one version; pip alone would mix them. Headers (cuda_fp16.h, cooperative_groups.h) are
# three small wheels.
wheels_for() {
  headers="nvidia-cuda-runtime~=13.0.0 nvidia-cuda-crt~=13.0.0 nvidia-cuda-cccl~=13.0.0"
  case $1 in
    nvrtc) echo "nvidia-cuda-nvrtc~=13.0.0 $headers" ;;
    nvcc) echo "nvidia-cuda-nvcc~=13.0.0 nvidia-nvvm~=13.0.0 $headers" ;;
  esac
}

# $1: one of packages_for. By what it is for, not by dpkg: a tool may have come another way.
is_here() {
  case $1 in
    g++) find_cxx && { [ "$wanted" != nvcc ] || command -v gcc >/dev/null 2>&1; } ;;  # nvcc reads headers with gcc
    meson) command -v meson >/dev/null 2>&1 || find_meson ;;
    ninja-build) find_ninja ;;
    pkg-config) command -v pkg-config >/dev/null 2>&1 ;;
    libfmt-dev) has_header fmt/core.h ;;
    nlohmann-json3-dev) has_header nlohmann/json.hpp ;;
    libcli11-dev) has_header CLI/CLI.hpp ;;
    libtomlplusplus-dev) has_header toml++/toml.h ;;
    doctest-dev) has_header doctest/doctest.h ;;
    libzstd-dev) has_header zstd.h ;;
    liblz4-dev) has_header lz4.h ;;
    libarchive-dev) has_header archive.h ;;
    python3-venv) find_wheel_compiler || has_venv ;;
    python3-tomli) python3 -c 'import tomli' 2>/dev/null ;;
    clang) find_clang ;;
    libopenblas0) has_blas || ! can_install ;;  # the first program that needs one says so, too
    *) stop "set-up does not know how to look for $1" "Add it to is_here in tools/setup/needs.sh." ;;
  esac
}

find_missing() {
  missing=
  for package in $(packages_for "$wanted"); do
    is_here "$package" || missing="$missing $package"
  done
  missing=${missing# }
}

is_cxx20() {
  printf '#include <span>\n#if __cplusplus < 202002L\n#error\n#endif\n' |
    "$1" -std=c++20 -fsyntax-only -x c++ - >/dev/null 2>&1
}

find_cxx() {
  for cxx in "${CXX:-}" c++ g++ g++-14 g++-13 g++-12 g++-11 clang++; do
    if [ -n "$cxx" ] && is_cxx20 "$cxx"; then return 0; fi
  done
  cxx=
  return 1
}

has_header() {
  if [ -z "$cxx" ]; then  # no compiler to ask yet
    [ -e "/usr/include/$1" ]
    return
  fi
  printf '#include <%s>\n' "$1" | "$cxx" -std=c++20 -E -x c++ - >/dev/null 2>&1
}

# At least the major version $2, by what `$1 --version` prints after the pattern $3.
has_version() {
  major=$("$1" --version 2>/dev/null | sed -n "s/$3\([0-9][0-9]*\)\..*/\1/p" | head -n 1)
  [ -n "$major" ] && [ "$major" -ge "$2" ]
}

find_meson() {
  for meson in meson "$root/.venv/bin/meson"; do
    if command -v "$meson" >/dev/null 2>&1 && has_version "$meson" 1 '^'; then return 0; fi
  done
  meson=
  return 1
}

find_ninja() {
  for ninja in ninja ninja-build "$root/.venv/bin/ninja"; do
    if command -v "$ninja" >/dev/null 2>&1; then return 0; fi
  done
  ninja=
  return 1
}

# As common/compile/compilers.cpp looks for it; nvcc 12 is the first with C++20.
is_nvcc() { [ -x "$1" ] && has_version "$1" 12 '^.*, V' && nvcc=$1; }

find_nvcc() {
  nvcc=
  if [ -n "${LAB_NVCC:-}" ]; then
    is_nvcc "$LAB_NVCC"
    return
  fi
  is_nvcc "$(command -v nvcc || :)" && return
  is_nvcc "${CUDA_HOME:-}/bin/nvcc" && return
  is_nvcc "${CUDA_PATH:-}/bin/nvcc" && return
  old_ifs=$IFS
  IFS=:
  for folder in ${LAB_CUDA_SEARCH-/usr/local/cuda:/opt/cuda}; do
    [ -n "$nvcc" ] || is_nvcc "$folder/bin/nvcc" || :
  done
  IFS=$old_ifs
  for wheel in "$root"/.venv/lib/python3*/site-packages/nvidia/*/bin/nvcc; do
    [ -n "$nvcc" ] || is_nvcc "$wheel" || :
  done
  [ -n "$nvcc" ]
}

is_nvrtc() { [ -e "$1" ] && nvrtc=$1; }

# Beside an nvcc of CUDA 13, where CUDA Toolkits are, or as a wheel.
find_nvrtc() {
  nvrtc=
  if [ -n "${LAB_NVRTC:-}" ]; then
    is_nvrtc "$LAB_NVRTC"
    return
  fi
  beside=$(command -v nvcc || :)
  for folder in "${beside%/bin/nvcc}" "${CUDA_HOME:-}" "${CUDA_PATH:-}"; do
    [ -n "$nvrtc" ] || [ -z "$folder" ] || is_nvrtc "$folder/lib64/libnvrtc.so.13" || is_nvrtc "$folder/lib/libnvrtc.so.13" || :
  done
  old_ifs=$IFS
  IFS=:
  for folder in ${LAB_CUDA_SEARCH-/usr/local/cuda:/opt/cuda}; do
    [ -n "$nvrtc" ] || is_nvrtc "$folder/lib64/libnvrtc.so.13" || is_nvrtc "$folder/lib/libnvrtc.so.13" || :
  done
  IFS=$old_ifs
  for wheel in "$root"/.venv/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.13; do
    [ -n "$nvrtc" ] || is_nvrtc "$wheel" || :
  done
  [ -n "$nvrtc" ]
}

# For kernels an nvcc that is here will do: then nothing is fetched, unless NVRTC was asked for by name.
find_wheel_compiler() {
  case $wanted in
    nvcc) find_nvcc ;;
    *) find_nvrtc || { [ "$said_compiler" != nvrtc ] && find_nvcc && nvrtc=$nvcc; } ;;
  esac
}

find_clang() {
  for name in ${LAB_CLANG:-clang++ clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14}; do
    clang=$(command -v "$name" || :)
    if [ -n "$clang" ] && has_version "$clang" 14 '^.*clang version '; then return 0; fi
  done
  clang=
  return 1
}

has_venv() { command -v python3 >/dev/null 2>&1 && python3 -c 'import ensurepip, venv' 2>/dev/null; }
