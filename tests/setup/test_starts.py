"""Drawn sequences of what happens to a clone before its first check: starts, two at once, Ctrl-C in the middle of a build, edits, pulls, errors.

Enters: the course's start script on a machine of stubs (machine.sh), where the program that is built prints the source that it was built from. Leaves:
one unittest verdict: each start that ends by itself runs the program of today's source or shows its error, and builds never meet."""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/drawn")]
import draws  # noqa: E402

DRAWS, LONGEST = 3, 7
FAILED: list[int] = []  # seeds that failed once

MACHINE = """set -eu
course=$1
. "$course/tests/setup/machine.sh"
new_machine
stub_builders
stub_nvcc 13.0
for tool in flock kill; do ln -s "$(command -v $tool)" "$bin/$tool" 2>/dev/null || :; done
# Half a second at work, in which it may be interrupted; no two at once; an error of the source ends it.
stub ninja '[ "$3" != -t ] || exit 0
  mkdir -p "$2/common/cli"; source=$(cat "'"$root"'/common/code.cpp")
  [ ! -e "$2/../at-work" ] || echo both >>"$2/../both"
  trap "rm -f \\"$2/../at-work\\"; exit 130" INT TERM; : >"$2/../at-work"
  echo "[1/2] compile"; sleep 0.3; rm -f "$2/../at-work"
  case $source in *error*) echo "code.cpp:1: error: $source"; exit 1 ;; esac
  printf "#!/bin/sh\\necho \\"%s\\"\\nexit 7\\n" "$source" >"$2/common/cli/lab-course"; chmod +x "$2/common/cli/lab-course"'
source_is() { sleep 0.02; printf '%s' "$1" >"$root/common/code.cpp"; }
right() { [ "$code" -eq 7 ] && [ "$out" = "$1" ]; }
reported() { [ "$code" -eq 3 ] && said "$1"; }
there() { (cd / && exec env -i PATH="$bin" HOME="$box" LAB_CUDA_SEARCH= LAB_OS_RELEASE="$box/os-release" "$@"); }
interrupted() { there "$(command -v timeout)" -s INT "$1" "$root/lab" list >/dev/null 2>&1 || :; }
beside() {
  there "$root/lab" list >"$box/other" 2>&1 &
  other=$!
  run list
  wait "$other" || :
}
source_is v0
"""
KINDS = ["start", "beside", "interrupt", "edit", "pull", "break", "terminate"]


def script(seed: int) -> tuple[list[str], str]:
    draw = random.Random(seed)
    lines, source = [], "v0"
    events = [draw.choice(KINDS) for _ in range(draw.randint(3, LONGEST))]
    for number, event in enumerate([*events, "edit", "beside", "edit", "start"], 1):
        holds = f"'{number} {event}: {source}'"
        if event in ("start", "beside"):
            wanted = f"reported '{source}'" if "error" in source else f"right '{source}'"
            lines += ["run list" if event == "start" else "beside", f"check {holds} {wanted}"]
            if event == "beside":
                lines.append(f"check {holds} grep -q '{source}' \"$box/other\"")
        elif event == "interrupt":
            lines.append(f"interrupted {draw.choice(['0.05', '0.2', '0.4'])}")
        elif event == "terminate":
            lines.append("(run list) & half=$!; sleep 0.2; kill -TERM $half 2>/dev/null || :; wait $half 2>/dev/null || :; sleep 0.5")
        else:
            source = f"v{number}" + (" error" if event == "break" else "")
            lines += [f"source_is '{source}'", *(['touch "$root/meson.build"'] if event == "pull" else [])]
    lines += ["check 'builds never met' [ ! -e \"$root/both\" ]", ": >\"$calls\"", "run list",
              "check 'and nothing is left to build' not was_called 'ninja .*common/cli'", "end_checks 2"]
    return events, MACHINE + "\n".join(lines) + "\n"


class Starts(unittest.TestCase):
    def try_seed(self, seed: int) -> None:
        events, text = script(seed)
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
            file.write(text)
            file.flush()
            done = subprocess.run(["sh", file.name, str(ROOT)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"LAB_SEED={seed}: {' '.join(events)}\n{done.stdout[-3000:]}{done.stderr[-1000:]}")

    def test_what_failed_once(self) -> None:
        for seed in FAILED:
            with self.subTest(seed=seed):
                self.try_seed(seed)

    def test_drawn_sequences(self) -> None:
        first = draws.seed_of_run("starts of a clone")
        for seed in range(first, first + draws.draws_of_run(DRAWS)):
            with self.subTest(seed=seed):
                self.try_seed(seed)


if __name__ == "__main__":
    unittest.main()
