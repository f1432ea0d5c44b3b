"""What the built program leaves to Python: `check --problem`, `judge --problem`, `mcp`.

Enters: `python -m transpose_lab.commands WORDS`, from common/ui/python.cpp, which has checked them. Leaves: an exit code."""
import sys
from collections.abc import Callable

from transpose_lab import mcp, problem, service
from transpose_lab.judge import missing

COMMANDS: dict[str, Callable[[list[str]], int]] = {"check": problem.main, "judge": service.main, "mcp": mcp.main}


def main() -> int:
    try:
        return COMMANDS[sys.argv[1]](sys.argv[2:])
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("transpose_lab"):
            raise
        print(f"lab: {missing(error.name).message}\n{missing(error.name).remedy}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
