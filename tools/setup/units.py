"""Makes Meson's units (several sources in one file) name their sources from where they lie, not from the root of the disk.

Enters: the build folder, just configured. Leaves: units that a moved or copied clone need not compile again:
one whose text is what it was keeps its time. Meson writes absolute paths, which would also stand in the compiler's lists."""
import json
import os
import pathlib
import re
import sys


def from_here(unit: pathlib.Path, text: str) -> str:
    return re.sub(r"#include<([^>]+)>", lambda m: f'#include "{os.path.relpath(m[1], unit.parent)}"', text)


build = pathlib.Path(sys.argv[1])
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
