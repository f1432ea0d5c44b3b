#!/bin/sh
# shellcheck disable=SC2016  # the stubs are to see the dollars
# The start script on machines that are made of stubs: each tool is a line of shell that notes how it was called.
#
# Enters: the folder of the course. Leaves: exit 0 when every case holds. Nothing outside a temporary folder changes.
set -eu
course=$1
. "$course/tests/setup/machine.sh"

new_machine
stub apt-get ''
: >"$calls"
for words in --help -h help 'check --help' 'run --help' 'grade run -h' 'help limits' 'similar --help' --version '--lang zh --help' 'setup --help' \
  'site --help' 'test --help' 'bundle --help' 'workshop --help'; do
  # shellcheck disable=SC2086  # words
  run $words
  check "$words: text, and exit 0" [ "$code" -eq 0 ]
  check "$words: some text" [ -n "$out$err" ]
done
run --lang zh check --help
check 'help in Chinese' [ "$out" != "${out#*选项}" ]
for words in chek 'check --jsn' 'hint 5 --al' 'Check 5' '5'; do
  # shellcheck disable=SC2086  # words
  run $words
  check "$words: a typo is a usage error" [ "$code" -eq 2 ]
  check "$words: and says where help is" said '--help'
done
check 'help and typos install and build nothing' [ ! -s "$calls" ]
check 'and leave no folder' [ ! -e "$root/build" ]

new_machine
stub apt-get ''
# The header libraries of the machine that runs this test may be found in /usr/include: only tools are searched for here.
run tour
check 'without root and sudo: exit 3' [ "$code" -eq 3 ]
check 'and the exact line' said "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends g++ meson ninja-build pkg-config"
check 'and nothing is called' not was_called apt-get

printf 'UBUNTU_CODENAME=jammy\n' >"$box/os-release"
run tour
check 'Ubuntu 22.04: a TOML reader for Python is a package' said python3-tomli
check 'and toml++ is none' not said libtomlplusplus-dev
rm "$box/os-release"

stub sudo 'exit 1'
run tour
check 'sudo that asks for a password is no sudo' [ "$code" -eq 3 ]

run --compiler gcc tour
check 'an unknown compiler is a usage error' [ "$code" -eq 2 ]
run --compiler clang tour
check 'clang is among the missing' said 'clang'
check 'and nothing of wheels' not said python3-venv

rm "$bin/apt-get"
run tour
check 'without apt-get the parts are named' said 'Install a C++20 compiler'
check 'and it ends with 3' [ "$code" -eq 3 ]

new_machine
stub_builders
stub_nvcc 13.0
rm "$bin/meson" "$bin/ninja"
stub sudo 'shift; exec "$@"'
stub apt-get "case \$* in *install*) cp '$box/saved/'* '$bin/' ;; esac"
mkdir -p "$box/saved"
stub_builders
mv "$bin/meson" "$bin/ninja" "$box/saved/"
run check 1
check 'what is missing, and no more, is installed through sudo' was_called 'apt-get install -y --no-install-recommends meson ninja-build$'
check 'then the program runs' [ "$code" -eq 7 ]

