"""The commands of a student's desk, `lab swizzle`, `show` and `diff`, as a student runs them.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Numbers are worked out here a second time,
from the rule that a bank serves one 4-byte word a wavefront."""
import json
import os
import subprocess
import sys
import unittest

PROGRAM = os.environ["LAB_PROGRAM"]


def lab(*args, env=None):
    full = dict(os.environ, TERM="dumb", **(env or {}))
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, env=full, timeout=240)
    return done.returncode, done.stdout, done.stderr


def lab_json(*args):
    code, out, err = lab(*args, "--json")
    return code, json.loads(out) if out else None, err


def wavefronts(offsets):
    """Most distinct 4-byte words in one bank."""
    banks = {}
    for offset in offsets:
        banks.setdefault(offset // 4 % 32, set()).add(offset // 4)
    return max(len(words) for words in banks.values())


class Swizzle(unittest.TestCase):
    def test_offsets_are_the_formula(self):
        code, got, _ = lab_json("swizzle", "x ^ y")
        self.assertEqual(code, 0)
        self.assertEqual(got["offsets"], [[(y * 32 + (x ^ y)) * 4 for x in range(32)] for y in range(32)])
        self.assertEqual(got["cute"], {"bits": 5, "base": 0, "shift": 5, "unit": "elements"})

    def test_costs_are_counted(self):
        for args, column in ((["x"], 32), (["x", "--pad", "1"], 1), (["(x + y) % 32"], 1), (["x ^ (y / 2)"], 2)):
            with self.subTest(args=args):
                code, got, _ = lab_json("swizzle", *args)
                self.assertEqual(code, 0)
                offsets = got["offsets"]
                counted = max(wavefronts([offsets[y][x] for y in range(32)]) for x in range(32))
                self.assertEqual(counted, column)
                self.assertEqual(got["accesses"][0]["column"]["load_wavefronts"], counted)
                self.assertEqual(got["accesses"][0]["row"]["load_wavefronts"], 1)

    def test_names_in_cute(self):
        for args, name in (
            (["x"], (0, 0, 0)),
            (["--cute", "3,3,3", "--rows", "8", "--cols", "64", "--elem-bytes", "2"], (3, 3, 3)),
            (["--rows", "8", "--cols", "64", "--elem-bytes", "2", "--chunk-bytes", "16"], (3, 3, 3)),
            (["--rows", "32", "--cols", "16"], (4, 0, 5)),
            (["x", "--pad", "1"], None),
            (["(x + y) % 32"], None),
        ):
            with self.subTest(args=args):
                cute = lab_json("swizzle", *args)[1]["cute"]
                self.assertEqual(cute and (cute["bits"], cute["base"], cute["shift"]), name)

    def test_two_elements_in_one_place_do_not_pass(self):
        code, got, _ = lab_json("swizzle", "x & y")
        self.assertEqual(code, 1)
        self.assertFalse(got["bijective"])
        self.assertIn("share one place", lab("swizzle", "x & y")[1])

    def test_bad_input_is_named(self):
        for args, words in (
            (["x +"], "character 4"),
            (["x / 0"], "divides by zero"),
            (["x < y"], "<< or >>"),
            (["x << 99"], "shifts by 99"),
            (["x + y"], "Take the remainder"),
            (["x", "--cute", "5,0,5"], "one of them"),
            (["--cute", "5,0"], "B,M,S"),
            (["--elem-bytes", "3"], "--elem-bytes"),
            (["--rows", "0"], "--rows"),
            (["(" * 200 + "x"], "brackets"),
            (["--rows", "1024", "--cols", "1024"], "shared memory"),
        ):
            with self.subTest(args=args):
                code, out, err = lab("swizzle", *args)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(words, err)

    def test_colour_follows_the_terminal(self):
        self.assertNotIn("\x1b", lab("swizzle", "x ^ y", env={"NO_COLOR": "1"})[1])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
