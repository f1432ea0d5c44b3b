#!/usr/bin/env python3
"""Writes a stub for every symbol of the CUDA runtime that the library does not implement.

Usage: make_stubs.py 12|13 OUT.cpp SOURCE.cpp...

A stub returns cudaErrorNotSupported and says once which call is missing. marks.py says how what is implemented is marked in the sources.
"""
import pathlib
import sys

import marks


def implemented(sources: list[pathlib.Path]) -> set[str]:
    return {name for source in sources
            for name in marks.names(source.read_text(encoding="utf-8"), marks.RUNTIME, marks.NODES, marks.ALIAS)}


def main() -> None:
    version, (target, *sources) = sys.argv[1], map(pathlib.Path, sys.argv[2:])
    folder = pathlib.Path(__file__).resolve().parent
    tables = ["symbols.txt"] + (["symbols_12.txt"] if version == "12" else [])
    names = [name for table in tables for name in (folder / table).read_text(encoding="utf-8").split()]
    done = implemented(sources)
    missing = [name for name in names if name not in done]
    lines = ["// Made by make_stubs.py. The runtime reserves names that begin with two underscores.",
             "// NOLINTBEGIN(bugprone-reserved-identifier)", '#include "common/cudart/missing.h"', ""]
    lines += [f'extern "C" __attribute__((visibility("default"))) int {name}() '
              f'{{ return lab::cudart::missing("{name}"); }}' for name in missing]
    lines.append("// NOLINTEND(bugprone-reserved-identifier)")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
