"""A what-if that is printed is what the changed kernel then counts.

Enters: LAB_PROGRAM, the built program; kernels of the course and beginners' mistakes. Leaves: one unittest verdict. Each layout of
`lab show --json` says what to write; here that is written into the source, and `lab profile` counts the changed kernel."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import mistakes

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["LAB_PROGRAM"]
SHAPE = ("--rows", "256", "--cols", "256")  # whole tiles, whose blocks all cost the same


def lab_json(*args):
    done = subprocess.run([PROGRAM, *args, "--json"], capture_output=True, text=True, timeout=240,
                          env=dict(os.environ, LAB_ROOT=str(ROOT), TERM="dumb"))
    return json.loads(done.stdout)


def brackets(text, at):
    """The two pairs of brackets that begin at `at`: their insides, and where they end."""
    insides = []
    for _ in range(2):
        assert text[at] == "[", text[at:at + 20]
        depth, begin = 0, at + 1
        while True:
            depth += (text[at] == "[") - (text[at] == "]")
            at += 1
            if depth == 0:
                break
        insides.append(text[begin:at - 1])
    return insides, at


def changed(source, name, change):
    """`change`: tile[32][33], or tile[y][x ^ y / 4]. The first sets the declaration, the second every use."""
    (first, second), _ = brackets(change, len(name))
    result, at = "", 0
    for match in re.finditer(rf"(?<![.\w]){name}(?=\[)", source):
        if match.start() < at:
            continue
        line = source[source.rfind("\n", 0, match.start()) + 1:match.start()]
        (row, col), end = brackets(source, match.end())
        declares = "__shared__" in line
        if "//" in line or declares != first.isdigit():
            continue
        if not declares:
            first_new, second_new = row, re.sub(r"\b[xy]\b", lambda m: {"x": f"({col})", "y": f"({row})"}[m[0]], second)
        else:
            first_new, second_new = first, second
        result += source[at:match.end()] + f"[{first_new}][{second_new}]"
        at = end
    return result + source[at:]


def kernels():
    for chapter in ("04", "05", "06", "07", "08"):
        folder = next(ROOT.glob(f"solutions/{chapter}_*"))
        yield f"{chapter} solution", (folder / "transpose.cu").read_text()
        yield f"{chapter} skeleton", (folder / "skeleton.cu").read_text()
    for row in mistakes.load():
        if row["id"][:2] in ("05", "06", "08"):
            yield row["id"], mistakes.wrong_text(row)
    yield from RAW


# The tile of chapter 08 as the issue of this test had it: lanes step over four rows of the tile at once.
def raw(name, place, declared="tile[kTile][kPacks]"):
    text = next(ROOT.glob("solutions/08_*/transpose.cu")).read_text()
    text = text.replace("tile[kTile][kPacks]", declared)
    return name, re.sub(r"\[place\(([^,]+), (\w+)\)\]", place, text)


RAW = [raw("08 plain", r"[\2]"), raw("08 literal xor", r"[\2 ^ (\1) % 16]"), raw("08 padded", r"[\2]", "tile[kTile][kPacks + 1]"),
       raw("08 rows in fours", r"[\2 ^ (\1) / 4]")]


class WhatIf(unittest.TestCase):
    def test_they_come_true(self):
        checked = 0
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "kernel.cu"
            for name, source in kernels():
                file.write_text(source)
                try:
                    got = lab_json("show", str(file), *SHAPE)
                except json.JSONDecodeError:
                    continue  # it stops with a fault: there is no picture
                for array in got["what_if"]:
                    for layout in array["layouts"][1:]:
                        short = layout["change"][:layout["change"].index("[")]
                        if layout["name"] == "without the XOR":
                            continue  # what the kernel's own formula is, a program cannot take out of its text
                        with self.subTest(kernel=name, layout=layout["name"], change=layout["change"]):
                            file.write_text(changed(source, short, layout["change"]))
                            self.assertNotEqual(file.read_text(), source)
                            counted = lab_json("profile", str(file), *SHAPE)
                            self.assertEqual(counted["shared_bytes"], layout["bytes"])
                            lines = {(line["line"], line["op"]): line for line in counted["lines"]}
                            for access in layout["accesses"]:
                                line = lines[access["line"], access["op"]]
                                self.assertEqual(access["wavefronts"] * line["requests"], line["wavefronts"] * access["requests"])
                                checked += 1
        self.assertGreater(checked, 60)

    def test_nothing_is_said_of_rows_that_nobody_declares(self):
        source = next(ROOT.glob("solutions/09_*/transpose.cu")).read_text()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "kernel.cu"
            for text in (source, FLAT):
                file.write_text(text)
                got = lab_json("show", str(file), "--rows", "64", "--cols", "64", "--op", "shared_load")
                for array in got["what_if"]:
                    self.assertEqual([layout["name"] for layout in array["layouts"]], ["as it is"], array["how"])
                    self.assertEqual(array["row_bytes"], 0)


# Indexed as 32 columns, whatever the declaration says: another length of its rows would change nothing.
FLAT = """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32];
  float* flat = &tile[0][0];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) flat[32 * y + threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = flat[32 * threadIdx.x + x];
}
"""

if __name__ == "__main__":
    unittest.main()
