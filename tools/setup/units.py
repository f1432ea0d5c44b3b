"""Makes Meson's units (several sources in one file) name their sources from the course on, not from the root of the disk.

Enters: the build folder and the course, just configured. Leaves: units that a moved or copied clone need not compile again:
one whose text is what it was keeps its time. Meson writes absolute paths, which would also stand in the compiler's lists."""
import json
import os
import pathlib
import sys

build, root = (pathlib.Path(one) for one in sys.argv[1:3])
known_file = build / "units.json"
known = json.loads(known_file.read_text()) if known_file.exists() else {}
units = {}
for unit in sorted(build.glob("**/*-unity*.cpp")):
    text = unit.read_text()
    for place in {str(root), os.path.realpath(root)}:
        text = text.replace(f"#include<{place}/", "#include<")
    name = str(unit.relative_to(build))
    same = known.get(name, {}).get("text") == text
    if text != unit.read_text():
        unit.write_text(text)
    if same:
        os.utime(unit, ns=(known[name]["ns"],) * 2)
    units[name] = {"text": text, "ns": unit.stat().st_mtime_ns}
known_file.write_text(json.dumps(units))
