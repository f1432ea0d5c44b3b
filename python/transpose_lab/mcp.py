"""`lab mcp`: the lab as a server of tools for models, over standard input and output.

Enters: requests of the Model Context Protocol, which the package `mcp` reads. Leaves: the tools check, profile, explain; solve where there are problem
files; run with --allow-run, since it starts a whole program with your rights. Kernels are judged with the compiler walled in where this machine can
(bubblewrap)."""
from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping
from typing import Any

from transpose_lab import lab
from transpose_lab.judge import Judge, LabError, error_of
from transpose_lab.problem import Problem
from transpose_lab.service import answer_solve, problems_of

SAYS = "Judges CUDA kernels on a simulated GPU, with exact counters. Sectors and wavefronts are counts, no times: a kernel with fewer is not always faster."


MOST_CHARACTERS, MOST_ITEMS = 2000, 8  # of one text, and of one list, in an answer that is not `full`


def short(value: Any) -> Any:
    """The same answer with long texts and lists cut, each with a word about what is left out."""
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        return f"{value[:MOST_CHARACTERS]} … ({len(value) - MOST_CHARACTERS} more characters)"
    if isinstance(value, list):
        left = [f"{len(value) - MOST_ITEMS} more; all with full=true"] if len(value) > MOST_ITEMS else []
        return [*map(short, value[:MOST_ITEMS]), *left]
    return {key: short(one) for key, one in value.items()} if isinstance(value, dict) else value


def chosen(whole: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """What a short answer has of a whole one; no keys: all of it."""
    return {key: short(whole[key]) for key in (*keys, "error") if key in whole} if keys else whole


def answer(judge: Judge, keys: tuple[str, ...] = (), **request: Any) -> dict[str, Any]:
    try:
        return chosen(judge.ask(**request), keys)
    except LabError as error:
        return chosen(error_of(error), keys)


def serve(problems: Mapping[str, Problem], allow_run: bool) -> None:
    from mcp.server.mcpserver import MCPServer  # the extra [mcp]
    server = MCPServer("transpose-lab", instructions=SAYS)
    walled = shutil.which("bwrap") is not None
    if not walled:
        print("lab: bubblewrap (bwrap) is not here: kernels are compiled without walls.", file=sys.stderr)
    judge = Judge(sandbox=walled)

    @server.tool()
    def check(chapter: str | int, source: str, full: bool = False) -> dict[str, Any]:
        """Judges `source`, the text of a kernel file, as the kernel of a chapter ("5"): verdict, points, findings with a remedy, totals. `full`: all
        keys of docs/json.md, counters by line too."""
        keys = () if full else ("passed", "state", "points", "points_possible", "findings", "totals", "what_if")
        return answer(judge, keys, op="check", chapter=chapter, source=source)

    @server.tool()
    def profile(source: str, rows: int = 1024, cols: int = 1024, full: bool = False) -> dict[str, Any]:
        """Runs a transpose kernel once on rows x cols floats: whether it is right, counters by line, findings with a remedy."""
        keys = () if full else ("correct", "mismatch", "findings", "totals", "lines", "output")
        return answer(judge, keys, op="profile", source=source, rows=rows, cols=cols)

    @server.tool()
    def explain(code: str) -> dict[str, Any]:
        """What the code of a finding means, and what to do."""
        return answer(judge, op="explain", code=code)

    if problems:
        tasks = "\n\n".join(f"{name}: kernel {problem.entry}. {problem.task}" for name, problem in problems.items())

        @server.tool(description=f"Judges `source`, the text of a kernel file, on drawn sizes of a problem. The same seed draws the same sizes.\n\n{tasks}")
        def solve(problem: str, source: str, seed: int | None = None, full: bool = False) -> dict[str, Any]:
            solved = answer_solve({"problem": problem, "source": source, "seed": seed}, problems, judge)
            return solved if full else chosen(solved, ("passed", "sizes", "seed", "reward", "reached", "findings"))

    if allow_run:
        @server.tool()
        def run(source: str, full: bool = False) -> dict[str, Any]:
            """Compiles and runs a whole CUDA program: what it printed, its exit code, each launch with counters and faults."""
            try:
                ran = lab.run(source if "\n" in source else source + "\n")
            except LabError as error:
                return error_of(error)
            whole = {"exit_code": ran.exit_code, "stdout": ran.stdout, "stderr": ran.stderr, "launches": [launch.json for launch in ran.launches]}
            return whole if full else short(whole)

    server.run("stdio")


def main(arguments: list[str]) -> int:
    """The words of common/ui/python.cpp."""
    parser = argparse.ArgumentParser("lab mcp")
    parser.add_argument("--problem", action="append", default=[])
    parser.add_argument("--allow-run", action="store_true")
    given = parser.parse_args(arguments)
    try:
        serve(problems_of(given.problem), given.allow_run)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 2
    return 0
