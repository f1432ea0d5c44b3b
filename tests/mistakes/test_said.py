"""What a message says of a mistake that is made here: names of the source, the line of the edit, the number that was counted.

Enters: LAB_PROGRAM, the built program; solutions, changed. Leaves: one unittest verdict."""
import pathlib
import re
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cli"), str(HERE)]
import mistakes  # noqa: E402
from drawn import draws  # noqa: E402

from sandbox import Clone  # noqa: E402

# One tile, declared in each place that the language has; `NAME` is how the kernel calls it.
DECLARED = {
    "in the function": ("", "__shared__ float tile[32][32];", "tile"),
    "of the file": ("__shared__ float tile[32][32];", "", "tile"),
    "in a namespace": ("namespace of { namespace it { __shared__ float tile[32][32]; } }", "", "of::it::tile"),
    "in a namespace without a name": ("namespace { __shared__ float tile[32][32]; }", "", "tile"),
    "of a template": ("template <int N> __device__ float* shared() { __shared__ float tile[N][N]; return &tile[0][0]; }",
                      "float (*mine)[32] = reinterpret_cast<float (*)[32]>(shared<32>());", "mine"),
    "of a function in a namespace": ("namespace of { __device__ float* shared() { __shared__ float tile[32][32]; return &tile[0][0]; } }",
                                     "float (*mine)[32] = reinterpret_cast<float (*)[32]>(of::shared());", "mine"),
}
# Two threads store to one place, a place that nobody stored, one behind the end.
WRONG = {"shared-race": "{0}[x / 2][y] = v; __syncthreads(); v = {0}[x / 2][y];",
         "uninitialised-shared": "if (x) {0}[x][y] = v; __syncthreads(); v = {0}[0][y];",
         "out-of-bounds": "{0}[x + 31][y + 1] = v; __syncthreads(); v = {0}[x + 31][y + 1];"}
KERNEL = """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {{.block = {{32, 8}}, .tile = {{8, 32}}, .block_x_walks = kCols}};
{outside}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {{
  {inside}
  const int x = threadIdx.x, y = threadIdx.y;
  const size_t row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  float v = row < rows && col < cols ? in[row * cols + col] : 0;
  {wrong}
  if (row < rows && col < cols) out[col * rows + row] = v;
}}
"""
ALL = """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  for (size_t row = 0; row < rows; ++row) {
    for (size_t col = 0; col < cols; ++col) {
      out[col * rows + row] = in[row * cols + col];
    }
  }
}
"""


