"""What the check suggests to look at shows what failed.

Enters: LAB_PROGRAM, the built program; beginners' mistakes and mutants of the course. Leaves: one unittest verdict. The commands in the
line `next` are run as they stand: `show` must draw the blamed access, on the line, the path and the launch that was judged; `profile` must
count what the message says, or stop where the check stopped; `check --rows --cols` must fail for the same reason. Kernels are drawn: LAB_SEED repeats a run,
LAB_DRAWS=3 takes all."""
import pathlib
import re
import shlex
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cli"), str(HERE)]
import mistakes  # noqa: E402
from drawn.draws import sample_of_run  # noqa: E402

from sandbox import SOURCE, Clone  # noqa: E402

MUTANTS = SOURCE / "tests/mutants/course"
# An access is blamed: on a line with several, of another element type, on a ragged shape, in no block but the last, of copies and matrices.
BLAMED = ["01_reads_twice", "03_scalar", "03_stores_scalars", "05_conflict_on_store", "06_unswizzled",
          "08_unswizzled", "09_always_narrow", "09_splits_sectors", "09_tall_warps", "10_short_rows",
          "11_every_other_tile", "11_narrow_copies", "12_row_by_row", "13_narrow_store", "13_swizzle_by_row",
          "02-half-way", "04-block-too-high", "05-two-columns", "08-by-row"]
# The launch is blamed: a fault, a wrong result, blocks that do nothing.
REPEATED = ["01_swapped_guards", "04_barrier_too_early", "09_ignores_batch", "10_wrong_selector", "11_two_stages", "12_no_fence",
            "02-small-tile", "04-early-return", "09-pitch-not-asked"]
COST = re.compile(r"([\d.]+) (sectors|wavefronts) per request, [\d.]+ would do")


def seen(reason):
    """Without addresses: where a buffer lies depends on what ran before."""
    return [reason["code"], reason.get("line"), re.sub("0x[0-9a-f]+", "0x…", reason["message"])]


class Suggested(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.clone = Clone()
        cls.rows = {row["id"]: row for row in mistakes.load()}

    def kernels(self, names, usual):
        for name in sample_of_run("kernels", names, usual):
            yield name, mistakes.wrong_text(self.rows[name]) if name in self.rows else (MUTANTS / f"{name}.cu").read_text()

    def first_reason(self, words):
        code, got = self.clone.json(*words, "--device", "sim")
        self.assertEqual(code, 1)
        return next(case for case in got["cases"] if not case["passed"])["reasons"][0]

    def next_commands(self, words):
        text = self.clone.lab(*words, "--device", "sim")[1]
        return [shlex.split(part)[1:] for part in re.split(r"\s{2,}|\n", text[text.index("  next"):]) if part.startswith("./lab ")]

    def checked(self, name, source):
        """Both ways in which a check is asked for: the chapter's own file, and another."""
        chapter = name[:2]
        (self.clone.root / "mine.cu").write_text(source)
        words = ["check", str(int(chapter)), "--kernel", "mine.cu"]
        return words, self.first_reason(words), self.next_commands(words)

    def drawn(self, command, reason):
        code, got = self.clone.json(*command)
        self.assertEqual(code, 0)
        self.assertEqual((got["line"], got["op"]), (reason["line"], reason["op"]))
        self.assertGreater(len([lane for lane in got["lanes"] if lane]), 0)
        if match := COST.search(reason["message"]):
            cost, ideal = got[match[2]], got["ideal_" + match[2]]
            self.assertGreater(cost, ideal)
            self.assertGreaterEqual(cost, int(float(match[1])))

    def counted(self, command, reason):
        code, got = self.clone.json(*command)
        self.assertEqual(code, 0)
        line = next(one for one in got["lines"] if (one["line"], one["op"]) == (reason["line"], reason["op"]))
        if match := COST.search(reason["message"]):
            self.assertAlmostEqual(line[match[2]] / line["requests"], float(match[1]), delta=0.06)

    def test_a_blamed_access_is_shown(self):
        pictures = checked = 0
        for name, source in self.kernels(BLAMED, 8):
            checked += 1
            with self.subTest(kernel=name):
                _, reason, commands = self.checked(name, source)
                self.assertIn("op", reason)
                looks = [command for command in commands if command[0] in ("show", "profile")]
                self.assertEqual(len(looks), 1, commands)
                pictures += looks[0][0] == "show"
                (self.drawn if looks[0][0] == "show" else self.counted)(looks[0], reason)
        self.assertGreater(pictures, checked / 3)

    def test_a_blamed_launch_is_repeated(self):
        for name, source in self.kernels(REPEATED, 5):
            with self.subTest(kernel=name):
                _, reason, commands = self.checked(name, source)
                again = [command for command in commands if command[0] in ("check", "profile")]
                self.assertEqual(len(again), 1, commands)
                if again[0][0] == "check":
                    found = self.first_reason(again[0])
                    self.assertEqual(seen(found), seen(reason))
                else:
                    code, got = self.clone.json(*again[0])
                    self.assertEqual((code, got["correct"]), (1, False))
                    if got["faults"]:
                        self.assertEqual((got["faults"][0]["kind"], got["faults"][0]["line"]), (reason["code"], reason["line"]))
                    else:
                        self.assertEqual(got["mismatch"]["code"], reason["code"])

    def test_what_never_ran_is_not_repeated(self):
        _, reason, commands = self.checked("09_floats_only", (MUTANTS / "09_floats_only.cu").read_text())
        self.assertIn("no kernel `transpose_u32`: write it", reason["message"])
        self.assertEqual([command[0] for command in commands], ["hint", "explain"])

    def test_the_chapters_own_file(self):
        file = self.clone.kernel("03_float4")
        file.write_text((MUTANTS / "03_scalar.cu").read_text())
        commands = self.next_commands(["check", "3"])
        show = next(command for command in commands if command[0] == "show")
        self.assertEqual((show[:2], "--op" in show), (["show", "3"], True))
        self.drawn(show, self.first_reason(["check", "3"]))

    def test_where_one_access_stands_on_a_line_no_option_is_needed(self):
        self.clone.kernel().write_text(self.clone.skeleton())
        show = next(command for command in self.next_commands(["check", "5"]) if command[0] == "show")
        self.assertEqual([word for word in show if word.startswith("--")], ["--line"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
