"""The command `lab` of the pip package.

Enters: a command line. Leaves: `lab init FOLDER` lays the course into a folder; any other command becomes the built program, told by its
environment where the course is (the folder of the student, or the package itself) and where pip put the kernel compiler.
"""
import os
import shutil
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
COURSE = PACKAGE / "course"
PROGRAM = PACKAGE / "common" / "cli" / "lab"
PART_OF_ANY_COURSE = Path("common/kernel/lab.cuh")
INIT_HELP = """Lays the course into a new folder: lessons, kernels to write, reference solutions.
Usage: lab init [FOLDER]

  FOLDER    default: transpose-lab

Then: cd FOLDER && lab check 1"""


def course_above(folder: Path) -> Path | None:
    """The course that a folder lies in."""
    return next((above for above in (folder, *folder.parents) if (above / PART_OF_ANY_COURSE).is_file()), None)


def init(arguments: list[str]) -> int:
    if any(word in ("-h", "--help") for word in arguments):
        print(INIT_HELP)
        return 0
    if len(arguments) > 1 or any(word.startswith("-") for word in arguments):
        print("lab: init takes one folder: lab init my-course", file=sys.stderr)
        return 2
    folder = Path(arguments[0] if arguments else "transpose-lab")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        print(f"lab: {folder} is there already, and not empty. Name a new folder: lab init my-course", file=sys.stderr)
        return 2
    try:
        shutil.copytree(COURSE, folder, dirs_exist_ok=True)
        start = folder / "lab"  # what the lessons write: ./lab check 1
        start.write_text('#!/bin/sh\nexec lab "$@"\n', encoding="utf-8")
        start.chmod(0o755)
    except OSError as error:
        print(f"lab: {error.filename or folder} cannot be written: {error.strerror}. Name a folder of yours: lab init my-course", file=sys.stderr)
        return 3
    print(f"The course is in {folder}. Next: cd {folder} && lab check 1")
    return 0


def toolkits() -> str:
    """Folders in which the program looks for CUDA's compilers: the usual ones, then what pip installed."""
    usual = os.environ.get("LAB_CUDA_SEARCH", "/usr/local/cuda:/opt/cuda")
    packages = sorted(path for place in sys.path if place for path in Path(place, "nvidia").glob("cu*") if path.is_dir())
    return ":".join([usual, *map(str, packages)])


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["init"]:
        return init(arguments[1:])
    environment = dict(os.environ, LAB_CUDA_SEARCH=toolkits())
    if "LAB_ROOT" not in environment:
        environment["LAB_ROOT"] = str(course_above(Path.cwd()) or COURSE)
    os.execve(PROGRAM, [str(PROGRAM), *arguments], environment)


if __name__ == "__main__":
    sys.exit(main())