new_machine
stub_builders
stub_nvcc 13.0
run check 1 --kernel 'two words.cu'
check 'arguments arrive whole' [ "$out" = "<check>
<1>
<--kernel>
<two words.cu>" ]
check 'the exit code is the program'"'"'s' [ "$code" -eq 7 ]
check 'the build is announced' said 'building in'
check 'a warning does not end it' was_called 'meson setup .*-Dwerror=false'
: >"$calls"
run list
check 'a second start calls nothing' [ ! -s "$calls" ]
check 'and says nothing' [ -z "$err" ]
touch "$root/chapters/kernel.cu"
run list
check 'a student'"'"'s edit builds nothing' [ ! -s "$calls" ]
touch -d '+10 seconds' "$root/common/code.cpp"
run list
check 'an edit of the code builds' was_called ninja
: >"$calls"
mv "$box/machine/my lab" "$box/machine/moved"
root="$box/machine/moved"
run list
check 'a clone that was moved makes Meson configure again' was_called 'meson setup --reconfigure'
check 'and not wiped' not was_called wipe
check 'and stays as it is from then on' [ "$(cat "$root/build/.lab-ready")" = "$root" ]
ln -s "$root/lab" "$box/machine/link"
start="$box/machine/link"
run list
check 'a symbolic link starts it too' [ "$out" = '<list>' ]
start=
rm "$bin/nvcc"
stub_clang
: >"$calls"
run --compiler clang list
check 'clang is enough when it is chosen' [ "$out" = "<--compiler>
<clang>
<list>" ]
check 'and nothing is fetched for it' not was_called 'python3 -m'

new_machine
stub_builders
stub_nvcc 11.8
stub python3 'case $* in *venv\ --clear*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python3" ;; *pip\ install*) exit 1 ;; esac'
run list
check 'an nvcc that is too old does not count' was_called 'pip install'
check 'no NVRTC to be had: exit 3' [ "$code" -eq 3 ]
check 'and the line to run' said "pip install nvidia-cuda-nvrtc~=13.0.0"
check 'and nothing of certificates' not said PIP_CERT
rm -r "$root/.venv"
stub python3 'case $* in *venv\ --clear*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python3" ;; *pip\ install*) echo CERTIFICATE_VERIFY_FAILED; exit 1 ;; esac'
run tour
check 'certificates of a network: how pip gets them' said 'PIP_CERT=FILE ./lab'
stub_clang
run list
check 'with clang there it goes on' [ "$out" = '<list>' ]
check 'and says so' said 'kernels will be compiled by'
: >"$calls"
run list
check 'and does not try again at each start' [ ! -s "$calls" ]

new_machine
stub_builders
stub_clang
stub python3 'case $* in
  *venv\ --clear*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python3" ;;
  *pip\ install*nvidia-cuda-nvrtc*) to="'"$root"'/.venv/lib/python3.11/site-packages/nvidia/cu13/lib"; mkdir -p "$to"
    echo library >"$to/libnvrtc.so.13" ;;
  *pip\ install*nvidia-cuda-nvcc*) to="'"$root"'/.venv/lib/python3.11/site-packages/nvidia/cu13/bin"; mkdir -p "$to"
    printf "#!/bin/sh\necho release 13.0, V13.0.88\n" >"$to/nvcc"; chmod +x "$to/nvcc" ;;
  esac'
run tour
check 'where there is no compiler, NVRTC is fetched' was_called 'pip install.*nvidia-cuda-nvrtc'
check 'and not nvcc' not was_called nvidia-cuda-nvcc
check 'and its headers' was_called 'nvidia-cuda-nvrtc.*nvidia-cuda-runtime.*nvidia-cuda-cccl'
: >"$calls"
run check 1 --kernel mine.cu
check 'a check of a file fetches nothing more' not was_called pip
run run ./program
check 'a program that is built fetches nothing' not was_called 'pip install'
: >"$calls"
run run ./program
check 'and what run needs is built once' [ ! -s "$calls" ]
run run program.cu
check 'a program to be compiled installs nvcc' was_called 'pip install.*nvidia-cuda-nvcc'
: >"$calls"
run run program.cu
check 'once' [ ! -s "$calls" ]
run list --compiler nvrtc
check 'NVRTC may be asked for by name' [ "$code" -eq 7 ]
rm "$root/.venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13"
: >"$calls"
run list
check 'an nvcc will do in its place' not was_called 'pip install'
: >"$calls"
run setup --compiler nvrtc
check 'but not when set-up is asked for NVRTC' was_called 'pip install.*nvidia-cuda-nvrtc'

new_machine
stub_builders
stub_nvcc 13.0
stub ninja 'echo "code.cpp:3: error: no such thing"; exit 1'
run list
check 'a failed build ends with 3' [ "$code" -eq 3 ]
check 'and shows the error' said 'code.cpp:3: error'

