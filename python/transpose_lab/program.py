"""Where the built program and the course are, and how the program is started.

Enters: where this package lies: installed by pip, or in `python/` of a clone. Leaves: a command line and an environment.
LAB_PROGRAM names another program, for tests."""
from __future__ import annotations

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
INSTALLED_COURSE = PACKAGE / "course"
PART_OF_ANY_COURSE = Path("common/kernel/lab.cuh")


def is_installed() -> bool:
    """False in a clone."""
    return INSTALLED_COURSE.is_dir()


def course_above(folder: Path) -> Path | None:
    """The course that a folder lies in."""
    return next((above for above in (folder, *folder.parents) if (above / PART_OF_ANY_COURSE).is_file()), None)


def course() -> Path:
    """That of the working folder, else the one that came with this package."""
    return course_above(Path.cwd()) or (INSTALLED_COURSE if is_installed() else PACKAGE.parents[1])


def program() -> Path:
    """`lab`: the built program, lab.wasm where the package is for any system, or the script of a clone, which builds it."""
    if named := os.environ.get("LAB_PROGRAM"):
        return Path(named)
    if not is_installed():
        return PACKAGE.parents[1] / "lab"
    return practice if (practice := PACKAGE / "lab.wasm").exists() else PACKAGE / "common/cli/lab"


def built(room: str) -> Path:
    """The folder of a room of `common/` in which what is built of it lies."""
    if named := os.environ.get("LAB_PROGRAM"):
        return Path(named).resolve().parents[1] / room
    if is_installed():
        return PACKAGE / "common" / room
    return Path(os.environ.get("LAB_BUILD_DIR", PACKAGE.parents[1] / "build")) / "common" / room


def toolkits() -> str:
    """Folders in which the program looks for CUDA's compilers: the usual ones, then what pip installed."""
    usual = os.environ.get("LAB_CUDA_SEARCH", "/usr/local/cuda:/opt/cuda")
    packages = sorted(path for place in sys.path if place for path in Path(place, "nvidia").glob("cu*") if path.is_dir())
    return ":".join([usual, *map(str, packages)])


def nvrtc() -> str:
    """NVRTC's library; "" where there is none."""
    folders = [Path(folder, place) for folder in toolkits().split(":") for place in ("lib64", "lib")]
    return next((str(folder / "libnvrtc.so.13") for folder in folders if (folder / "libnvrtc.so.13").exists()), "")


def cache() -> Path:
    """Where what packages compile for the simulated GPU is kept: apart from what they compile for a real one."""
    return Path(os.environ.get("LAB_CACHE_DIR") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "transpose-lab")


def environment() -> dict[str, str]:
    """What the program reads besides its words."""
    chosen = dict(os.environ, LAB_CUDA_SEARCH=toolkits())
    chosen.setdefault("LAB_ROOT", str(course()))
    return chosen