class Said(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.clone = Clone()
        cls.addClassCleanup(cls.clone.folder.cleanup)

    def check(self, chapter, text, *words):
        next(self.clone.root.glob(f"chapters/{chapter:02}_*/transpose.cu")).write_text(text, encoding="utf-8")
        return self.clone.lab("check", str(chapter), "--device", "sim", *words)[1]

    def changed(self, chapter, *changes):
        return mistakes.patched(mistakes.base_text({"id": f"{chapter:02}"}), changes, "here")

    def test_names_are_those_of_the_source(self):
        for where, (outside, inside, name) in DECLARED.items():
            for code, wrong in WRONG.items():
                with self.subTest(declared=where, wrong=code):
                    out = self.check(1, KERNEL.format(outside=outside, inside=inside, wrong=wrong.format(name)))
                    self.assertIn("`tile", out)
                    self.assertNotIn("_Z", out)
        self.assertNotIn("_Z", self.clone.lab("show", "1", "--json")[1])

    def test_an_early_return_is_named_at_its_line(self):
        leaves = "  if (row0 + threadIdx.y >= rows || col0 + threadIdx.x >= cols) return;\n"
        before = self.changed(4, ["  // Along the rows of `in`:", leaves + "  // Along the rows of `in`:"])
        line = before[:before.index("cols) return")].count("\n") + 1
        self.assertIn(f"The `return` of line {line} stands before the barrier of line ", self.check(4, before))
        inside = self.changed(4, ["if (row < rows && col < cols) tile", "if (row >= rows || col >= cols) return;\n    tile"])
        line = inside[:inside.index("cols) return")].count("\n") + 1
        said = self.check(4, inside)
        self.assertIn(f"The `return` of line {line} stands before the barrier of line ", said)
        self.assertNotIn("decided at", said)  # by loops and guards that are right
        branch = self.changed(4, ["  __syncthreads();", "  if (row0 + threadIdx.x < rows) __syncthreads();"])
        self.assertNotIn("`return`", self.check(4, branch))

    def test_every_wrong_prediction_is_said_alike(self):
        text = self.changed(1, [".global_load_sectors_per_request = 4", ".global_load_sectors_per_request = 5"],
                            [".global_store_sectors_per_request = 32", ".global_store_sectors_per_request = 8"])
        out = self.check(1, text)
        self.assertIn("You predicted .global_load_sectors_per_request = 5; counted: 4.", out)
        self.assertIn("You predicted .global_store_sectors_per_request = 8; counted: 32.", out)
        self.assertNotIn("goal", out)

    def test_guess_after_guess_the_hints_change(self):
        texts = {int(folder.name[:2]): mistakes.base_text({"id": folder.name[:2]}) for folder in sorted(self.clone.root.glob("solutions/*"))}
        asked = [chapter for chapter, text in texts.items() if re.search(r"PREDICTIONS = \{[^=]*= \d", text)]
        self.assertGreater(len(asked), 10)
        for chapter in [1, *draws.sample_of_run("chapters", asked[1:], 2)]:
            said = []
            for guess in (77, 78, 79):
                self.check(chapter, re.sub(r"(PREDICTIONS = \{[^=]*= )\d+", rf"\g<1>{guess}", texts[chapter]))
                said.append(self.clone.lab("hint", str(chapter))[1])
            with self.subTest(chapter=chapter):
                self.assertNotEqual(said[0], said[1])
                self.assertRegex(said[1], "how to predict|the predictions")
                self.assertEqual(said[0], said[2])

    def test_each_thread_over_the_whole_matrix(self):
        begin = time.monotonic()
        out = self.check(1, ALL)
        self.assertLess(time.monotonic() - begin, 12)  # a second or two on a machine with nothing else to do
        self.assertRegex(out, r"the loop of line [456] goes over the whole matrix in each of [\d ]+ threads")
        self.assertIn("the work of a thread grows with the matrix", out)

    def test_one_thread_over_the_whole_matrix_does_what_is_needed(self):
        alone = ALL.replace("  for (size_t row = 0", "  if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y != 0) return;\n  for (size_t row = 0")
        self.assertNotIn("whole matrix", self.check(1, alone))

    def test_the_sentence_of_the_built_in_compiler_comes_first(self):
        out = self.check(1, self.changed(1, ["__ldg(&in[row * cols + col])", "__ldg(in[row * cols + col])"]))
        self.assertEqual(out.count("Note #"), 0, out)
        semicolon = self.changed(4, ["const size_t col0 = blockIdx.x * kTile;", "const size_t col0 = blockIdx.x * kTile"])
        line = semicolon[:semicolon.index("col0 = blockIdx")].count("\n") + 1
        first = self.check(4, semicolon).split("error")[0]
        self.assertRegex(first.split("\n")[-1], rf"transpose.cu.{line}\b")

    def test_what_may_help_is_no_later_answer(self):
        for chapter, change in ((4, []), (6, [["[kTile][kTile]", "[kTile][kTile + 1]"]])):
            self.check(chapter, self.changed(chapter, *change))
            shown = self.clone.json("show", str(chapter))[1]["what_if"]
            moves = [layout["name"] for tile in shown for layout in tile["layouts"][1:]]
            self.assertFalse([name for name in moves if "bytes" in name], moves)
            if chapter == 4:
                self.assertEqual(moves, [])
        self.check(5, self.changed(5, ["[kTile][kTile + 1]", "[kTile][kTile + 2]"]))
        layouts = self.clone.json("show", "5")[1]["what_if"][0]["layouts"]
        waves = [sum(access["wavefronts"] for access in layout["accesses"]) for layout in layouts]
        self.assertGreater(len(waves), 1)
        self.assertLess(max(waves[1:]), waves[0])

    def test_loops_around_a_missing_place_are_named(self):
        text = self.changed(4, ["for (int y = threadIdx.y; y < kTile; y += kBlockRows)", "for (int y = threadIdx.y; y < kTile; y += kTile)"])
        loops = [text[:at].count("\n") + 1 for at in (text.index("for (int y"), text.index("for (int x"))]
        self.assertIn(f"Which places a thread takes is decided at lines {loops[0]}, {loops[1]} too", self.check(4, text))
        again = self.changed(4, ["for (int x = threadIdx.y; x < kTile; x += kBlockRows)", "for (int x = threadIdx.y; x < kTile; ++x)"])
        self.assertIn(f"Which places a thread takes is decided at line {loops[1]} too", self.check(4, again))

    def test_what_decides_an_access_is_named(self):
        """A guard, a small function, the lines that an index comes from; and no guard where the index is at fault."""
        guard = self.changed(1, ["row < rows && col < cols", "row <= rows && col <= cols"])
        line = guard[:guard.index("row <= rows")].count("\n") + 1
        self.assertIn(f"Which elements get there is decided at line {line}:", self.check(1, guard))
        self.assertNotIn("Which elements get there", self.check(1, self.changed(1, ["out[col * rows + row]", "out[col * cols + row]"])))
        place = self.changed(8, ["swizzle(row / 4", "swizzle(row"])
        line = place[:place.index("swizzle(row,")].count("\n") + 1
        self.assertRegex(self.check(8, place), rf"The place in shared memory is computed at lines? {line}\b")
        axes = self.changed(1, ["row = blockIdx.y * blockDim.y + threadIdx.y", "row = blockIdx.y * blockDim.y + threadIdx.x"])
        line = axes[:axes.index("row = blockIdx")].count("\n") + 1
        self.assertIn(f"Which row and column a thread has is computed at lines {line}, {line + 1}.", self.check(1, axes))

    def test_constants_declarations_and_waits_behind_a_fault_are_named(self):
        for chapter, was, now, names in ((12, "kTile = 32", "kTile = 64", r"What the barrier waits for is said at lines (?:\d+, )*{}\b"),
                                         (12, "= 4 * (lane", "= (lane", r"The place in shared memory is computed at lines (?:\d+, )*{}\b"),
                                         (12, "wait(&barrier, 0)", "wait(&barrier, 1)", r"Threads wait at line {}:"),
                                         (7, "kThreads = 256", "kThreads = 512", r"Its constants get their values at lines (?:\d+, )*{}\b"),
                                         (11, "if (row >= rows || col >= cols) return;\n  float*", "if (row >= cols || col >= rows) return;\n  float*",
                                          r"Which elements get there is decided at lines (?:\d+, )*{}\b"),
                                         (11, "col + 1, row, cols", "col + 2, row, cols", r"The functions that move it are called at lines (?:\d+, )*{}\b"),
                                         (11, "[r][place(r, x)]", "[place(r, x)][r]", r"The functions that move it are called at lines (?:\d+, )*{}\b"),
                                         (8, "tile[4 * x + 1][", "tile[4 * x + 2][", r"`tile` is used at lines (?:\d+, )*{}\b"),
                                         (11, "r += kPacks", "++r", r"Which places a thread takes is decided at line {} too"),
                                         (10, "tile[S][S / C]", "tile[S / C][S]", r"`tile` is declared at line {}\.")):
            text = self.changed(chapter, [was, now])
            with self.subTest(chapter=chapter, now=now):
                self.assertRegex(self.check(chapter, text), names.format(text[:text.index(now)].count("\n") + 1))

    def test_a_loop_is_no_line_of_a_function_that_it_calls(self):
        text = self.changed(8, ["r += kPacks", "r += 1"])
        line = text[:text.index("r += 1")].count("\n") + 1  # of the loop, or of the statement that it holds
        self.assertRegex(self.check(8, text), f"times round the loop at line ({line}|{line + 1}):")

    def test_a_loop_is_named_where_nothing_is_left_but_a_call(self):
        head = "for (int r = y; r < kTile; r += kPacks)"
        for step in ("r += 0", "r -= 0"):
            text = self.changed(8, [head, head.replace("r += kPacks", step)])
            line = text[:text.index(step)].count("\n") + 1
            self.assertIn(f"its hottest loop is at line {line}", self.check(8, text))
        inner = self.changed(11, ["for (int k = 0; k < 4; ++k) lab::copy", "for (int k = 0; k < 4; k += 0) lab::copy"])
        line = inner[:inner.index("k += 0")].count("\n") + 1
        self.assertIn(f"its hottest loop is at line {line}", self.check(11, inner))

    def test_lanes_that_left_a_matrix_instruction(self):
        guard = "if (row < rows && col < cols) *re"
        text = self.changed(13, [guard, "if (row >= rows || col >= cols) return; *re"])
        line = text[:text.index("cols) return")].count("\n") + 1
        self.assertIn(f"Do lanes leave at the `return` of line {line}?", self.check(13, text))
        branch = self.changed(13, ["const uint4 pack = lab::load", "uint4 pack; if (warp < 7 || lane < 16) pack = lab::load"])
        self.assertNotIn("`return`", self.check(13, branch))

    def task(self, *changes):
        """Chapter 17 with changes, and what the check says of the kernel."""
        out = self.check(17, self.changed(17, *changes))
        return out[out.index("  ✗"):]

    def test_the_matrix_s_index_in_the_tile_is_named_where_it_is(self):
        for chapter, place, new in ((4, "tile[y][threadIdx.x] =", "tile[row][col] ="), (5, "tile[y][threadIdx.x] =", "tile[row][threadIdx.x] ="),
                                    (6, "tile[y][threadIdx.x ^ y] =", "tile[y][col ^ y] =")):
            text = self.changed(chapter, [place, new])
            line = text[:text.index(new)].count("\n") + 1
            with self.subTest(chapter=chapter):
                said = self.check(chapter, text)
                self.assertRegex(said, rf"✗ right on every shape +transpose.cu:{line} ")
                self.assertIn(f"The place at line {line} counts from the matrix's first block, by blockIdx at line", said)
                self.assertRegex(" ".join(self.clone.lab("hint", str(chapter))[1].split()), "anew in every block|0 in every block")
        said = self.check(4, self.changed(4, ["tile[y][threadIdx.x] =", "tile[threadIdx.x][y] ="]))
        self.assertNotIn("counts from the matrix's first block", said)

    def test_swapped_coordinates_of_a_store_are_asked_for(self):
        said = self.check(12, self.changed(12, ["out_map, row0, col0", "out_map, col0, row0"]))
        self.assertIn("The first coordinate of a tile counts along the rows of its matrix: of `out` it is a row of `in`.", said)

    def test_what_an_edit_changes_is_named_at_its_line(self):
        """{}: the line of the edit, wherever it stands in a list of lines."""
        for chapter, old, new, words in (
                (3, "rows % 4 == 0 && cols % 4 == 0", "rows % 4 == 0 || cols % 4 == 0", "Which elements get there is decided at {}"),
                (5, "[kTile + 1]", "[kTile + 2]", "The length of its rows is declared at {}"),
                (7, "col < cols; col += blockDim.x", "col <= cols; col += blockDim.x", "Which places a thread takes is decided at {}"),
                (8, "make_float4(a.y, b.y,", "make_float4(a.y, b.w,", "What arrives there was stored in shared memory at {}"),
                (9, "y < kPacks; y += kThreads / kPacks", "y < kPacks; ++y", "Which places a thread takes is decided at {}"),
                (11, "4 * x, col = col0 + 4 * y;", "x, col = col0 + 4 * y;", "The place in shared memory is computed at {}|is decided at {}"),
                (8, "row0 + 4 * x, cols, rows", "row0 + x, cols, rows", "The functions that move it are called at {}"),
                (8, "row0 + 4 * y + 3, col0 + 4 * x", "row0 + 4 * y + 3, col0 + x", "The functions that move it are called at {}"),
                (15, "c = row(4 * y + 2)", "c = row(4 * y + 3)", "The functions that move it are called at {}"),
                (16, "row0 + y, col = col0 + threadIdx.x", "row0 + y, col = col0 + threadIdx.y", "Which row and column a thread has is computed at {}"),
                (13, "kTile = 64;", "kTile = 128;", "Its constants get their values at {}"),
                (14, "kBlocks = 2;", "kBlocks = 4;", "Its constants get their values at {}"),
                (15, "r < kTile; r += kPacks", "r <= kTile; r += kPacks", "Which places a thread takes is decided at {}"),
                (15, "tile[4 * x + 1][place(4 * x + 1, kPacks)]", "tile[4 * x + 2][place(4 * x + 1, kPacks)]", "stored in shared memory at {}"),
                (16, "x < kTile; x += kBlockRows", "x < kTile; ++x", "Which places a thread takes is decided at {}"),
                (16, "gpus.first_row(gpus.self + 1)", "gpus.first_row(gpus.self + 2)", "Which GPU has which rows and columns is computed at {}")):
            text = self.changed(chapter, [old, new])
            line = rf"lines? (\d+, )*{text[:text.index(new)].count(chr(10)) + 1}\b"
            with self.subTest(chapter=chapter, new=new):
                self.assertRegex(self.check(chapter, text), words.replace("{}", line))
        said = self.check(7, self.changed(7, ["columns[blockIdx.x * cols", "columns[blockIdx.y * cols"]))
        self.assertIn("the kernel swizzle_map has stored nothing for element (1,0)", said)
        self.assertIn(".block says 1 × 256 threads.", self.check(13, self.changed(13, [".block = {256, 1}", ".block = {1, 256}"])))
        self.assertIn(".cluster of LAUNCH_SHAPE asks for them", self.check(14, self.changed(14, ["kBlocks = 2;", "kBlocks = 4;"])))

    def test_a_part_of_a_lesson_fits_what_some_check_says(self):
        source = "".join(path.read_text(encoding="utf-8") for path in (mistakes.ROOT / "common").glob("**/*.cpp"))
        for lesson in mistakes.ROOT.glob("chapters/*/README*.md"):
            words = set(" ".join(re.findall(r"<!-- fits: (.*?) -->", lesson.read_text(encoding="utf-8"))).split())
            self.assertEqual([word for word in sorted(words) if f'"{word}"' not in source], [], lesson)

    def test_what_is_no_transpose_has_no_element_that_travels(self):
        out = self.task(["above = own, own = below;", "own = below;"])
        self.assertNotRegex(out, r"\bin\(|kept in shared memory|No thread")
        self.assertRegex(out, r"stencil, fixed +transpose.cu:\d+ +out\[row \* cols \+ col\] =")
        out = self.task(["row + 1 < rows ? in[(row + 1) * cols + col] : 0", "in[(row + 1) * cols + col]"])
        self.assertRegex(out, r"`in` has \d+ rows of \d+ elements")
        self.assertNotIn("`out` 1×", out)
        out = self.task(["if (t == 0) atomicAdd(out, mine);", "if (t == 0) *out = mine;"])
        self.assertIn("that should have been added to what it held", out)

    def test_a_hint_is_of_the_kernel_that_is_wrong(self):
        for change, words in ((["above = own, own = below;", "own = below;"], "three rows of `in`"),
                              (["if (t == 0) atomicAdd(out, mine);", "if (t == 0) *out = mine;"], "sum is part 0")):
            self.check(17, self.changed(17, change))
            hint = " ".join(self.clone.lab("hint", "17")[1].split())
            self.assertIn(words, hint)
            self.assertNotIn("The histogram", hint)

    def test_lanes_that_do_nothing_name_the_line_that_has_them(self):
        text = mistakes.base_text({"id": "17"})
        begin = text.index("void histogram(")
        at = text.index("atomicAdd(&out[", begin)
        start, end = text.rindex("\n", 0, at) + 1, text.index("\n", at)
        alone = "  if (threadIdx.x == 0) for (int b = 0; b < kBins; ++b) atomicAdd(&out[b], counts[b]);"
        out = self.check(17, text[:start] + alone + text[end:])
        line = text[:start].count("\n") + 1
        self.assertRegex(out, rf"histogram, fixed +transpose.cu:{line}\b")
        self.assertIn("1 of 32 lanes act in a request", out)

    def test_what_is_no_finding_costs_no_point(self):
        text = mistakes.base_text({"id": "17"})
        said = re.search(r"FINDING_OF\(table_a\) = \{\.line = '(\w)', \.cause = (\w+)\}", text)
        self.assertIsNotNone(said)
        for form, words in ((f".line = 2, .cause = {said[2]}", "is a small letter in quotes"),
                            (f".line = '{said[1].upper()}', .cause = {said[2]}", "small letter"),
                            (f".line = '{said[1]}', .cause = kMisalignedAccess", "a cause of chapter 18"),
                            (f".line = '{said[1]}'", "names no cause yet"),
                            (f".cause = {said[2]}", "names no line yet")):
            out = self.check(17, text.replace(said[0], "FINDING_OF(table_a) = {" + form + "}"))
            self.assertIn(words, out)
            self.assertIn("17", self.check(17, text))
            self.assertNotIn("your first finding was another", self.check(17, text))

    def test_an_array_that_is_reached_is_not_the_one_that_is_left(self):
        if self.clone.lab("check", "12", "--solution", "--device", "sim")[0] == 3:
            self.skipTest("no compiler here knows the instructions of Hopper")
        out = self.check(12, self.changed(12, ["(col / 4 ^ row % 8) * 4", "(col / 4 ^ row) * 4"]))
        self.assertIn("lands in another array", out)
        self.assertNotIn("the last element is", out)
        out = self.check(12, self.changed(12, ["__shared__ lab::Barrier barrier", "lab::Barrier barrier"]))
        self.assertIn("Is __shared__ missing in front of its declaration?", out)
        self.assertNotIn("cluster", out.lower().split("next")[0])
        out = self.check(14, self.changed(14, ["owner = 4 * x / kOutRows, row = 4 * x % kOutRows", "owner = 4 * x % kOutRows, row = 4 * x / kOutRows"]))
        self.assertRegex(out, r"It is an address of block \d+ of the cluster, and the cluster has 2")
        self.assertNotIn("That is where", out)

    def test_an_element_that_is_read_was_not_left_out_by_a_block(self):
        if self.clone.lab("check", "14", "--solution", "--device", "sim")[0] == 3:
            self.skipTest("no compiler here knows the instructions of Hopper")
        out = self.check(14, self.changed(14, ["lane = thread % 32", "lane = x"]))
        self.assertIn("it is lost on the way out", out)
        self.assertNotIn("no block has taken it", out)
        left_out = self.check(16, self.changed(16, ["turn / gridDim.x * kTile", "turn / gridDim.x * kTile * 2"]))
        self.assertNotIn("lost on the way out", left_out)

    def test_a_wait_for_fewer_than_none(self):
        out = self.check(11, self.changed(11, ["constexpr int kStages = 3", "constexpr int kStages = 1"]))
        self.assertIn("all of them: its number is negative", out)

    def test_why_a_count_is_what_it_is_is_said_of_that_count_alone(self):
        out = self.check(10, self.changed(10, ["kChunk<T> < 4 ? kChunk<T> : 4;", "kChunk<T> < 8 ? kChunk<T> : 8;"]))
        self.assertIn("You predicted .shared_store_wavefronts_per_request = 1; counted: 2.", out)
        self.assertNotIn("A turned word holds 4 bytes", out)

    def test_words_of_other_languages(self):
        self.assertIn("A comma in [ ] takes what stands behind it alone", self.check(1, self.changed(1, ["out[col * rows + row]", "out[col, row]"])))
        self.assertNotIn("A comma in [ ]", self.check(1, self.changed(1, ["out[col * rows + row]", "out[row * cols + col]"])))
        out = self.check(4, self.changed(4, ["__shared__ float tile", "float tile"]))
        self.assertIn("__shared__ is missing in front of it", out)

    def test_arguments_by_default_are_not_counted(self):
        text = self.changed(11, ["lab::copy_async<16>(to, from, 4 * left)", "lab::copy_async<16>(to, *from)"])
        self.assertNotIn("takes 3 arguments, and here are", self.check(11, text))
        self.assertEqual(self.check(1, self.changed(1, ["__ldg(&in[row * cols + col])", "__ldg(&in)[row * cols + col]"])).count("Note #"), 0)

    def test_coordinates_that_change_places_are_no_wrong_swizzle(self):
        if self.clone.lab("check", "12", "--solution", "--device", "sim")[0] == 3:
            self.skipTest("no compiler here knows the instructions of Hopper")
        out = self.check(12, self.changed(12, ["in_map, col0, row0", "in_map, row0, col0"]))
        self.assertNotIn("chapter 07's formula", out)
        self.assertIn("A copy's coordinates are columns before rows", out)

    def test_what_is_done_too_often_is_named_at_its_line(self):
        """A step of one in a loop, a loop that the compiler unrolls, and a copy that each thread starts."""
        loop = self.changed(7, ["  // Along the rows of `out`: neighbouring lanes write neighbouring elements.\n"
                                "  for (unsigned i = thread; i < kTileRows * kTileCols; i += kThreads)",
                                "  for (unsigned i = thread; i < kTileRows * kTileCols; ++i)"])
        line = loop[:loop.index("; ++i)")].count("\n") + 1
        self.assertIn(f"in the loop of line {line}:", " ".join(self.check(7, loop).split()))
        self.assertRegex(self.check(9, self.changed(9, ["y += kThreads / kPacks", "++y"])), r"line \d+ moves [\d ]+ bytes where")
        if self.clone.lab("check", "12", "--solution", "--device", "sim")[0] == 3:
            self.skipTest("no compiler here knows the instructions of Hopper")
        sent = self.changed(12, ["  if (first) {\n    lab::store_tile", "  {\n    lab::store_tile"])
        line = sent[:sent.index("lab::store_tile(")].count("\n") + 1
        self.assertIn(f"line {line} moves", " ".join(self.check(12, sent).split()))

    def test_a_fix_as_data_is_what_the_message_asks_for(self):
        def fix(chapter, *changes):
            self.check(chapter, self.changed(chapter, *changes))
            case = next(case for case in self.clone.json("check", str(chapter), "--device", "sim", "--try-fixes")[1]["cases"] if not case["passed"])
            return [edit.get("code", edit["what"]) for edit in case["reasons"][0].get("fix", {}).get("edits", [])]

        turned = ["out[col * rows + row] = __ldg(&in[row * cols + col])", "out[row * rows + col] = __ldg(&in[col * cols + row])"]
        self.assertNotIn("guard", fix(1, turned), "the message says that the guard is right")
        narrow = fix(1, ["const size_t row", "const int row"], ["const size_t col", "const int col"])
        self.assertIn("out[(size_t)col * rows + row]", narrow[0])
        small = fix(2, [".tile = {32, 8}", ".tile = {8, 32}"])
        self.assertIn(".tile = {32, 8}", small[0], "not the block, with which one case passes and the next does not")

    def test_of_two_paddings_that_cost_the_same_the_smaller_is_offered(self):
        self.check(5, self.changed(5, ["[kTile][kTile + 1]", "[kTile][kTile + 4]"]))
        layouts = self.clone.json("show", "5")[1]["what_if"][0]["layouts"]
        self.assertEqual([layout["bytes"] for layout in layouts[1:]], [32 * 33 * 4])

    def test_limits_of_a_wrong_kernel_names_a_command_that_says_where(self):
        self.check(1, self.changed(1, ["col * rows + row", "row * cols + col"]))
        code, _, err = self.clone.lab("limits", "1")
        self.assertNotEqual(code, 0)
        self.assertIn("./lab check 1", err)

    def test_rows_that_a_kernel_cannot_take_are_said_before_it_runs(self):
        for words in (("limits", "14", "--solution", "--size", "4097x4095"), ("bench", "--chapters", "14,15", "--sizes", "33x35", "--device", "sim"),
                      ("check", "12", "--rows", "33", "--cols", "35"), ("step", "14", "--solution", "--rows", "33", "--cols", "35")):
            _, out, err = self.clone.lab(*words)
            self.assertIn("The rows of both matrices must be multiples of 16 bytes", out + err)
            self.assertNotIn("misaligned", out + err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
