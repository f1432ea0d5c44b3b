"""What the browser's page is compiled from, by the lists of the build folder: no Emscripten needed.

Enters: LAB_BUILD, a configured build folder. Leaves: exit code 0 or 1."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/browser")]
import wasm  # noqa: E402

MAIN = ROOT / "common/cli/main.cpp"


def main():
    build = pathlib.Path(os.environ["LAB_BUILD"]).resolve()
    units = wasm.units(build)
    files = [path.resolve() for _, paths, _ in units for path in paths]
    mains = [path for path in files if re.search(r"^int main\(", path.read_text(encoding="utf-8"), re.MULTILINE)]
    assert mains == [MAIN], f"the page has one main, that of {MAIN}, and is compiled from {mains}"
    twice = {path for path in files if files.count(path) > 1}
    assert not twice, f"compiled twice into the page: {twice}"
    targets = {name.rpartition("_")[0] for name, _, _ in units}
    lacking = wasm.linked_targets(build) - targets
    assert not lacking, f"{wasm.LIKE} is linked from these libraries, and nothing of them is in the page: {lacking}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
