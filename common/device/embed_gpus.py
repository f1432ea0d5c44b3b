#!/usr/bin/env python3
"""Writes the GPU descriptions of data/gpus into a C++ header, as text.

Usage: embed_gpus.py FILE.toml... OUT.h
"""
import pathlib
import sys


def main() -> None:
    *sources, target = map(pathlib.Path, sys.argv[1:])
    rows = [f'    {{"{s.stem}", R"toml({s.read_text(encoding="utf-8")})toml"}},' for s in sources]
    target.write_text("// Made by embed_gpus.py.\n#pragma once\nnamespace lab::cudart {\n"
                      "struct GpuText {\n  const char* name;\n  const char* toml;\n};\n"
                      "inline constexpr GpuText kGpuTexts[] = {\n" + "\n".join(rows) +
                      "\n};\n}  // namespace lab::cudart\n", encoding="utf-8")


main()