new_machine
mkdir -p "$root/common/class/grade"
echo 'points = 1' >"$root/common/class/grade/rubric.toml"
run grade rubric
check 'the rubric waits for nothing' [ "$out" = 'points = 1' ]
check 'and nothing is called for it' [ ! -s "$calls" ]
run grade --print-rubric
check 'nor in its old spelling' [ "$out" = 'points = 1' ]
stub_builders
run grade rubric --rubric my.toml
check 'another one needs the program, and no compiler' [ "$code" -eq 7 ]
check 'nor walls' not was_called bwrap

new_machine
stub_builders
stub_nvcc 13.0
run list
: >"$calls"
run run program.cu
check 'what run alone needs is built when it is first called' was_called 'ninja .* common/cli/lab lab-run'
mkdir -p "$root/build/common/run/cudart"
touch "$root/build/common/run/cudart/libcudart.so.13"
: >"$calls"
run run program.cu
check 'and then no more' [ ! -s "$calls" ]

# Progress: a line now and then where there is no terminal.
(
  in_words() { echo "$*"; }
  . "$course/tools/setup/build.sh"
  printf 'ninja: Entering\n[3/90] Compiling x\n[4/90] Linking y\n' | show_steps >"$box/log" 2>"$box/seldom"
  steps_every=0
  printf 'ninja: Entering\n[3/90] Compiling x\n[4/90] Linking y\n' | show_steps >"$box/log" 2>"$box/line"
  echo "$(jobs_for 8 16000000) $(jobs_for 8 3000000) $(jobs_for 2 300000)" >"$box/jobs"
)
check 'as many compilers at once as there are cores for, and memory' [ "$(cat "$box/jobs")" = '10 3 1' ]
check 'the log has all' [ "$(grep -c . "$box/log")" -eq 3 ]
check 'the line says how far it is' grep -q 'building, 4 of 90' "$box/line"
check 'a line for each step that is due' [ "$(grep -c . "$box/line")" -eq 2 ]
check 'and none before its time' [ ! -s "$box/seldom" ]

