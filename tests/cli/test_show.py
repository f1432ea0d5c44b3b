"""`lab show` in every form: plain, 256 colours, 24 bits, SVG, page, JSON; and what `check` says of other layouts.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. What lies in which bank is worked out here a second
time. The page in a browser is page_browser.py."""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios
import unittest
import xml.etree.ElementTree

from sandbox import PROGRAM, Clone

clone = Clone()
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def at_a_terminal(*args, rows=0, **env):
    """What the program writes when its output is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100 if rows else 0, 0, 0))
    full = {k: v for k, v in clone.env.items() if k not in ("COLORTERM", "NO_COLOR")}
    full.update(env)
    process = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env=full)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    process.wait(timeout=60)
    return text.decode().replace("\r\n", "\n")


def line_of(text, chapter="04_shared_tile"):
    return 1 + next(i for i, line in enumerate(clone.solution(chapter).split("\n")) if text in line)


LOAD = line_of("= tile[threadIdx.x][x]")


class Pager(unittest.TestCase):
    SHOW = ("show", "4", "--solution")
    MARKS = "sed s/^/page:/"

    def marked(self, text):
        return [line.startswith("page:") for line in text.splitlines()]

    def test_what_is_longer_than_the_terminal_goes_through_it(self):
        self.assertTrue(all(self.marked(at_a_terminal(*self.SHOW, rows=20, PAGER=self.MARKS))))
        self.assertFalse(any(self.marked(at_a_terminal(*self.SHOW, rows=200, PAGER=self.MARKS))))

    def test_it_can_be_switched_off(self):
        self.assertFalse(any(self.marked(at_a_terminal(*self.SHOW, "--no-pager", rows=20, PAGER=self.MARKS))))
        self.assertFalse(any(self.marked(clone.lab(*self.SHOW)[1])))  # no terminal
        plain = at_a_terminal(*self.SHOW, rows=20, PAGER="cat")
        self.assertIn("wavefront", plain)
        self.assertEqual(plain, at_a_terminal(*self.SHOW, rows=20, PAGER=""))
        self.assertEqual(plain, at_a_terminal(*self.SHOW, rows=20, PAGER="no-such-pager"))


class Traffic(unittest.TestCase):
    def test_a_tile_of_the_tma_unit_lies_as_the_hardware_permutes_it(self):
        code, out, _ = clone.lab("show", "12", "--solution")
        if code == 3:
            self.skipTest("no compiler here knows the instructions of Hopper")
        after = out[out.index("global bulk load on line"):]
        lines = re.findall(r"^ *byte (\d+) +((?:\d+\.\d+ *){8})$", after, re.M)[:8]
        self.assertEqual(len(lines), 8)
        for row, (_, cells) in enumerate(lines):
            self.assertEqual(cells.split(), [f"{row}.{chunk ^ row}" for chunk in range(8)])

    def test_a_store_to_the_other_block_shows_its_lines(self):
        code, out, _ = clone.lab("show", "14", "--solution")
        if code == 3:
            self.skipTest("no compiler here knows the instructions of Hopper")
        after = out[out.index("cluster store on line"):]
        banks = [int(bank) for bank in re.findall(r"bank (\d)$", after, re.M)]
        self.assertEqual(len(banks), 8)
        worst = max(banks.count(bank) for bank in range(4))
        self.assertIn(f"wavefronts: {worst}, ideal 1.", after)

    def test_a_store_over_the_link_shows_its_packets(self):
        scattered = clone.lab("show", "16")[1]
        after = scattered[scattered.index("link store on line"):]
        self.assertIn("packets: 32, 1536 bytes for 128", after)
        self.assertIn("48 bytes", after)
        whole = clone.lab("show", "16", "--solution")[1]
        self.assertIn("packets: 1, 144 bytes for 128", whole[whole.index("link store on line"):])
        traffic = clone.json("show", "16", "--solution")[1]["traffic"]
        self.assertEqual([(t["op"], t["requests"], t["sectors"]) for t in traffic], [("link_store", 16384, 65536)])


class Terminal(unittest.TestCase):
    def test_plain_text_says_all(self):
        code, out, err = clone.lab("show", "4", "--solution", "--line", str(LOAD))
        self.assertEqual((code, err), (0, ""))
        self.assertNotIn("\x1b", out)
        self.assertIn(f"shared load on line {LOAD}", out)
        self.assertIn("32 wavefronts, ideal 1", out)
        lanes = re.findall(r"^ *wavefront +\d+ (.*)$", out, re.M)
        self.assertEqual([row.split()[0] for row in lanes], list("01v"))  # what is alike is folded
        self.assertEqual(out.count("… 29 rows more, as these"), 2)
        sectors = clone.lab("show", "4")[1]
        self.assertIn("rows more, as these", sectors)
        self.assertLess(sectors.count("\n"), 40)
        self.assertTrue(all(row.split()[1:] == ["."] * 31 for row in lanes))
        self.assertLessEqual(max(len(row) for row in out.split("\n") if re.match(r" *(wavefront|byte) ", row)), 80)

    def test_depth_of_colour_follows_the_terminal(self):
        plain = clone.lab("show", "6", "--solution")[1]
        for env, has, lacks in (
            ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "48;2;", "48;5;"),
            ({"TERM": "xterm-256color"}, "48;5;", "48;2;"),
            ({"TERM": "xterm"}, "\x1b[1m", "48;"),
            ({"TERM": "dumb"}, "wavefront", "\x1b"),
            ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, "wavefront", "\x1b"),
        ):
            with self.subTest(env=env):
                out = at_a_terminal("show", "6", "--solution", **env)
                self.assertIn(has, out)
                self.assertNotIn(lacks, out)
                self.assertEqual(ESCAPE.sub("", out), plain)
        self.assertNotIn("\x1b", at_a_terminal("--plain", "show", "6", "--solution", TERM="xterm-256color"))

    def test_32_banks_have_32_colours(self):
        out = at_a_terminal("show", "6", "--solution", TERM="xterm", COLORTERM="truecolor")
        only = next(line for line in out.split("\n") if "wavefront 1 " in ESCAPE.sub("", line) and "48;2" in line)
        self.assertEqual(len(set(re.findall(r"48;2;\d+;\d+;\d+", only))), 32)

    def test_line_and_op(self):
        for args, words in ((["--line", str(LOAD)], "shared load"), (["--line", str(LOAD), "--op", "global_store"], "global store"),
                            (["--op", "shared_store"], "shared store"), ([], "shared load")):
            with self.subTest(args=args):
                got = json.loads(clone.lab("show", "4", "--solution", *args, "--json")[1])
                self.assertEqual(got["op"].replace("_", " "), words)

    def test_what_cannot_be_shown(self):
        for args, words in ((["4", "--solution", "--line", "1"], "accesses of block 0 are"), (["4", "--request", "999", "--solution"], "makes"),
                            (["42"], "no chapter"), ([], "nothing to draw yet"), (["4", "--line", "0"], "--line"), (["4", "--op", "x"], "--op"),
                            (["4", "--solution", "--svg", "/dev/null/x.svg"], "Cannot write")):
            with self.subTest(args=args):
                code, out, err = clone.lab("show", *args)
                self.assertIn(code, (2, 3))
                self.assertEqual(out, "")
                self.assertIn(words, err)
        (clone.root / "bad.cu").write_text("no C++\n")
        self.assertEqual(clone.lab("show", "bad.cu")[0], 1)


class Files(unittest.TestCase):
    def test_svg_is_well_formed_and_shows_every_lane(self):
        for chapter, wavefronts in (("4", 32), ("6", 1), ("8", 4), ("1", 0)):
            with self.subTest(chapter=chapter):
                path = clone.root / f"picture{chapter}.svg"
                self.assertEqual(clone.lab("show", chapter, "--solution", "--svg", str(path))[0], 0)
                root = xml.etree.ElementTree.parse(path).getroot()
                self.assertTrue(root.tag.endswith("svg"))
                texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
                self.assertEqual({t for t in texts if t in {str(n) for n in range(32)}}, {str(n) for n in range(32)})
                self.assertEqual(sum(t.startswith("wavefront ") for t in texts), wavefronts)

    def test_the_page_needs_no_network(self):
        path = clone.root / "page.html"
        self.assertEqual(clone.lab("show", "6", "--solution", "--html", str(path))[0], 0)
        text = path.read_text()
        self.assertTrue(text.startswith("<!doctype html>"))
        self.assertNotIn("your kernel", text)  # it is a solution's
        self.assertEqual(re.findall(r"""(?:src|href)=["'](?!data:)[^"']*""", text), [])
        self.assertIn("default-src 'none'", text)
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
        self.assertEqual(len(data["colours"]), 32)
        self.assertEqual([site["op"] for site in data["kernels"][0]["sites"]].count("shared_load"), 1)


class Timeline(unittest.TestCase):
    """Chapter 11: 8 tiles of 64 × 64 floats a block, three stages."""
    TILE_BYTES = 64 * 64 * 4

    def timeline(self, *args):
        code, out, err = clone.lab("show", *args, "--timeline", "--json")
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def mutant(self, name):
        return self.timeline("11", "--kernel", str(REPOSITORY / f"tests/mutants/course/{name}.cu"))

    def test_three_stages(self):
        line = self.timeline("11", "--solution")
        self.assertEqual(len(line["barriers"]), 8)
        self.assertEqual([copy["bytes"] for copy in line["copies"]], [self.TILE_BYTES] * 8)
        self.assertEqual(max(line["bytes_on_their_way"]), 2 * self.TILE_BYTES)
        self.assertEqual([(w["first_warp"], w["last_warp"]) for w in line["warps"]], [(0, 7)])
        stores = {step["column"] for step in line["warps"][0]["steps"] if step["act"] == "store"}
        self.assertEqual(len(stores), 8)
        below = [sum(copy["first_column"] <= store < copy["last_column"] for store in stores) for copy in line["copies"]]
        self.assertEqual(below, [0, 1, 2, 2, 2, 2, 2, 2])

    def test_what_waits_too_soon_hides_less(self):
        self.assertEqual(max(self.mutant("11_two_stages")["bytes_on_their_way"]), self.TILE_BYTES)
        at_once = self.mutant("11_waits_at_once")
        busy = {step["column"] for warp in at_once["warps"] for step in warp["steps"] if step["act"] in ("store", "shared_load")}
        self.assertFalse([column for column in busy if at_once["bytes_on_their_way"][column]])
        self.assertEqual(self.timeline("11")["copies"], [])  # the skeleton loads and waits

    def test_the_unit_and_who_waits_for_it(self):
        line = self.timeline("12", "--solution")
        load, store = line["copies"]
        self.assertEqual((load["bytes"], store["bytes"]), (4096, 4096))
        first, others = line["warps"]
        waits = {step["column"] for step in others["steps"] if step["act"] == "wait"}
        self.assertEqual(waits, {load["last_column"]})
        self.assertEqual([step["column"] for step in first["steps"] if step["act"] == "start"], [load["first_column"], store["first_column"]])

    def test_text_picture_and_page(self):
        code, out, _ = clone.lab("show", "11", "--solution", "--timeline")
        self.assertEqual(code, 0)
        self.assertIn("v|crrSv|crrSv|", out)
        self.assertIn("At most 32 768 bytes are on their way at once.", out)
        path = clone.root / "timeline.svg"
        self.assertEqual(clone.lab("show", "11", "--solution", "--timeline", "--svg", str(path))[0], 0)
        self.assertTrue(xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg"))
        for chapter, has in (("11", True), ("6", False)):
            page = clone.root / "page.html"
            clone.lab("show", chapter, "--solution", "--html", str(page))
            self.assertEqual('<section id="timeline"' in page.read_text(), has)


class Numbers(unittest.TestCase):
    def worst(self, offsets):
        banks = {}
        for offset in offsets:
            banks.setdefault(offset // 4 % 32, set()).add(offset // 4)
        return max(len(words) for words in banks.values())

    def test_json_agrees_with_the_rule(self):
        for chapter in ("4", "5", "6", "7"):
            got = json.loads(clone.lab("show", chapter, "--solution", "--op", "shared_load", "--json")[1])
            lanes = [lane for lane in got["lanes"] if lane]
            self.assertEqual(got["wavefronts"], self.worst([lane["address"] for lane in lanes]))
            self.assertTrue(all(lane["bank"] == lane["address"] // 4 % 32 for lane in lanes))

    def test_matrix_instructions_are_drawn(self):
        """Of four matrices each is eight rows of 16 bytes, a quarter of the lanes."""
        source = next(clone.root.glob("solutions/13_*/transpose.cu")).read_text(encoding="utf-8")
        line = next(n for n, text in enumerate(source.split("\n"), 1) if "lab::load_matrices_turned" in text and "//" not in text)
        got = clone.json("show", "13", "--solution", "--line", str(line))[1]
        self.assertEqual((got["op"], got["width_bytes"], got["wavefronts"], got["ideal_wavefronts"]), ("shared_load", 16, 4, 4))
        addresses = [lane["address"] for lane in got["lanes"]]
        for matrix in range(4):
            self.assertEqual(len({address // 16 % 8 for address in addresses[8 * matrix:8 * matrix + 8]}), 8)

    def layouts(self, what_if, line):
        return {layout["name"]: next(a["wavefronts"] / a["requests"] for a in layout["accesses"]
                                     if a["line"] == line and a["op"] == "shared_load")
                for layout in what_if[0]["layouts"]}

    def test_check_says_what_padding_and_xor_would_have_done(self):
        code, got = clone.json("check", "5")
        self.assertEqual(code, 1)
        reason = next(c for c in got["cases"] if not c["passed"])["reasons"][0]
        self.assertEqual(reason["code"], "bank-conflict")
        line = reason["line"]
        self.assertEqual(self.layouts(got["what_if"], line), {"as it is": 32, "rows 4 bytes longer": 1})
        # Of a file that is no chapter's all that help are shown.
        every = clone.json("show", str(clone.kernel()))[1]["what_if"]
        self.assertEqual(self.layouts(every, line), {"as it is": 32, "rows 4 bytes longer": 1, "column ^ row": 1})
        # The same by hand: lane i reads row i of one column; rows of 128 and 132 bytes, and x ^ row.
        self.assertEqual([self.worst([row(i) for i in range(32)]) for row in
                          (lambda i: 128 * i, lambda i: 132 * i, lambda i: 128 * i + 4 * (0 ^ i))], [32, 1, 1])
        # Shown to who asked for help; the permutation is the next chapter's answer.
        self.assertNotIn("what if", clone.lab("check", "5")[1])
        clone.lab("hint", "5")
        out = clone.lab("check", "5")[1]
        self.assertIn("what if rows 4 bytes longer, tile[32][33]: 1 wavefront", out)
        self.assertNotIn("column ^ row", out)

    def test_padding_that_does_not_help_is_not_praised(self):
        """Two columns more: every second row starts in the same bank again. One more would be three."""
        text = clone.skeleton().replace("tile[kTile][kTile];", "tile[kTile][kTile + 2];")
        (clone.root / "two.cu").write_text(text)
        code, got = clone.json("check", "5", "--kernel", "two.cu")
        self.assertEqual(code, 1)
        reason = next(c for c in got["cases"] if not c["passed"])["reasons"][0]
        layouts = self.layouts(got["what_if"], reason["line"])
        self.assertEqual(layouts, {"as it is": 2, "rows 4 bytes shorter": 1})  # 35 words cost no less than 33, and are more

    def test_nothing_is_said_where_nothing_was_blamed(self):
        self.assertIsNone(clone.json("check", "5", "--solution")[1]["what_if"])
        self.assertIsNone(clone.json("check", "2")[1]["what_if"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
