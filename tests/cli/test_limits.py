"""`lab limits`: what it says follows from the counters and the rates, and bad input ends in words.

Enters: LAB_PROGRAM, the built program, data/gpus. Leaves: one unittest verdict. The model itself: tests/model, tools/time_model.py."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import tomllib
import unittest

from sandbox import PROGRAM, SOURCE, Clone

KERNEL = """extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < cols) out[GUARD c * rows + r] = in[r * cols + c];
}
"""
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

    def test_the_model_of_run_time_says_it(self):
        says, rate = self.ask("my.cu", "--size", "64x96"), sheet("h200")["time"]
        self.assertEqual((says["gpu"], says["rates"], says["counted_on"]), ("h200", "measured", [64, 96]))
        self.assertEqual(says["modelled"]["work"]["l2_write_sectors"], 64 * 96)  # each element into a sector of its own
        self.assertEqual(says["modelled"]["work"]["l2_partial_sectors"], 64 * 96)
        self.assertEqual(says["work"]["shared"], 0)
        self.assertEqual(says["modelled"]["dram_read"], 64 * 96 * 4)  # the cache held nothing of it,
        self.assertEqual(says["modelled"]["dram_write"], 64 * 96 * 4)  # and all that was written leaves
        self.assertEqual(says["parts"], says["modelled"]["parts"])
        self.assertEqual((says["bound"], says["seconds"]), ("launch", rate["launch_seconds"]))
        large = self.ask("my.cu", "--size", "8192")
        busy = large["modelled"]["busy"]
        self.assertEqual(large["bound"], max(busy, key=busy.get))
        self.assertGreaterEqual(busy[large["bound"]], 60)
        self.assertGreater(large["seconds"], max(large["parts"].values()))

    def test_occupancy_and_what_is_on_its_way(self):
        says = self.ask("my.cu", "--size", "1024")
        room = says["occupancy"]
        self.assertEqual(room["blocks"], min(room["by_threads"], room["by_registers"], room["by_shared"]))
        self.assertEqual(room["by_threads"], 2048 // 256)
        self.assertEqual(says["bytes_at_once"], 4 * 2048)  # one float a thread
        self.assertGreater(says["instructions_per_byte"], 1)
        solution = self.ask("15", "--solution", "--size", "1024")
        self.assertEqual(solution["bytes_at_once"], 64 * 256 * solution["occupancy"]["blocks"])

    def test_another_gpu_is_scaled_by_its_data_sheet(self):
        here, there, a, b = self.ask("my.cu", "--size", "4096"), self.ask("my.cu", "--size", "4096", "--gpu", "t4"), sheet("h200"), sheet("t4")
        self.assertEqual(there["rates"], "data sheet")
        width = a["multiprocessors"] * a["clock_mhz"] / (b["multiprocessors"] * b["clock_mhz"])
        self.assertAlmostEqual(there["parts"]["l2"] / here["parts"]["l2"], width, places=6)

    def test_a_large_matrix_is_counted_on_a_small_one(self):
        small, large = self.ask("my.cu", "--size", "1024"), self.ask("my.cu", "--size", "4096x8192")
        self.assertEqual(large["counted_on"], [1024, 1024])
        self.assertEqual(large["work"]["l2"], 32 * small["work"]["l2"])
        self.assertEqual(large["work"]["dram"], 2 * 4096 * 8192 * 4)
        self.assertEqual(self.ask("my.cu", "--size", "2055x100")["counted_on"], [1031, 100])

    def test_a_pass_says_what_it_reaches(self):
        """The same number as `limits`, beside the reference's; not before a pass."""
        solutions = {n: next(clone.root.glob(f"solutions/{n}_*/transpose.cu")) for n in ("02", "05")}
        speed = {n: 2 * 8192 * 8192 * 4 / self.ask(str(path))["seconds"] for n, path in solutions.items()}
        padded = solutions["05"].read_text(encoding="utf-8")
        fewer_threads = padded.replace("kBlockRows = 8", "kBlockRows = 4").replace(".block = {32, 8}", ".block = {32, 4}")
        (clone.root / "five.cu").write_text(fewer_threads, encoding="utf-8")
        code, got = clone.json("check", "5", "--kernel", "five.cu", "--device", "sim")
        self.assertEqual((code, got["reach"]["gpu"], got["reach"]["rows"]), (0, "h200", 8192))
        self.assertAlmostEqual(got["reach"]["reference_bytes_per_second"], speed["05"], delta=1)
        self.assertAlmostEqual(got["reach"]["bytes_per_second"], 2 * 8192 * 8192 * 4 / self.ask("five.cu")["seconds"], delta=1)
        own = clone.json("check", "2", "--solution", "--device", "sim")[1]["reach"]
        self.assertAlmostEqual(own["bytes_per_second"], speed["02"], delta=1)
        self.assertIsNone(own["reference_bytes_per_second"])
        self.assertIsNone(clone.json("check", "5", "--device", "sim")[1]["reach"])
        self.assertIn("GB/s read and written, the reference", clone.lab("check", "5", "--kernel", "five.cu", "--device", "sim")[1])

    def test_a_program_that_is_replaced_while_it_runs(self):
        """As by a build: nothing is lost but what would have been remembered of it."""
        build = pathlib.Path(PROGRAM).parents[2]
        with tempfile.TemporaryDirectory() as folder:
            common = pathlib.Path(folder) / "common"
            for part in ("cli/lab", "compile/lab-nvrtc"):
                (common / part).parent.mkdir(parents=True)
                shutil.copy(build / "common" / part, common / part)
            words = [common / "cli/lab", "check", "5", "--solution", "--device", "sim", "--json"]
            with subprocess.Popen(words, env=clone.env, cwd=clone.root, stdout=subprocess.PIPE, text=True) as running:
                words[0].unlink()
                got = json.loads(running.communicate()[0])
            self.assertEqual((running.returncode, got["reach"]), (0, clone.json(*words[1:-1])[1]["reach"]))
            alone = shutil.copy(PROGRAM, clone.root / "lab")
            done = subprocess.run([alone, *words[1:-1]], env=clone.env, cwd=clone.root, capture_output=True, text=True)
            self.assertIn("this is a copy outside of its build folder", done.stderr)
            self.assertNotIn("cannot start", done.stderr)  # a compiler of PATH compiles, or none is named

    def test_text_says_what_is_predicted(self):
        code, out, _ = clone.lab("limits", "1", "--solution", "--size", "256")
        self.assertEqual(code, 0)
        self.assertIn("predicted, not measured", out)
        self.assertIn("On their way at once: 4 bytes per thread", out)
        self.assertEqual(clone.lab("limits", "1", "--solution")[1].count("<- bounds it"), 1)
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
