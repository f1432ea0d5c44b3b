"""A clone that was moved or copied with its times compiles nothing anew, but for what was made of absolute paths.

Enters: the course and its build folder, built. Leaves: one verdict, on a copy of both in a temporary folder."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(one) for one in sys.argv[1:3])
LEFT_OUT = {".git", ".cache", ".venv", ".lab", ".bundle"}
CONFIGURE = """
set -eu
root=$1 build=$1/build cache=$1/.cache stamp=$1/build/.lab-ready meson=meson ninja=ninja
mkdir -p "$cache"
stop_with_log() { cat "$3" >&2; exit 3; }
. "$root/tools/setup/build.sh"
configure
"""


def compiled(root):
    """What ninja would compile or link for the program, and whether it would call Meson."""
    out = subprocess.run(["ninja", "-C", root / "build", "-n", "-v", "common/cli/lab"], check=True, capture_output=True, text=True).stdout
    return re.findall(r"(?<= -[co] )(?:\S+\.(?:cpp|o|a)|common/cli/lab)\b|--internal regenerate", out)


def forgets_what_was_made_elsewhere():
    """An object whose list of sources names another place is removed, one that names this place stays."""
    with tempfile.TemporaryDirectory() as folder:
        elsewhere = pathlib.Path(folder) / "other/common/base/nearest.cpp"
        elsewhere.parent.mkdir(parents=True)
        elsewhere.touch()
        rule = "rule cc\n  command = echo $out: $source > $out.d && touch $out\n  deps = gcc\n  depfile = $out.d\n"
        sources = {"other.o": elsewhere, "own.o": SOURCE / "common/base/nearest.cpp", "system.o": "/dev/null"}
        steps = [f"build {out}: cc\n  source = {source}\n" for out, source in sources.items()]
        (pathlib.Path(folder) / "build.ninja").write_text(rule + "".join(steps))
        subprocess.run(["ninja", "-C", folder], check=True, capture_output=True)
        subprocess.run([sys.executable, SOURCE / "tools/setup/units.py", folder, "ninja"], check=True)
        left = {one.name for one in pathlib.Path(folder).glob("*.o")}
        if left != {"own.o", "system.o"}:
            sys.exit(f"of {sorted(sources)} were left: {sorted(left)}")


def main():
    forgets_what_was_made_elsewhere()
    if not (BUILD / ".ninja_log").exists() or not (BUILD / "common/cli/lab").exists():
        sys.exit(77)
    if any("#include<" in unit.read_text() for unit in BUILD.glob("common/**/*-unity*.cpp")):
        print("ninja itself called Meson in this build folder: its units name their sources by absolute paths")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "a clone, moved"
        root.mkdir()
        for part in SOURCE.iterdir():
            if part.name not in LEFT_OUT and not part.name.startswith("build"):
                subprocess.run(["cp", "-a", part, root], check=True)
        subprocess.run(["cp", "-a", BUILD, root / "build"], check=True)
        (root / "build/.lab-ready").write_text(f"{SOURCE}\n")
        # As if ninja itself had called Meson there, after an edit of meson.build.
        with (root / "build/.ninja_log").open("a") as log:
            print(0, 1, (root / "build/build.ninja").stat().st_mtime_ns, "build.ninja", "0", sep="\t", file=log)
        before = compiled(root)
        # pyenv puts its own python first for whatever it starts; another python would be another command line.
        path = ":".join(one for one in os.environ["PATH"].split(":") if "/.pyenv/versions/" not in one)
        subprocess.run(["sh", "-c", CONFIGURE, "sh", root], check=True, env={**os.environ, "PATH": path})
        stamped = (root / "build/.lab-ready").read_text().strip()
        after = compiled(root)
        print(f"to compile before it was configured: {len(before)}, after: {len(after)}")
        if after or stamped != str(root):
            sys.exit(f"compiled again in another place: {after[:5]}; stamped {stamped}")
        done = subprocess.run([root / "build/common/cli/lab", "list"], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"the moved program does not find its course: {done.stderr}")
        (root / "common/base/nearest.cpp").touch()
        if len(compiled(root)) < 2:
            sys.exit("this test sees nothing: a touched source was not to be compiled")


main()
