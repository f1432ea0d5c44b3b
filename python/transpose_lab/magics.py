"""%load_ext transpose_lab: the lab in cells.

Enters: cells. Leaves: %%lab_check 5 judges the cell as the kernel of a chapter, %%lab_profile counts one launch of it, %%lab_run runs it as a whole
program (CUDA C++, or --python), %%lab_cell runs it here and shows the launches that it made on the simulated GPU of this Python."""
from __future__ import annotations

import os
import shlex
import sys
import tempfile
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import SVG

from transpose_lab import gpu, lab, program
from transpose_lab.judge import LabError
from transpose_lab.results import Result


def _failed(error: LabError) -> None:
    """A kernel that does not compile is no traceback."""
    print(error, file=sys.stderr)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{line.strip()}: {error}.") from None


def _shown(result: Result, page: bool) -> Result:
    if page:
        result.below = result.page
    return result


@magics_class
class LabMagics(Magics):
    """The result of each cell is its value: `_` holds it."""

    @magic_arguments()
    @argument("chapter", help="number or name of the chapter")
    @argument("--page", action="store_true", help="the step-through page below the card")
    @cell_magic
    def lab_check(self, line: str, cell: str) -> Any:
        """Judges the cell as the kernel of a chapter: %%lab_check 5"""
        words = parse_argstring(self.lab_check, line)
        try:
            return _shown(lab.check(words.chapter, cell), words.page)
        except LabError as error:
            return _failed(error)

    @magic_arguments()
    @argument("--rows", type=int, default=1024)
    @argument("--cols", type=int, default=1024)
    @argument("--elem-bytes", type=int)
    @argument("--block", help="32x8")
    @argument("--tile", help="32x32")
    @argument("--entry", help="the kernel of that name")
    @argument("--page", action="store_true", help="the step-through page below the counters")
    @cell_magic
    def lab_profile(self, line: str, cell: str) -> Any:
        """Runs a transpose once and counts: %%lab_profile --rows 512 --cols 512"""
        words = parse_argstring(self.lab_profile, line)
        try:
            result = lab.profile(cell, words.rows, words.cols, elem_bytes=words.elem_bytes, block=words.block, tile=words.tile, entry=words.entry)
            return _shown(result, words.page)
        except LabError as error:
            return _failed(error)

    @cell_magic
    def lab_run(self, line: str, cell: str) -> Any:
        """Runs the cell as a program of its own: %%lab_run --gpu a100 -- its arguments, %%lab_run --python"""
        words, _, arguments = line.partition("--" if line.strip() == "--" else " -- ")
        options = _words(words)
        python = "--python" in options
        if python:
            options.remove("--python")
        with tempfile.TemporaryDirectory(prefix="lab-cell-") as folder:
            file = os.path.join(folder, "cell.py" if python else "cell.cu")
            with open(file, "w", encoding="utf-8") as out:
                out.write(cell)
            program = [sys.executable, file] if python else [file]
            behind = _words(arguments)
            try:
                return lab.run(*program, *([*behind] if python else ["--", *behind] if behind else []), options=tuple(options))
            except LabError as error:
                return _failed(error)

    @line_magic
    def lab_gpu(self, line: str) -> None:
        """Makes CUDA in this Python the simulated GPU, before numba is imported: %lab_gpu, %lab_gpu a100"""
        try:
            gpu.simulate(line.strip() or "h200")
        except LabError as error:
            raise UsageError(str(error)) from None

    @line_magic
    def lab_picture(self, line: str) -> SVG:
        """A picture of a lesson: %lab_picture 05_padding/one_more_column.svg"""
        chapters = program.course() / "chapters"
        name = line.partition("#")[0].strip()
        if name not in (names := [str(file.relative_to(chapters)) for file in sorted(chapters.glob("*/*.svg"))]):
            raise UsageError(f"There is no picture {name!r}. There are: {', '.join(names)}.")
        return SVG(filename=str(chapters / name))

    @cell_magic
    def lab_cell(self, line: str, cell: str) -> Any:
        """Runs the cell here and shows the launches that it made: %%lab_cell"""
        if line.strip():
            raise UsageError("%%lab_cell takes no words.")
        gpu.simulate()
        gpu.launches()  # those of earlier cells
        assert self.shell is not None
        done = self.shell.run_cell(cell)
        if done.error_before_exec or done.error_in_exec:
            return None  # the traceback stands there
        return gpu.launches()
