#!/usr/bin/env python3
"""Reads chapters/chapters.toml, the one list of chapters, for the build.

Enters: that file. Leaves: with `names` the chapters' names, one a line, for Meson; with `table` a C++ table of them
(common/course/judge/chapter_list.cpp includes it). A mistake in the list is named, and ends with exit code 1.
"""

import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "chapters/chapters.toml"
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class ListError(Exception):
    """A mistake in the list, in a whole sentence."""


def text_of(chapter: str, table: dict, key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise ListError(f"[{chapter}] needs {key} = \"…\", one line of text.")
    return value


def removes_of(name: str, entry: dict) -> list[str]:
    """The waste that it removes, in English and Chinese; empty where the list does not say."""
    words = entry.get("removes", [])
    if not isinstance(words, list) or len(words) not in (0, 2) or not all(isinstance(one, str) and one for one in words):
        raise ListError(f'[{name}] removes is two texts, English and Chinese: ["bank conflicts", "存储体冲突"].')
    return words


def place_of(name: str, entry: dict) -> dict:
    """Its place on the way: what it needs, how long it takes, which matrices it takes, whether it needs Hopper's instructions."""
    needs, minutes, hopper = entry.get("needs", []), entry.get("minutes", 0), entry.get("hopper", False)
    row_bytes = entry.get("row_bytes")  # None: the lesson says nothing of it
    if not isinstance(needs, list) or not all(isinstance(one, str) for one in needs):
        raise ListError(f'[{name}] needs is a list of chapters: ["05_padding"].')
    if not isinstance(minutes, int) or isinstance(minutes, bool) or minutes < 0:
        raise ListError(f"[{name}] minutes is a number of minutes.")
    if not isinstance(hopper, bool):
        raise ListError(f"[{name}] hopper is true or false.")
    if row_bytes not in (None, 1, 16):
        raise ListError(f"[{name}] row_bytes is 1 or 16.")
    what_if = entry.get("what_if", ["padding", "xor"])
    if not isinstance(what_if, list) or not set(what_if) <= {"padding", "xor"}:
        raise ListError(f'[{name}] what_if is a list of layouts: ["padding", "xor"].')
    return {"needs": needs, "minutes": minutes, "row_bytes": row_bytes, "hopper": hopper, "what_if": what_if}


def checked(name: str, entry: object) -> dict:
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", name):
        raise ListError(f"[{name}] is no chapter's name: two digits, then words of small letters, as in 05_padding.")
    if not isinstance(entry, dict):
        raise ListError(f"{name} must be a table: [{name}].")
    if unknown := set(entry) - {"idea", "removes", "needs", "minutes", "row_bytes", "hopper", "skeleton", "former_titles", "what_if", "entry", "measured"}:
        raise ListError(f"[{name}] has {sorted(unknown)[0]}, which means nothing here.")
    skeleton = entry.get("skeleton")
    if not isinstance(skeleton, dict) or set(skeleton) != {"case", "code"}:
        raise ListError(f'[{name}] needs skeleton = {{ case = "ID", code = "DIAGNOSIS" }}.')
    measured = entry.get("measured", {})
    if not isinstance(measured, dict) or not set(measured) <= {"elem_bytes", "gpus"} or not all(type(one) is int for one in measured.values()):
        raise ListError(f"[{name}] measured is a table of numbers: {{ elem_bytes = 2 }} or {{ gpus = 2 }}.")
    former = entry.get("former_titles", {})
    if not isinstance(former, dict):
        raise ListError(f'[{name}] former_titles is a table: {{ "old title" = "id" }}.')
    for what in [*skeleton.values(), *former.values()]:
        if not isinstance(what, str) or not ID.fullmatch(what):
            raise ListError(f"[{name}] {what!r} is no id: small letters and digits, with dashes between words.")
    return {"name": name, "idea": text_of(name, entry, "idea"), "case": skeleton["case"], "code": skeleton["code"],
            "removes": removes_of(name, entry), "former_titles": former, "measured": measured,
            "entry": text_of(name, {"entry": "transpose", **entry}, "entry"), **place_of(name, entry)}


def read(path: pathlib.Path = LIST) -> list[dict]:
    """The chapters, in their order: name, idea, removes, case, code, former_titles, needs, minutes, row_bytes, hopper, what_if."""
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ListError(f"{error}.") from error
    chapters = [checked(name, entry) for name, entry in listed.items()]
    numbers = [chapter["name"][:2] for chapter in chapters]
    if not chapters:
        raise ListError("There is no chapter in it.")
    if numbers != sorted(set(numbers)):
        raise ListError("The numbers of the chapters must rise from one to the next.")
    for at, chapter in enumerate(chapters):
        for need in chapter["needs"]:
            if need not in [earlier["name"] for earlier in chapters[:at]]:
                raise ListError(f"[{chapter['name']}] needs {need}, which is no earlier chapter.")
    return chapters


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def table(chapters: list[dict]) -> str:
    def word(value: bool) -> str:
        return "true" if value else "false"

    lines = ["// Made by tools/chapters.py from chapters/chapters.toml.", "constexpr ChapterInfo kChapters[] = {"]
    for c in chapters:
        removes = ", ".join(quoted(one) for one in c["removes"] or ["", ""])
        measured = "".join(f", .{key} = {value}" for key, value in sorted(c["measured"].items()))
        lines.append(f"    {{.name = {quoted(c['name'])}, .idea = {quoted(c['idea'])}, .removes = {{{removes}}}, "
                     f".measured = {{.rows = 1024, .cols = 1024{measured}}}, .entry = {quoted(c['entry'])}, .skeleton_case = {quoted(c['case'])}, "
                     f".skeleton_code = {quoted(c['code'])}, .row_bytes = {c['row_bytes'] or 1}, .needs = {quoted(' '.join(c['needs']))}, "
                     f".minutes = {c['minutes']}, .offers_padding = {word('padding' in c['what_if'])}, "
                     f".offers_xor = {word('xor' in c['what_if'])}, .hopper = {word(c['hopper'])}}},")
    former = [f"    FormerTitle{{{quoted(c['name'])}, {quoted(title)}, {quoted(case)}}},"
              for c in chapters for title, case in c["former_titles"].items()]
    lines += ["};", f"constexpr std::array<FormerTitle, {len(former)}> kFormerTitles = {{", *former, "};", ""]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    try:
        if arguments == ["names"]:
            print("\n".join(chapter["name"] for chapter in read()))
        elif len(arguments) == 2 and arguments[0] == "table":
            target, text = pathlib.Path(arguments[1]), table(read())
            if not target.exists() or target.read_text(encoding="utf-8") != text:  # nothing is compiled again for the same list
                target.write_text(text, encoding="utf-8")
        else:
            print("Usage: tools/chapters.py names | table OUT", file=sys.stderr)
            return 2
    except ListError as error:
        print(f"{LIST.relative_to(ROOT)}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
