"""Writes the names of months and days in many languages as a C++ header.

Enters: month_names.tsv (the names as Unicode's CLDR has them), the header to write. Leaves: the header."""

import json
import pathlib
import sys


def texts(words: str) -> str:
    return "{" + ", ".join(json.dumps(word, ensure_ascii=False) for word in words.split("|")) + "}"


table, header = map(pathlib.Path, sys.argv[1:])
rows = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:]]
lines = [
    "#pragma once",
    "#include <array>",
    "",
    "namespace lab::grade {",
    "struct LanguageNames {",
    "  std::array<const char*, 12> months, alone;",
    "  std::array<const char*, 7> days;",
    "  std::array<const char*, 2> halves;",
    "};",
    f"inline constexpr std::array<LanguageNames, {len(rows)}> kLanguageNames = {{{{",
]
for _, months, alone, days, halves in rows:
    lines.append(f"  {{{texts(months)}, {texts(alone or months)}, {texts(days)}, {texts(halves)}}},")
lines += ["}};", "}  // namespace lab::grade", ""]
header.write_text("\n".join(lines), encoding="utf-8")
