"""What the built program leaves to Python: `check --problem`, `judge --problem`, `mcp`.

Enters: `python -m transpose_lab.commands WORDS`, from common/cli/python.cpp, which has checked them. Leaves: an exit code."""
import sys
from collections.abc import Callable

from transpose_lab import mcp, problem, service

COMMANDS: dict[str, Callable[[list[str]], int]] = {"check": problem.main, "judge": service.main, "mcp": mcp.main}


def main() -> int:
    return COMMANDS[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
