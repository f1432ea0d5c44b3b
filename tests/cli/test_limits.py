"""`lab limits`: what it says follows from the counters and the rates, and bad input ends in words.

Enters: LAB_PROGRAM, the built program, data/gpus. Leaves: one unittest verdict. The bound is worked out here a second time."""
import json
import tomllib
import unittest

from sandbox import SOURCE, Clone

KERNEL = """extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < cols) out[GUARD c * rows + r] = in[r * cols + c];
}
"""
KEYS = {"dram": "dram_bytes", "l2": "store_sectors", "shared": "shared_wavefronts", "issue": "warp_instructions"}
clone = Clone()
(clone.root / "my.cu").write_text(KERNEL.replace("GUARD", ""))
(clone.root / "wrong.cu").write_text(KERNEL.replace("GUARD", "1 +"))


def sheet(name):
    return tomllib.loads((SOURCE / "data" / "gpus" / f"{name}.toml").read_text(encoding="utf-8"))


class Limits(unittest.TestCase):
    def ask(self, *args):
        code, out, err = clone.lab("limits", *args, "--json")
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def test_the_slowest_part_bounds(self):
        says, measured = self.ask("my.cu", "--size", "64x96"), sheet("h200")["measured"]
        self.assertEqual((says["gpu"], says["rates"], says["counted_on"]), ("h200", "measured", [64, 96]))
        self.assertEqual(says["work"]["dram"], 2 * 64 * 96 * 4)
        self.assertEqual(says["work"]["l2"], 64 * 96)  # each element into a sector of its own
        self.assertEqual(says["work"]["shared"], 0)
        for part, key in KEYS.items():
            self.assertAlmostEqual(says["parts"][part], says["work"][part] / measured[f"{key}_per_second"], delta=1e-15)
        self.assertEqual(says["bound"], max(says["parts"], key=says["parts"].get))
        self.assertAlmostEqual(says["seconds"], max(says["parts"].values()) + says["launch_seconds"], delta=1e-15)

    def test_another_gpu_is_scaled_by_its_data_sheet(self):
        here, there, a, b = self.ask("my.cu", "--size", "64"), self.ask("my.cu", "--size", "64", "--gpu", "t4"), sheet("h200"), sheet("t4")
        self.assertEqual(there["rates"], "data sheet")
        memory = a["memory_bandwidth_bytes_per_second"] / b["memory_bandwidth_bytes_per_second"]
        width = a["multiprocessors"] * a["clock_mhz"] / (b["multiprocessors"] * b["clock_mhz"])
        self.assertAlmostEqual(there["parts"]["dram"] / here["parts"]["dram"], memory, places=6)
        self.assertAlmostEqual(there["parts"]["l2"] / here["parts"]["l2"], width, places=6)

    def test_a_large_matrix_is_counted_on_a_small_one(self):
        small, large = self.ask("my.cu", "--size", "1024"), self.ask("my.cu", "--size", "4096x8192")
        self.assertEqual(large["counted_on"], [1024, 1024])
        self.assertEqual(large["work"]["l2"], 32 * small["work"]["l2"])
        self.assertEqual(self.ask("my.cu", "--size", "2055x100")["counted_on"], [1031, 100])

    def test_text_says_what_is_predicted(self):
        code, out, _ = clone.lab("limits", "1", "--solution", "--size", "256")
        self.assertEqual(code, 0)
        self.assertIn("predicted, not measured", out)
        self.assertEqual(out.count("<- bounds it"), 1)
        self.assertIn("Nothing was measured on this GPU", clone.lab("limits", "my.cu", "--size", "64", "--gpu", "a100")[1])
        self.assertIn("Counted on 1024×1024", clone.lab("limits", "my.cu")[1])

    def test_bad_input(self):
        for args, code, words in (((), 2, "kernel"), (("my.cu", "--gpu", "voodoo"), 2, "h200"), (("my.cu", "--size", "0"), 2, "rows is 0"),
                                  (("my.cu", "--size", "9x"), 2, "--size"), (("nothing.cu",), 2, "nothing.cu"), (("my.cu", "--solution"), 2, "chapter"),
                                  (("wrong.cu", "--size", "64"), 1, "goes wrong")):
            with self.subTest(args=args):
                got, out, err = clone.lab("limits", *args)
                self.assertEqual((got, out if got == 2 else ""), (code, ""))
                self.assertIn(words, err)


if __name__ == "__main__":
    unittest.main()
