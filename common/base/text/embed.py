"""Turns a catalogue into a C++ table, sorted by the English form, so that the program needs no file and no parsing at its start.

Enters: the .po file, the header to write. Leaves: the header. Entries without a translation are left out: their English stands."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import po  # noqa: E402

source, target = sys.argv[1:]
_, entries = po.read(pathlib.Path(source).read_text(encoding="utf-8"), source)


def literal(text):
    out = ""
    for byte in text.encode():
        out += chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
    return f'"{out}"sv'  # which has its length: counting all of them is too much for the constant evaluator of clang


rows = [f"    {{{literal(e.english)}, {literal(e.translation)}}},"
        for e in sorted(entries, key=lambda e: e.english.encode()) if e.translation]
pathlib.Path(target).write_text(
    "\n".join(["#pragma once", "", "#include <string_view>", "", "namespace lab::text {", "", "using namespace std::string_view_literals;", "",
               f"inline constexpr Entry kChinese[{len(rows)}] = {{", *rows, "};", "", "}  // namespace lab::text", ""]),
    encoding="utf-8")
