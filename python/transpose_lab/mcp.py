"""`lab mcp`: the lab as a server of tools for models, over standard input and output.

Enters: requests of the Model Context Protocol, which the package `mcp` reads. Leaves: four tools: check, profile, run, explain. Kernels are judged
with the compiler walled in where this machine can (bubblewrap); `run` starts a whole program with the rights of this one, and so is there only
with --allow-run."""
from __future__ import annotations

import json
import shutil
import sys
from typing import Any

from transpose_lab import lab
from transpose_lab.judge import Judge, LabError

HELP = """Serves tools to models by the Model Context Protocol, over standard input and output: check, profile, explain.
Usage: lab mcp [--allow-run]

  --allow-run    the tool run, too: whole programs, with your rights and no walls

Needs: pip install "transpose-lab[mcp]"
"""
SAYS = "Judges CUDA kernels on a simulated GPU, with exact counters. Sectors and wavefronts are counts, no times: a kernel with fewer is not always faster."


def answer(judge: Judge, **request: Any) -> dict[str, Any]:
    """An error is an answer: the model reads it and tries again."""
    try:
        return judge.ask(**request)
    except LabError as error:
        return {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}


def serve(allow_run: bool) -> None:
    from mcp.server.mcpserver import MCPServer  # the extra [mcp]
    server = MCPServer("transpose-lab", instructions=SAYS)
    judge = Judge(sandbox=shutil.which("bwrap") is not None)

    @server.tool()
    def check(chapter: str, source: str) -> dict[str, Any]:
        """Judges `source`, the text of a kernel file, as the kernel of a chapter ("5"): verdict, points, counters by line, findings with a remedy."""
        return answer(judge, op="check", chapter=chapter, source=source)

    @server.tool()
    def profile(source: str, rows: int = 1024, cols: int = 1024) -> dict[str, Any]:
        """Runs a transpose kernel once on rows x cols floats: whether it is right, counters by line, findings with a remedy."""
        return answer(judge, op="profile", source=source, rows=rows, cols=cols)

    @server.tool()
    def explain(code: str) -> dict[str, Any]:
        """What the code of a finding means, and what to do."""
        return answer(judge, op="explain", code=code)

    if allow_run:
        @server.tool()
        def run(source: str) -> dict[str, Any]:
            """Compiles and runs a whole CUDA program: what it printed, its exit code, each launch with counters and faults."""
            try:
                ran = lab.run(source if "\n" in source else source + "\n")
            except LabError as error:
                return {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}
            return {"exit_code": ran.exit_code, "stdout": ran.stdout, "stderr": ran.stderr, "launches": [launch.json for launch in ran.launches]}

    server.run("stdio")


def main(arguments: list[str]) -> int:
    if any(word in ("-h", "--help") for word in arguments):
        print(HELP, end="")
        return 0
    if set(arguments) - {"--allow-run"}:
        print(f"lab: mcp takes --allow-run alone, not {json.dumps(arguments)}. See: lab mcp --help", file=sys.stderr)
        return 2
    try:
        serve("--allow-run" in arguments)
    except ImportError:
        print('lab: the package mcp is not here. Run: pip install "transpose-lab[mcp]"', file=sys.stderr)
        return 3
    return 0
