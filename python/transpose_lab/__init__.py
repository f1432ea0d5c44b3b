"""Transpose Lab: learn GPU memory performance by writing one kernel, faster each time. `lab init my-course` begins.

From Python: check(5, source), profile(source), launch(source, grid, block, *arrays), run("program.cu"), run_ptx(text, grid, block, arrays);
in a notebook %load_ext transpose_lab."""
from typing import Any

from transpose_lab.gpu import launches, simulate
from transpose_lab.judge import LabError
from transpose_lab.lab import check, explain, launch, profile, run
from transpose_lab.ptx import PtxError, PtxModule, run_ptx
from transpose_lab.results import Check, Finding, Launch, Line, Page, Profile, Run

__all__ = ["Check", "Finding", "LabError", "Launch", "Line", "Page", "Profile", "PtxError", "PtxModule", "Run", "check", "explain", "launch", "launches",
           "profile", "run", "run_ptx", "simulate"]


def load_ipython_extension(shell: Any) -> None:
    """%load_ext transpose_lab"""
    from transpose_lab.magics import LabMagics
    shell.register_magics(LabMagics)
