"""Turns text files into a C++ header, one string constant each.

Enters: paths of files, last the header to write. Leaves: the header."""
import pathlib
import sys

*sources, target = sys.argv[1:]
lines = ["#pragma once", "#include <string>", "", "namespace lab::grade {", ""]
for source in sources:
    path = pathlib.Path(source)
    text = path.read_text(encoding="utf-8")
    if ')PAGE"' in text or len(text) > 16000:
        sys.exit(f"{source} is too long, or holds the end mark of the literal")
    name = "kFile" + "".join(part.capitalize() for part in path.name.replace("_", ".").split("."))
    lines.append(f'inline const std::string {name} = R"PAGE({text})PAGE";')
lines += ["", "}  // namespace lab::grade", ""]
pathlib.Path(target).write_text("\n".join(lines), encoding="utf-8")
