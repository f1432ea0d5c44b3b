#!/bin/sh
# shellcheck disable=SC2016,SC2154  # the stubs are to see the dollars; machine.sh sets the names
# `lab bundle` and `lab setup --offline` with packages and wheels that are made up: what is packed, what is refused and why.
#
# Enters: the folder of the course. Leaves: exit 0 when every case holds. Nothing outside a temporary folder changes.
set -eu
course=$1
. "$course/tests/setup/machine.sh"

# Fetches made-up packages, as apt-get would; installs by putting the saved tools in place.
stub_apt() {
  stub apt-get 'case "$*" in
    *download-only*) for word; do case $word in Dir::Cache::archives=*) to=${word#*=} ;; esac; done
      for package in g++ meson ninja-build pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev doctest-dev \
        libzstd-dev liblz4-dev libarchive-dev python3-venv libopenblas0 clang; do
        case "$*" in *" $package"*) echo "$package" >"$to/${package}_1%3a2.0_amd64.deb" ;; esac
      done ;;
    *install*) echo "with $APT_CONFIG" >>"'"$calls"'"; cp "'"$box"'/saved/"* "'"$bin"'/" ;; esac'
  stub dpkg-deb 'read -r name <"$2"; printf "Package: %s\nVersion: 1:2.0\nArchitecture: amd64\n" "$name"'
}

# pip download writes a wheel; pip install from wheels installs an NVRTC.
stub_python() {
  stub python3 'case $* in
    *venv\ --clear*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python3" ;;
    *pip\ download*) previous=; for word; do [ "$previous" != --dest ] || to=$word; previous=$word; done
      mkdir -p "$to"; echo nvrtc >"$to/nvidia_cuda_nvrtc-13.0.88-py3-none-any.whl" ;;
    *pip\ install*--no-index*) to="'"$root"'/.venv/lib/python3.11/site-packages/nvidia/cu13/lib"; mkdir -p "$to"
      echo library >"$to/libnvrtc.so.13" ;;
    *pip\ install*) exit 1 ;; esac'
}

stub_ninja() {
  stub ninja 'mkdir -p "$2/common/cli" "$2/common/compile" "$2/common/run/cudart/libcudart.so.13.p"; echo nvrtc >"$2/common/compile/lab-nvrtc"; echo lib >"$2/common/run/cudart/libcudart.so.13"
    printf "#!/bin/sh\nfor a; do echo \"<\$a>\"; done\n" >"$2/common/cli/lab"; chmod +x "$2/common/cli/lab"'
}

# A machine with network and all tools.
new_leader() {
  new_machine
  stub_builders
  stub_ninja
  stub_nvcc 13.0
  stub_clang
  stub_apt
  stub_python
  mkdir -p "$root/solutions/01_naive" "$root/chapters/01_naive"
  echo skeleton >"$root/solutions/01_naive/skeleton.cu"
  echo solved >"$root/chapters/01_naive/transpose.cu"
  mkdir -p "$root/grades" "$root/.lab"
  echo 'ada 5' >"$root/grades/grades.csv"
}

# A laptop with nothing, where the bundle $1 was unpacked. Its tools come with apt-get.
new_laptop() {
  new_machine
  stub_builders
  stub_ninja
  stub_clang
  rm -rf "$box/saved"
  mkdir "$box/saved"
  for tool in gcc c++ meson ninja pkg-config clang++; do mv "$bin/$tool" "$box/saved/"; done
  stub_apt
  stub_python
  stub id 'echo 0'
  if [ -n "${1:-}" ]; then
    rm -rf "$root"
    (cd "$box/machine" && tar -xf "$1" && mv transpose-lab "$root")
  fi
}

# Sums that fit a bundle which this test has changed.
sum_again() { (cd "$root/.bundle" && find . -type f ! -name SHA256SUMS -exec sha256sum {} + >"$box/sums" && cp "$box/sums" SHA256SUMS); }

new_leader
run bundle "$box/b.tar.gz" --json
check 'a bundle is made' [ "$code" -eq 0 ]
check 'and described' [ "${out%\"sha256\"*}" = "{\"file\": \"$box/b.tar.gz\", \"bytes\": $(wc -c <"$box/b.tar.gz"), " ]
case $out in *'"packages": 13, "program": true}') good=0 ;; *) good=1 ;; esac
check 'with its packages and the program' [ "$good" -eq 0 ]
check 'and how to use it' said 'tar -xf b.tar.gz && cd transpose-lab && ./lab setup --offline'
check 'apt does not look at what is installed here' was_called 'Dir::State::status='
check 'nothing is left of the work' [ ! -e "$root/.cache/bundle" ]
run bundle "$box/c.tar" --compiler clang
check 'one with clang' [ "$code" -eq 0 ]
run bundle "$box/d.zip"
check 'a file that is no archive is a usage error' [ "$code" -eq 2 ]
run bundle "$box/nowhere/d.tar.gz"
check 'so is a folder that is not there' [ "$code" -eq 2 ]
run bundle --everything
check 'so is an unknown option' [ "$code" -eq 2 ]
run bundle "$box/n.tar" --distribution noble --keyring /nowhere.gpg
check 'without the key of a distribution: exit 3' [ "$code" -eq 3 ]
check 'and which' said '/nowhere.gpg'
run bundle "$box/n.tar" --distribution noble --keyring "$box/os-release"
check 'a bundle for another distribution' [ "$code" -eq 0 ]
check 'has no program' said 'it was built on bookworm, the bundle is for noble'
stub apt-get 'exit 100'
run bundle "$box/e.tar.gz"
check 'packages that cannot be fetched: exit 3' [ "$code" -eq 3 ]
check 'and no half a file' [ ! -e "$box/e.tar.gz" ]

