"""Makes Meson's units (several sources in one file) name their sources from where they lie, not from the root of the disk.

Enters: the build folder, just configured; the name of ninja, where one is. Leaves: units that a moved or copied clone need
not compile again: one whose text is what it was keeps its time. Meson writes absolute paths, which would also stand in the
compiler's lists: an object made of them in another place is removed, for edits of the sources here would not be seen."""
import json
import os
import pathlib
import re
import subprocess
import sys


def from_here(unit: pathlib.Path, text: str) -> str:
    return re.sub(r"#include<([^>]+)>", lambda m: f'#include "{os.path.relpath(m[1], unit.parent)}"', text)


def made_elsewhere(build: pathlib.Path, ninja: str) -> set[str]:
    """Objects whose list of sources names files of this course where they lie in another place."""
    lists = subprocess.run([ninja, "-C", build, "-t", "deps"], capture_output=True, text=True).stdout
    found = set()
    for line in lists.splitlines():
        if not line.startswith(" "):
            made = line.split(":")[0]
            continue
        own = re.search(r"/(?:common|chapters|tests)/.*", line)
        path = line.strip()
        if own and path.startswith("/") and not path.startswith(f"{ROOT}/") and (ROOT / own[0][1:]).exists():
            found.add(made)
    return found


ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1])
if len(sys.argv) > 2:
    for made in made_elsewhere(build, sys.argv[2]):
        (build / made).unlink(missing_ok=True)
known_file = build / "units.json"
known = json.loads(known_file.read_text()) if known_file.exists() else {}
units = {}
for unit in sorted(build.glob("**/*-unity*.cpp")):
    as_written = unit.read_text()
    text = from_here(unit, as_written)
    name = str(unit.relative_to(build))
    same = known.get(name, {}).get("text") == text
    if text != as_written:
        unit.write_text(text)
    if same:
        os.utime(unit, ns=(known[name]["ns"],) * 2)
    units[name] = {"text": text, "ns": unit.stat().st_mtime_ns}
known_file.write_text(json.dumps(units))
