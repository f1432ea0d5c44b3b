"""Who may include whom: every #include of common/ against common/rooms.toml, and the table in docs/design.md against the same.

The rule is tried on planted trees first: an include that runs up, circles of files, stages and rooms, a library in the simulator.
Beside it: nothing of the standard library that Debian's Emscripten lacks, which would be found only when the pages are built."""

import pathlib
import re
import sys
import tempfile
import unittest
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import rooms as table_of_rooms  # noqa: E402

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
NEWER = re.compile(r"\bstd::ranges::\w+")  # libc++ 14 of Emscripten 3.1.6 has no algorithms over ranges
SOURCES = {".h", ".cpp", ".cuh", ".cu", ".inc"}
Arrow = tuple[str, str]


class Rooms:
    """The table, and what it forbids."""

    def __init__(self, table: dict) -> None:
        self.floors: list[list[str]] = table["floors"]
        self.stages: dict[str, list[list[str]]] = table.get("stages", {})
        self.alone: dict[str, list[str]] = table.get("alone", {})
        self.one_file: dict[str, list[str]] = table.get("one_file", {})

    @staticmethod
    def level(levels: list[list[str]], name: str) -> int | None:
        return next((i for i, names in enumerate(levels) if name in names), None)

    def room_of(self, path: pathlib.PurePosixPath) -> str:
        return table_of_rooms.room_of(str(path)) or path.parts[1]

    def stage_of(self, path: pathlib.PurePosixPath) -> str:
        inside = path.relative_to("common/" + self.room_of(path)).parts
        return inside[0] if len(inside) > 1 else "door"

    def wrong(self, path: pathlib.PurePosixPath, quote: str, target: str) -> str:
        """Why this include is not allowed; "" when it is."""
        room = self.room_of(path)
        if str(path) not in self.one_file.get(target, [str(path)]):
            return f"that is for {self.one_file[target][0]} alone" if self.one_file[target] else "it costs seconds of every build"
        if target.startswith(("tests/", "tools/")):
            return "nothing in common/ includes tests/ or tools/"
        if not target.startswith("common/"):
            own = quote == '"' and (ROOT / path.parent / target).exists()
            standard = quote == "<" and re.fullmatch(r"[a-z_]+", target)
            if room in self.alone and not own and not standard and target not in self.alone[room]:
                return f"{room} stands alone: it includes itself and the standard library"
            return ""
        other = pathlib.PurePosixPath(target)
        there_room = self.room_of(other)
        here, there = self.level(self.floors, room), self.level(self.floors, there_room)
        if here is None or there is None:
            return f"{room if here is None else there_room} is no room of common/rooms.toml"
        if room in self.alone and there_room != room and target not in self.alone[room]:
            return f"{room} stands alone: it includes itself and the standard library"
        if there > here:
            return f"{room} is below {there_room}"
        if room == there_room and room in self.stages:
            from_stage, to_stage = self.stage_of(path), self.stage_of(other)
            low, high = self.level(self.stages[room], from_stage), self.level(self.stages[room], to_stage)
            if low is None or high is None:
                return f"{from_stage if low is None else to_stage} is no stage of {room} in common/rooms.toml"
            if high > low:
                return f"in {room}, {from_stage} is below {to_stage}"
        return ""


def circle(arrows: Iterable[Arrow]) -> list[str]:
    """One circle of the arrows, [] when there is none."""
    after: dict[str, list[str]] = {}
    for a, b in arrows:
        after.setdefault(a, []).append(b)
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name):], name]
        if name in done:
            return []
        for other in after.get(name, []):
            if found := walk(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(after) if (found := walk(name, []))), [])