new_laptop "$box/b.tar.gz"
check 'nothing that git ignores is packed' [ ! -e "$root/grades" ]
check 'skeletons are packed, not what was solved' [ "$(cat "$root/chapters/01_naive/transpose.cu")" = skeleton ]
stub id 'echo 1000'
run setup --offline
check 'no root: exit 3' [ "$code" -eq 3 ]
check 'and the line, which looks into the bundle' said "sudo sh -c 'export APT_CONFIG=\"$root/.cache/apt/apt.conf\"; apt-get update && apt-get install -y"
check 'and nothing was installed' not was_called apt-get
check 'blanks in names are what apt wants' grep -q 'file:.*my%20lab/.bundle/packages \./' "$root/.cache/apt/sources.list"
check 'no other source is asked' grep -q 'sourceparts "/dev/null"' "$root/.cache/apt/apt.conf"
stub id 'echo 0'
run setup --offline --json
check 'as root it is set up' [ "$code" -eq 0 ]
check 'from the bundle' was_called "with $root/.cache/apt/apt.conf"
check 'nothing from the network' not was_called 'pip install --quiet nvidia'
check 'and says it' [ "$out" = "{\"ready\": true, \"program\": \"$root/build/common/cli/lab\", \"bundle\": \"$root/.bundle\"}" ]
check 'the program was not built' not was_called ninja\ -C
check 'what runs CUDA programs is there too' [ -f "$root/build/common/run/cudart/libcudart.so.13" ]
check 'and what loads NVRTC' [ -f "$root/build/common/compile/lab-nvrtc" ]
check 'which came as a wheel' [ "$(cat "$root/build/.lab-ready-nvrtc")" = "$root/.venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13" ]
: >"$calls"
run check 1
check 'then it runs at once' [ "$out$(cat "$calls")" = '<check>
<1>' ]

new_laptop "$box/b.tar.gz"
run tour
check 'a bundle is found without being asked for' was_called "with $root/.cache/apt/apt.conf"
check 'and enough' [ "$out" = '<tour>' ]

new_laptop "$box/b.tar.gz"
echo changed >"$root/common/code.cpp"
run setup --offline
check 'a course that is not the bundle'"'"'s builds its own program' was_called ninja\ -C
check 'and says why' said 'another state of the course (unversioned)'

new_laptop "$box/b.tar.gz"
printf x >>"$root/.bundle/packages/meson_1_2.0_amd64.deb"
run setup --offline
check 'a damaged package: exit 3' [ "$code" -eq 3 ]
check 'and which' said 'the bundle is damaged: ./packages/meson_1_2.0_amd64.deb'
rm "$root/.bundle/packages/meson_1_2.0_amd64.deb"
run setup --offline
check 'a lost package too' said 'the bundle is damaged'
run tour
check 'where there is network, that serves' said 'it is not used, the network is'
rm "$root/.bundle/SHA256SUMS" && rm -rf "$root/build"
run setup --offline
check 'no sums: not whole' said 'is not whole'

new_laptop "$box/b.tar.gz"
printf 'PRETTY_NAME="Ubuntu 24.04 LTS"\nVERSION_CODENAME=noble\n' >"$box/os-release"
run setup --offline
check 'another distribution: exit 3' [ "$code" -eq 3 ]
check 'both are named' said "packages are for Debian GNU/Linux 12 (bookworm), this is Ubuntu 24.04 LTS"
check 'and the way out' said './lab bundle --distribution noble'
printf 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\n' >"$box/os-release"
stub uname 'echo aarch64'
run setup --offline
check 'another architecture: exit 3' [ "$code" -eq 3 ]
check 'both named' said 'the bundle is for x86_64, this machine is aarch64'

new_laptop "$box/b.tar.gz"
sed -i '/^Package: meson$/d' "$root/.bundle/packages/Packages" && sum_again
run setup --offline
check 'a package that the bundle has not: exit 3' [ "$code" -eq 3 ]
check 'and which' said 'meson is not in the bundle'

new_laptop "$box/c.tar"
run setup --offline
check 'the bundle chooses the compiler' [ "$code" -eq 0 ]
check 'no wheel is asked for' not was_called pip\ install
run tour
check 'from then on' [ "$out" = '<tour>' ]

new_laptop
run setup --offline
check 'no bundle: exit 3' [ "$code" -eq 3 ]
check 'and how to come by one' said './lab bundle FILE'
run setup --offline "$box/nothing.tar.gz"
check 'a file that is not there: exit 3' [ "$code" -eq 3 ]
head -c 3000 "$box/b.tar.gz" >"$box/half.tar.gz"
run setup --offline "$box/half.tar.gz"
check 'half a file: exit 3' [ "$code" -eq 3 ]
check 'and it is called damaged' said 'half.tar.gz is damaged'
check 'nothing of it stays' [ ! -e "$root/.bundle" ]
cp "$box/b.tar.gz" "$root/../transpose-lab-bookworm-x86_64-nvrtc.tar.gz"
run setup --offline
check 'one beside the course is found' [ "$code" -eq 0 ]
run setup --ofline
check 'an unknown option of setup is a usage error' [ "$code" -eq 2 ]

end_checks 50
