"""What both tests of `lab grade --slurm` share: a small class, the command, a comparison of folders byte by byte."""
import filecmp
import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = os.environ["LAB_PROGRAM"]
ROOT = pathlib.Path(os.environ["LAB_ROOT"])
NAMES = ["ann", "o'neil \"the $x\"", "zoë %A\\b", "carl; rm -rf"]


def put(folder, name, text):
    path = pathlib.Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def kernel(place):
    return (ROOT / place).read_text()


def make_class(folder, different):
    """Each student hands in chapters 05 and 06. `different` students have kernels of their own, the rest are like the first one."""
    for number, name in enumerate(NAMES):
        own = f"\n__constant__ int made_by = {number};\n" if number < different else ""
        put(folder, f"{name}/05_padding.cu", kernel("solutions/05_padding/transpose.cu") + own)
        put(folder, f"{name}/06_xor_swizzle.cu", kernel("chapters/06_xor_swizzle/transpose.cu") + own)


def lab(*arguments, env=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                          env=dict(os.environ, TERM="dumb", **(env or {})))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def grade(students, out, *arguments, env=None):
    return lab("grade", students, "--out", out, "--chapters", "5,6", "--format", "csv,json,html,junit,gradescope", *arguments, env=env)


def differing(one, other):
    """Files of a graded class that are not the same, byte by byte; times, the store and what Slurm needed are left out. And how many
    were compared."""
    def names(root):
        return {p.relative_to(root).as_posix() for p in pathlib.Path(root).rglob("*")
                if p.is_file() and p.name != "times.json" and p.relative_to(root).parts[0] not in ("judgements", "slurm")}
    every = names(one) | names(other)
    return [n for n in sorted(every) if n not in names(one) & names(other) or not filecmp.cmp(pathlib.Path(one, n), pathlib.Path(other, n), False)], len(every)


def plan(out, run=1):
    return json.loads(pathlib.Path(out, f"slurm/run-{run}/plan.json").read_text())


def judgements(out):
    return sorted(p for p in pathlib.Path(out, "judgements").rglob("*") if p.is_file() and not p.name.endswith(".tmp"))


def what_lacks():
    """What keeps `lab grade` from working on this machine; empty when nothing does."""
    with tempfile.TemporaryDirectory() as folder:
        put(folder, "one/05_padding.cu", "")
        code, _, errors = grade(folder, os.path.join(folder, "out"))
        return errors if code == 3 else ""