def findings(root: pathlib.Path, rooms: Rooms) -> list[str]:
    """What breaks the rule in root/common, one line each."""
    wrong: list[str] = []
    files: set[Arrow] = set()
    between_rooms: set[Arrow] = set()
    between_products: set[Arrow] = set()
    between_stages: set[Arrow] = set()
    for file in sorted((root / "common").rglob("*")):
        path = pathlib.PurePosixPath(file.relative_to(root).as_posix())
        if file.suffix not in SOURCES or len(path.parts) < 3:
            continue
        text = file.read_text(encoding="utf-8")
        for match in NEWER.finditer(text):
            wrong.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]} is not in the library of Debian's Emscripten")
        for match in INCLUDE.finditer(text):
            target = match[2]
            if reason := rooms.wrong(path, match[1], target):
                line = text.count("\n", 0, match.start()) + 1
                wrong.append(f"{path}:{line}: includes {target}, but {reason}")
            other = pathlib.PurePosixPath(target)
            if not target.startswith("common/") or len(other.parts) < 3:
                continue
            files.add((str(path), target))
            here, there = rooms.room_of(path), rooms.room_of(other)
            if here != there:
                between_rooms.add((here, there))
                between_products.add((path.parts[1], other.parts[1]))
            elif here in rooms.stages and rooms.stage_of(path) != rooms.stage_of(other):
                between_stages.add((f"{here}/{rooms.stage_of(path)}", f"{there}/{rooms.stage_of(other)}"))
    between_products = {(one, other) for one, other in between_products if one != other}
    for arrows in (files, between_rooms, between_products, between_stages):
        if found := circle(sorted(arrows)):
            wrong.append("a circle: " + " → ".join(found))
    return wrong


def printed(rooms: Rooms) -> str:
    """The table as docs/design.md has it."""
    def rows(head: str, levels: list[list[str]]) -> list[str]:
        return [head, "|---|---|", *(f"| {i} | {', '.join(f'`{n}`' for n in names)} |"
                                     for i, names in reversed(list(enumerate(levels, 1))))]

    lines = rows("| floor | rooms |", rooms.floors)
    for room, stages in rooms.stages.items():
        lines += ["", *rows(f"| stage of `{room}` | folders |", stages)]
    alone = []
    for name, others in rooms.alone.items():
        ours = [f"`{other}`" for other in others if other.startswith("common/")]
        alone.append(f"`{name}`" + (f" (but for {', '.join(ours)})" if ours else ""))
    last = f"{', '.join(alone)} stand alone: they include themselves, the standard library, and what of the system rooms.toml names."
    return "\n".join([*lines, "", last])


TABLE = Rooms(table_of_rooms.TABLE)


class Includes(unittest.TestCase):
    def test_nothing_breaks_the_rule(self) -> None:
        self.assertEqual(findings(ROOT, TABLE), [])

    def test_every_folder_is_in_the_table(self) -> None:
        names = {name for floor in TABLE.floors for name in floor}
        folders = {p.name for p in (ROOT / "common").iterdir() if p.is_dir()}
        self.assertEqual(folders, {name.partition("/")[0] for name in names})
        for product in {name.partition("/")[0] for name in names} - names:  # rooms alone: no file lies beside them
            inside = {f"{product}/{p.name}" for p in (ROOT / "common" / product).iterdir() if p.name != "README.md"}
            self.assertEqual(inside, {name for name in names if name.startswith(f"{product}/")})
        for room, stages in TABLE.stages.items():
            inside = {p.name for p in (ROOT / "common" / room).iterdir() if p.is_dir()}
            self.assertEqual(inside | {"door"}, {name for stage in stages for name in stage})

    def test_every_folder_says_what_it_is(self) -> None:
        """In 30 lines at most; the tour of the simulator is a page."""
        for folder in {name.partition("/")[0] for floor in TABLE.floors for name in floor} - set(TABLE.stages):
            readme = (ROOT / "common" / folder / "README.md").read_text(encoding="utf-8")
            self.assertLessEqual(len(readme.split("\n")), 31, folder)
            for part in ("Enters", "Leaves", "Begin", "Main types"):
                self.assertIn(f"**{part}**", readme, folder)

    def test_the_page_prints_the_table(self) -> None:
        page = (ROOT / "docs/design.md").read_text(encoding="utf-8")
        body = page.partition("<!-- rooms: begin -->\n")[2].partition("\n<!-- rooms: end -->")[0]
        self.assertEqual(body, printed(TABLE), "docs/design.md must print common/rooms.toml as it is")


