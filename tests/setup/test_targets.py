"""No two targets of one folder share a name: Meson 1.0, which Debian 12 has, takes them for one and configures nothing.
Each test in Python is run: a file that no meson.build names would be forgotten.

Enters: the build folder. Leaves: exit 1 with the names."""
import collections
import json
import pathlib
import sys

targets = json.loads((pathlib.Path(sys.argv[1]) / "meson-info/intro-targets.json").read_text())
places = collections.Counter((one["defined_in"], one["name"], one["type"]) for one in targets)
twice = [f"{name} ({kind}) in {place}" for (place, name, kind), count in places.items() if count > 1]
if len(targets) < 50 or twice:
    sys.exit(f"{len(targets)} targets; of one name: {twice}")

run = {pathlib.Path(word).name for test in json.loads((pathlib.Path(sys.argv[1]) / "meson-info/intro-tests.json").read_text()) for word in test["cmd"]}
forgotten = [str(file) for file in pathlib.Path(__file__).parents[1].rglob("test_*.py") if file.name not in run]
if forgotten:
    sys.exit(f"tests that Meson does not run: {forgotten}")
