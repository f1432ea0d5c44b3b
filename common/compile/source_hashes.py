"""Fingerprints of the sources that decide a verdict, as a C++ header.

Enters: NAME=FOLDER-OR-FILE[,…] words, then the header to write and its depfile. Leaves: one SHA-256 a
name over the names and contents of its .cpp and .h files, so that two programs built from the same sources agree
on every machine."""
import hashlib
import os
import pathlib
import sys

*groups, header, depfile = sys.argv[1:]
root = pathlib.Path(__file__).resolve().parents[2]
lines = ["#pragma once", "", "namespace lab::compile {", ""]
depends = []
for group in groups:
    name, places = group.split("=")
    files = []
    for place in places.split(","):
        path = root / place
        files += [path] if path.is_file() else [p for p in path.rglob("*") if p.suffix in (".cpp", ".h")]
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda p: p.relative_to(root).as_posix()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
        depends.append(os.path.relpath(path))  # no place of this machine: a clone may move
    lines.append(f'inline constexpr const char* {name} = "{digest.hexdigest()}";')
lines += ["", "}  // namespace lab::compile", ""]
pathlib.Path(header).write_text("\n".join(lines), encoding="utf-8")
pathlib.Path(depfile).write_text(header + ": " + " ".join(p.replace(" ", "\\ ") for p in depends) + "\n", encoding="utf-8")