# What takes long at a terminal says how long it has gone on; through a pipe it prints nothing. What failed is reported as failed.
cat >"$box/long.sh" <<END
in_words() { echo "\$*"; }
log=$box/long
. "$course/tools/setup/install.sh"
with_progress "fetching" sh -c 'echo fetched; sleep 2.2; exit 3' || echo "code \$?" >>"$box/long"
END
: >"$box/long"
sh "$box/long.sh" 2>"$box/line"
check 'nothing goes into a pipe' [ ! -s "$box/line" ]
check 'what was said stands in the log, and the code arrives' [ "$(cat "$box/long")" = "fetched
code 3" ]
if command -v script >/dev/null 2>&1; then
  script -qec "sh '$box/long.sh'" /dev/null >"$box/line" 2>&1 </dev/null
  check 'a terminal sees the seconds' grep -q 'lab: fetching · 2 s' "$box/line"
  check 'and at last an empty line' [ "$(tail -c 4 "$box/line")" = "$(printf '\r\033[K')" ]
fi

# Who waits at a terminal for the first build has something to read at once; later ones, and pipes, say no more than before.
if command -v script >/dev/null 2>&1; then
  new_machine
  stub_builders
  stub_nvcc 13.0
  mkdir -p "$root/docs/session" "$root/chapters/01_naive"
  cp "$course/docs/session/session.txt" "$root/docs/session/"
  cp "$course/chapters/01_naive/README.md" "$root/chapters/01_naive/"
  env -i PATH="$bin" HOME="$box" LAB_CUDA_SEARCH= LAB_OS_RELEASE="$box/os-release" "$(command -v script)" -qec "'$root/lab' tour" /dev/null >"$box/line" 2>&1 </dev/null || :
  check 'the recorded ladder is there while it builds' grep -q '01_naive .*1 048 576 8' "$box/line"
  check 'and how chapter 01 begins' grep -q 'A matrix of 1024' "$box/line"
  touch -d '+10 seconds' "$root/common/code.cpp"
  env -i PATH="$bin" HOME="$box" LAB_CUDA_SEARCH= LAB_OS_RELEASE="$box/os-release" "$(command -v script)" -qec "'$root/lab' tour" /dev/null >"$box/line" 2>&1 </dev/null || :
  check 'a second build does not show it' not grep -q '1 048 576 8' "$box/line"
fi

# Three programs: the ladder needs least, so it is built first.
new_machine
stub_builders
stub_nvcc 13.0
run tour
check 'the ladder builds itself alone' was_called 'ninja .* common/cli/lab-tour$'
check 'and runs' [ "$out" = '<tour>' ]
check 'and nothing more, where nobody is at a terminal' not was_called lab-course
: >"$calls"
run tour
check 'a second ladder builds nothing' not was_called ninja
run check 1
check 'a check then builds the course' was_called 'ninja .* common/cli/lab-course$'
: >"$calls"
run tour
check 'which has the ladder too' not was_called ninja

# The words of the course need less than the others.
new_machine
stub_builders
stub_nvcc 13.0
run check 1
check 'a word of the course builds the course alone' was_called 'ninja .* common/cli/lab-course$'
check 'and has it' [ "$code" -eq 7 ]
: >"$calls"
run inspect banks
check 'another word builds the whole' was_called 'ninja .* common/cli/lab$'
check 'and says that it is the rest' said 'building the other commands in'
: >"$calls"
run check 1
check 'which then serves every word' [ ! -s "$calls" ]
rm "$root/build/common/cli/lab-course"
run check 1
check 'without the smaller one' [ "$code" -eq 7 ]
touch -d '+10 seconds' "$root/common/code.cpp"
run check 1
check 'after an edit a word of the course waits for the course alone' was_called 'ninja .* common/cli/lab-course$'
: >"$calls"
run inspect banks
check 'and the whole of before the edit is not called' was_called 'ninja .* common/cli/lab$'

# The lock: outside of the build folder, so that two never build at once.
new_machine
stub_builders
stub_nvcc 13.0
ln -s "$(command -v flock)" "$bin/flock"
stub ninja 'mkdir -p "$2/common/cli"; rm -f "$2/.lab-lock"
  [ ! -e "$2/at-work" ] || echo both >>"$2/two"; touch "$2/at-work"; sleep 1; rm "$2/at-work"
  printf "#!/bin/sh\nexit 7\n" >"$2/common/cli/lab-course"; chmod +x "$2/common/cli/lab-course"'
run list &
first=$!
run list
wait "$first"
check 'two starts at once build one after the other' [ ! -e "$root/build/two" ]

new_machine
stub_builders
run doctor
check 'doctor needs no kernel compiler' [ "$out" = '<doctor>' ]

new_machine
stub_builders
stub_nvcc 13.0
run test --everything
check 'an unknown option of test is a usage error' [ "$code" -eq 2 ]
check 'and named' said '"./lab test --everything"'
run test --full
check 'tools that only tests use are named when they cannot be installed' said 'chromium'
check 'and that is exit 3' [ "$code" -eq 3 ]
stub python3 'case $* in *test_summary*) echo "5 passed, 0 failed" ;; esac'
run test
check 'without --full they are not installed' [ "$out" = '5 passed, 0 failed' ]
check 'and of a clone that was never built warnings are errors' not was_called werror=false

# What looks for compilers must not lose the folder that was named.
new_machine
stub_builders
stub_nvcc 13.0
mkdir -p "$root/.venv/bin"
stub site-python ''
cp "$bin/site-python" "$root/.venv/bin/python3"
run site 'there and back'
check 'the site goes where it was said' was_called 'build.py .*-- there and back$'
: >"$calls"
run site --no-browser
check 'or into the clone' was_called "build.py .*--no-browser -- $root/site$"
run site one two
check 'a site is one folder' said 'two folders, "one" and "two"'

end_checks 20
