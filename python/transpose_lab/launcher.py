"""The command `lab` of the pip package.

Enters: a command line. Leaves: `lab init FOLDER` lays the course into a folder; any other command becomes the built program, which learns from its
environment where the course is, where pip put the kernel compiler, and which Python has this package.
"""
import os
import shutil
import sys
from pathlib import Path

from transpose_lab import program

INIT_HELP = """Lays the course into a new folder: lessons, kernels to write, reference solutions.
Usage: lab init [FOLDER]

  FOLDER    default: transpose-lab

Then: cd FOLDER && lab check 1"""


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
        shutil.copytree(program.INSTALLED_COURSE, folder, dirs_exist_ok=True)
        start = folder / "lab"  # what the lessons write: ./lab check 1
        start.write_text('#!/bin/sh\nexec lab "$@"\n', encoding="utf-8")
        start.chmod(0o755)
        if os.name == "nt":  # the same words in PowerShell; `lab` would find this file again
            (folder / "lab.cmd").write_text("@transpose-lab %*\n", encoding="utf-8")
    except OSError as error:
        print(f"lab: {error.filename or folder} cannot be written: {error.strerror}. Name a folder of yours: lab init my-course", file=sys.stderr)
        return 3
    print(f"The course is in {folder}. Next: cd {folder} && lab check 1")
    return 0


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["init"]:
        return init(arguments[1:])
    built = program.program()
    if built.suffix == ".wasm":
        from transpose_lab import practice
        return practice.main(built, arguments)
    os.execve(built, [str(built), *arguments], {"LAB_PYTHON": sys.executable, **program.environment()})


if __name__ == "__main__":
    sys.exit(main())
