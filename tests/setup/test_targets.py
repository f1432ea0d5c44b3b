"""No two targets of one folder share a name: Meson 1.0, which Debian 12 has, takes them for one and configures nothing.

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
