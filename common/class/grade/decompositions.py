"""Writes the letters that Unicode takes apart ("é" is "e" and an accent) as a C++ header.

Enters: the header to write. Leaves: the header. Korean syllables follow a rule and are not in it; nor are compatibility ideographs."""
import pathlib
import sys
import unicodedata

lines = ["#pragma once", "#include <array>", "", "namespace lab::grade {", "struct Decomposition { char32_t letter; const char* parts; };"]
entries = []
for code in [*range(0x80, 0xAC00), *range(0xFB00, 0xFFFF)]:
    parts = unicodedata.normalize("NFD", chr(code))
    if parts != chr(code):
        entries.append(f'  {{0x{code:04X}, "' + "".join(f"\\x{byte:02X}" for byte in parts.encode()) + '"},')
lines += [f"inline constexpr std::array<Decomposition, {len(entries)}> kDecompositions = {{{{", *entries, "}};", "}  // namespace lab::grade", ""]
pathlib.Path(sys.argv[1]).write_text("\n".join(lines), encoding="utf-8")