class Planted(unittest.TestCase):
    """What must be found, and what must not."""

    def found(self, files: dict[str, str]) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return findings(pathlib.Path(folder), TABLE)

    def test_right(self) -> None:
        self.assertEqual(self.found({
            "common/course/judge/a.cpp": '#include <fmt/core.h>\n#include "common/sim/gpu.h"\n#include "common/course/judge/b.h"\n',
            "common/sim/decode/d.cpp": '#include <vector>\n#include "common/sim/program/p.h"\n',
            "common/course/lessons/c.h": '#include "common/course/explore/e.h"\n'}), [])

    def test_up(self) -> None:
        self.assertEqual(self.found({"common/course/judge/a.h": '#pragma once\n#include "common/course/report/card.h"\n'}),
                         ["common/course/judge/a.h:2: includes common/course/report/card.h, but course/judge is below course/report"])
        self.assertEqual(len(self.found({"common/sim/ptx/a.h": '#include "common/sim/decode/decode.h"\n'})), 1)
        self.assertEqual(len(self.found({"common/base/a.h": '#  include "tests/judge/small_kernels.h"\n'})), 1)
        self.assertEqual(len(self.found({"common/attic/a.h": '#include "common/base/errors.h"\n'})), 1)

    def test_circles(self) -> None:
        self.assertEqual(self.found({"common/course/judge/a.h": '#include "common/course/judge/b.h"\n',
                                     "common/course/judge/b.h": '#include "common/course/judge/a.h"\n'}),
                         ["a circle: common/course/judge/a.h → common/course/judge/b.h → common/course/judge/a.h"])
        rooms = self.found({"common/course/lessons/a.h": '#include "common/course/explore/b.h"\n',
                            "common/course/explore/c.h": '#include "common/course/lessons/d.h"\n'})
        self.assertEqual(rooms, ["a circle: course/explore → course/lessons → course/explore"])
        stages = self.found({"common/sim/ptx/a.h": '#include "common/sim/memory/b.h"\n',
                             "common/sim/memory/c.h": '#include "common/sim/ptx/d.h"\n'})
        self.assertEqual(stages, ["a circle: sim/memory → sim/ptx → sim/memory"])

    def test_one_file(self) -> None:
        for name in ("CLI/CLI.hpp", "nlohmann/json.hpp", "toml++/toml.h", "fmt/format.h", "regex"):
            self.assertEqual(len(self.found({"common/class/grade/a.cpp": f"#include <{name}>\n"})), 1, name)
        self.assertEqual(self.found({"common/base/json.cpp": "#include <nlohmann/json.hpp>\n"}), [])

    def test_newer_library(self) -> None:
        self.assertEqual(self.found({"common/sim/memory/a.cpp": "#include <algorithm>\nbool b = std::ranges::any_of(c, d);\n"}),
                         ["common/sim/memory/a.cpp:2: std::ranges::any_of is not in the library of Debian's Emscripten"])

    def test_alone(self) -> None:
        for line in ("#include <fmt/core.h>", '#include "common/base/errors.h"', "#include <zstd.h>"):
            self.assertEqual(len(self.found({"common/sim/memory/a.h": line + "\n"})), 1, line)
        self.assertEqual(len(self.found({"common/kernel/lab.cuh": '#include "common/course/judge/run.h"\n'})), 1)
        self.assertEqual(len(self.found({"common/kernel/lab.cuh": "#include <vector_types.h>\n"})), 1)


if __name__ == "__main__":
    unittest.main()
