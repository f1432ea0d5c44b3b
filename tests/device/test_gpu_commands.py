"""`lab check --device` and `lab doctor` on a driver without a GPU (fake_cuda.cpp), as a student runs them.

Enters: LAB_PROGRAM, the built program; LAB_FAKE_CUDA, the driver. Leaves: one unittest verdict."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["LAB_PROGRAM"]
FAKE = os.environ["LAB_FAKE_CUDA"]
ROOT = Path(__file__).resolve().parents[2]


def lab(*args, fake="", driver=FAKE, **env):
    full = dict(os.environ, TERM="dumb", LAB_ROOT=str(ROOT), LAB_CUDA_DRIVER=driver, LAB_CUBLAS=FAKE, FAKE_CUDA=fake, **env)
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, env=full, timeout=240)
    return done.returncode, done.stdout, done.stderr


KERNEL = """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 32,
               .global_load_sectors = 131072, .global_store_sectors = 1048576};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) BODY
}
"""


class Check(unittest.TestCase):
    def kernel(self, body):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "kernel.cu"
        path.write_text(KERNEL.replace("BODY", body))
        return str(path)

    def test_both_devices(self):
        code, out, err = lab("check", "1", "--solution", "--plain")
        self.assertEqual(code, 0, out + err)
        self.assertIn("Fake GPU 0: the same results as the simulator on", out)
        self.assertIn("% of a copy", out)

    def test_json(self):
        code, out, _ = lab("check", "1", "--solution", "--json", "--device", "gpu")
        gpu = json.loads(out)["gpu"]
        self.assertEqual(code, 0)
        self.assertEqual((gpu["name"], gpu["alone"], gpu["problem"]), ("Fake GPU 0", True, ""))
        self.assertGreater(gpu["shapes"], 390)  # the sweep
        self.assertGreater(gpu["time"]["time"]["seconds"], 0)
        self.assertGreater(gpu["time"]["copy"]["gigabytes_per_second"], 0)

    def test_sim_asks_no_driver(self):
        code, out, _ = lab("check", "1", "--solution", "--json", "--device", "sim", fake="crash=cuInit")
        self.assertEqual((code, json.loads(out)["gpu"]), (0, None))

    def test_gpu_index(self):
        code, out, _ = lab("check", "1", "--solution", "--gpu-index", "1", "--device", "gpu", fake="count=2")
        self.assertEqual(code, 0)
        self.assertIn("Fake GPU 1", out)
        code, _, err = lab("check", "1", "--solution", "--gpu-index", "2", "--device", "gpu", fake="count=2")
        self.assertEqual(code, 3)
        self.assertIn("There is no GPU 2", err)

    def test_no_gpu(self):
        none = "/nonexistent/libcuda.so.1"
        code, out, _ = lab("check", "1", "--solution", "--plain", driver=none)
        self.assertEqual(code, 0)
        self.assertNotIn("GPU", out)  # none is expected
        code, _, err = lab("check", "1", "--solution", "--device", "gpu", driver=none)
        self.assertEqual(code, 3)
        self.assertIn("libcuda.so.1 is not on this machine", err)

    def test_gpu_that_fails_in_auto_is_told_and_forgiven(self):
        for fake, words in (("cuInit=304", "operating system does not let"), ("crash=cuMemcpyHtoD_v2", "signal 6"),
                            ("cuMemAlloc_v2=2", "not enough free memory"), ("cuCtxSynchronize=214", "fails at")):
            with self.subTest(fake=fake):
                code, out, err = lab("check", "1", "--solution", "--plain", fake=fake)
                self.assertEqual(code, 0, out + err)
                self.assertIn("GPU not used", out)
                self.assertIn(words, out)
                code, _, err = lab("check", "1", "--solution", "--device", "gpu", fake=fake)
                self.assertEqual(code, 3)
                self.assertIn(words, err)

    def test_devices_that_disagree_are_a_failure(self):
        code, out, _ = lab("check", "1", "--solution", "--json", fake="wrong")
        reasons = [reason["code"] for case in json.loads(out)["cases"] for reason in case["reasons"]]
        self.assertEqual(code, 1)
        self.assertIn("devices-disagree", reasons)
        code, out, _ = lab("explain", "devices-disagree")
        self.assertEqual(code, 0)

    def test_faults_of_the_gpu_have_names(self):
        beyond = self.kernel("out[col * rows + row + (1ull << 40)] = in[row * cols + col];")
        code, out, _ = lab("check", "1", "--kernel", beyond, "--device", "gpu", "--plain")
        self.assertEqual(code, 1)
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", out)
        self.assertIn("--device sim", out)
        # With both devices the simulator speaks first, and names the line.
        code, out, _ = lab("check", "1", "--kernel", beyond, "--plain")
        self.assertEqual(code, 1)
        self.assertIn("kernel.cu:7", out)
        self.assertNotIn("CUDA_ERROR", out)

    def test_wrong_on_both_is_no_disagreement(self):
        code, out, _ = lab("check", "1", "--kernel", self.kernel("out[row * cols + col] = in[row * cols + col];"), "--json")
        reasons = [reason["code"] for case in json.loads(out)["cases"] for reason in case["reasons"]]
        self.assertEqual(code, 1)
        self.assertIn("wrong-element", reasons)
        self.assertNotIn("devices-disagree", reasons)


class TwoGpus(unittest.TestCase):
    TWO = "count=2;memory=1000000000"

    def kernel(self, old, new):
        text = (ROOT / "solutions" / "16_two_gpus" / "transpose.cu").read_text()
        self.assertIn(old, text)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "kernel.cu"
        path.write_text(text.replace(old, new))
        return str(path)

    def test_check(self):
        code, out, err = lab("check", "16", "--solution", "--plain", fake="count=2")
        self.assertEqual(code, 0, out + err)
        self.assertIn("Fake GPU 0: the same results as the simulator on", out)
        self.assertIn("on 2 GPUs in", out)
        number = lambda words: int(re.sub(r"\D", "", re.search(words, out)[1]))
        self.assertLess(number("as the simulator on (.*?) shapes"), number("· (.*?) shapes correct"))  # some are for 3 GPUs and more
        code, out, _ = lab("check", "16", "--solution", "--json", "--device", "gpu", fake="count=2")
        gpu = json.loads(out)["gpu"]
        self.assertEqual((code, gpu["problem"]), (0, ""))
        self.assertGreater(gpu["shapes"], 100)

    def test_too_few(self):
        for fake in ("count=1", "count=2;peers=0"):
            with self.subTest(fake=fake):
                code, out, err = lab("check", "16", "--solution", "--plain", fake=fake)
                self.assertEqual(code, 0, out + err)
                self.assertIn("runs on 2 GPUs at once", out)
                code, _, err = lab("check", "16", "--solution", "--device", "gpu", fake=fake)
                self.assertEqual(code, 3)
                self.assertIn("runs on 2 GPUs at once", err)

    def test_what_is_wrong_is_found_on_the_gpus_alone(self):
        skeleton = str(ROOT / "chapters" / "16_two_gpus" / "transpose.cu")
        self.assertEqual(lab("check", "16", "--kernel", skeleton, "--device", "gpu", fake="count=2")[0], 1)
        beyond = self.kernel("col < end_col", "col < end_col + 1")
        self.assertEqual(lab("check", "16", "--kernel", beyond, "--device", "gpu", fake="count=2")[0], 1)

    def test_bench(self):
        code, out, err = lab("bench", "--chapters", "5,16", "--sizes", "64,33x65", "--samples", "5", "--json", fake=self.TWO)
        got = json.loads(out)
        self.assertEqual(code, 0, out + err)
        self.assertNotIn("peer_copy", got["kernels"][0]["cells"][0])
        for cell, crossing in zip(got["kernels"][1]["cells"], (32 * 32 * 4, 17 * 32 * 4)):
            self.assertEqual((cell["gpus"], cell["crossing_bytes"]), (2, crossing))
            self.assertAlmostEqual(cell["time"]["share_of_copy"], cell["peer_copy"]["seconds"] / cell["time"]["seconds"], 6)
            # Both ways at once, as the fake driver's clocks have it: one after the other, it would be twice that.
            self.assertAlmostEqual(cell["peer_copy"]["seconds"], 1e-6 + crossing * 2e-12, 9)
        code, out, _ = lab("bench", "--chapters", "16", "--sizes", "64", "--samples", "5", "--plain", fake=self.TWO)
        self.assertIn("over the link", out)
        wrong = self.kernel("col < end_col", "col + 1 < end_col")
        code, out, _ = lab("bench", wrong, "--sizes", "64", "--samples", "5", "--json", fake=self.TWO)
        self.assertEqual(code, 1)
        self.assertIn("The result is wrong", json.loads(out)["kernels"][0]["cells"][0]["problem"])

    def test_bench_with_too_few(self):
        code, out, _ = lab("bench", "--chapters", "16", "--sizes", "64", "--json", fake="memory=1000000000")
        self.assertEqual(code, 1)
        self.assertIn("runs on 2 GPUs at once", json.loads(out)["kernels"][0]["cells"][0]["problem"])


class Bench(unittest.TestCase):
    ROOMY = "memory=1000000000"

    def bench(self, *args, **how):
        code, out, err = lab("bench", *args, "--samples", "5", "--json", **how)
        return code, json.loads(out) if out else None, err

    def test_times(self):
        code, got, _ = self.bench("--chapters", "2,5-6", "--sizes", "64,33x65", "--against", "cublas", fake=self.ROOMY)
        self.assertEqual(code, 0)
        self.assertEqual((got["device"], got["has_times"], got["cublas"]), ("Fake GPU 0", True, "13.1"))
        self.assertEqual([k["name"] for k in got["kernels"]], ["02_coalescing", "05_padding", "06_xor_swizzle", "cuBLAS geam"])
        self.assertEqual([(c["rows"], c["cols"], c["bytes"]) for c in got["columns"]], [(64, 64, 32768), (33, 65, 17160)])
        for kernel in got["kernels"]:
            for column, cell in zip(got["columns"], kernel["cells"]):
                time, copy = cell["time"], column["copy"]
                self.assertAlmostEqual(time["share_of_copy"], copy["seconds"] / time["seconds"], 6)
                self.assertAlmostEqual(time["gigabytes_per_second"], column["bytes"] / time["seconds"] / 1e9, 6)
                self.assertLessEqual(time["low"], time["seconds"])
                self.assertEqual(time["samples"], 5)

    def peers(self, answer, *against):
        """Peers whose Python is a script: `answer` is what it does, with the cells that it is asked for in $@."""
        with tempfile.TemporaryDirectory() as folder:
            python = Path(folder) / "python"
            python.write_text("#!/bin/sh\nshift 3\n" + answer)
            python.chmod(0o755)
            return self.bench("--chapters", "5", "--sizes", "64,33x65", "--against", ",".join(against), fake=self.ROOMY, LAB_PYTHON=str(python))

    def test_peers(self):
        rows = "for cell; do echo \"$(echo $cell | tr : ,),%s,8,7,9,1,1,1,%s\"; done"
        code, got, _ = self.peers("echo element_bytes,and,so,on\n" + rows % ("Triton 64x64 4 warps", "right"), "cublas", "triton")
        self.assertEqual(code, 0)
        self.assertEqual([k["name"] for k in got["kernels"]], ["05_padding", "cuBLAS geam", "Triton"])
        for column, cell in zip(got["columns"], got["kernels"][2]["cells"]):
            self.assertAlmostEqual(cell["time"]["seconds"], 8e-6)
            self.assertAlmostEqual(cell["time"]["share_of_copy"], column["copy"]["seconds"] / 8e-6, 6)
        code, got, _ = self.peers(rows % ("torch", "WRONG"), "torch")
        self.assertEqual((code, got["kernels"][1]["cells"][0]["time"]), (0, None))
        self.assertIn("The result of PyTorch is wrong", got["kernels"][1]["cells"][0]["problem"])
        code, got, _ = self.peers("shift; echo \"$(echo $1 | tr : ,),torch,8,7,9,1,1,1,right\"", "torch")
        self.assertEqual([cell["problem"] for cell in got["kernels"][1]["cells"]], ["PyTorch has no transpose of these.", ""])

    def test_peers_that_are_not_there(self):
        code, got, _ = self.peers("echo 'Traceback'; echo 'ModuleNotFoundError: No module named torch' >&2; exit 1", "triton", "torch")
        self.assertEqual((code, [k["name"] for k in got["kernels"]]), (0, ["05_padding"]))
        for name, words in zip(("Triton", "PyTorch"), got["peer_problems"]):
            self.assertRegex(words, f"^{name} was not timed: .*ended with \"ModuleNotFoundError: No module named torch\".*LAB_PYTHON")
        _, got, _ = self.peers("exit 1", "torch")
        self.assertRegex(got["peer_problems"][0], 'ended with "it said nothing"')
        code, got, _ = self.bench("--chapters", "5", "--sizes", "64", "--against", "torch,fast", driver="/nonexistent/libcuda.so.1")
        self.assertEqual(got["peer_problems"], ["PyTorch needs a GPU.", "lab::transpose needs a GPU."])
        code, _, err = self.bench("--chapters", "5", "--sizes", "64", "--against", "cudnn")
        self.assertEqual(code, 2)
        self.assertIn("triton, torch and fast", err)
        code, _, err = self.bench("--chapters", "5", "--sizes", "64", "--against", "torch", "--gpu-index", "1")
        self.assertEqual(code, 2)
        self.assertIn("CUDA_VISIBLE_DEVICES=1", err)

    def test_types(self):
        code, got, _ = self.bench("--chapters", "5,10", "--sizes", "64", "--types", "u8,half,float,double,u128", fake=self.ROOMY)
        self.assertEqual(code, 0)
        offered = [[cell["offered"] for cell in k["cells"]] for k in got["kernels"]]
        self.assertEqual(offered, [[False, False, True, False, False], [True] * 5])
        self.assertEqual([c["elem_bytes"] for c in got["columns"]], [1, 2, 4, 8, 16])

    def test_counters_without_a_gpu(self):
        code, got, _ = self.bench("--chapters", "4,5", "--sizes", "256", "--against", "cublas", driver="/nonexistent/libcuda.so.1")
        self.assertEqual((code, got["device"], got["has_times"]), (0, "simulator", False))
        conflicts = [k["cells"][0]["counted"]["bank_conflicts"] for k in got["kernels"]]
        self.assertEqual(conflicts, [31 * 256 * 256 // 32, 0])
        self.assertIn("needs a GPU", got["cublas_problem"])
        _, out, _ = lab("bench", "--chapters", "5", "--sizes", "64", driver="/nonexistent/libcuda.so.1")
        self.assertIn("No times", out)

    def test_each_chapter_has_its_own_elements(self):
        code, got, _ = self.bench("--sizes", "128", "--types", "u8,u16,u32,u64,u128", "--device", "sim")
        self.assertEqual(code, 0)
        offered = {k["name"]: [c["elem_bytes"] for c, cell in zip(got["columns"], k["cells"]) if cell["offered"]] for k in got["kernels"]}
        self.assertEqual(offered["13_matrix_moves"], [2])
        self.assertEqual(offered["10_narrow_types"], [1, 2, 4, 8, 16])
        self.assertEqual(offered["05_padding"], [4])

    def test_kernel_files_and_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, wrong, broken = (Path(folder) / name for name in ("plain.cu", "wrong.cu", "broken.cu"))
            plain.write_text("__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
                             "  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];\n}\n")
            wrong.write_text(KERNEL.replace("BODY", "out[row * cols + col] = in[row * cols + col];"))
            broken.write_text("this is no kernel\n")
            code, got, _ = self.bench(str(plain), "--sizes", "64x96", "--block", "16x16", fake=self.ROOMY)
            self.assertEqual(code, 0)
            self.assertGreater(got["kernels"][0]["cells"][0]["time"]["seconds"], 0)
            for file, words in ((wrong, "The result is wrong"), (broken, "does not compile")):
                code, got, _ = self.bench(str(file), "--sizes", "64x96", fake=self.ROOMY)
                self.assertEqual(code, 1)
                self.assertIn(words, got["kernels"][0]["cells"][0]["problem"])
                self.assertIsNone(got["kernels"][0]["cells"][0]["time"])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, html = Path(folder) / "a.svg", Path(folder) / "a.html"
            code, out, _ = lab("bench", "--chapters", "5", "--sizes", "64", "--csv", "--svg", str(svg), "--html", str(html), fake=self.ROOMY)
            self.assertEqual(code, 0)
            self.assertEqual(len(out.strip().splitlines()), 3)  # header, copy, kernel
            self.assertIn("05_padding", svg.read_text())
            self.assertIn("./lab bench --chapters 5 --sizes 64", html.read_text())
            self.assertNotIn("http://", html.read_text().replace("http://www.w3.org/2000/svg", ""))  # opens offline
            code, _, err = lab("bench", "--chapters", "5", "--sizes", "64", "--svg", folder, fake=self.ROOMY)
            self.assertEqual(code, 3)

    def test_usage(self):
        for args, words in ((("--sizes", "0"), "--sizes"), (("--sizes", "12x"), "--sizes"), (("--types", "u7"), "--types"),
                            (("--against", "magic"), "--against"), (("--chapters", "77"), "no chapter"),
                            (("--json", "--csv"), "Give one of"), (("nowhere.cu",), "no file"), (("--samples", "1"), "--samples")):
            with self.subTest(args=args):
                code, _, err = lab("bench", *args, driver="/nonexistent/libcuda.so.1")
                self.assertEqual(code, 2, err)
                self.assertIn(words, err)

    def test_too_large_for_the_gpu(self):
        code, got, _ = self.bench("--chapters", "5", "--sizes", "2048", fake="cuMemAlloc_v2=2")
        self.assertEqual(code, 1)
        self.assertIn("does not fit", got["kernels"][0]["cells"][0]["problem"])


class Doctor(unittest.TestCase):
    def rows(self, **how):
        code, out, err = lab("doctor", "--json", **how)
        self.assertIn(code, (0, 3), err)
        return {row["name"]: row for row in json.loads(out)["rows"]}

    def test_gpus(self):
        rows = self.rows(fake="count=2;cc=86;memory=25769803776")
        self.assertEqual(rows["GPU 1"]["version"], "Fake GPU 1")
        self.assertIn("24 GiB, sm_86", rows["GPU 0"]["where"])
        self.assertEqual(rows["cuBLAS"]["version"], "13.1")

    def test_driver_older_than_nvcc(self):
        with_old = self.rows(fake="version=11040")
        if "clang's PTX" not in with_old["GPU programs"]["where"]:
            self.assertIn("newer than the driver (CUDA 11.4)", with_old["GPU programs"]["where"])

    def test_why_not(self):
        for how, words in ((dict(driver="/nonexistent/libcuda.so.1"), "not on this machine"),
                           (dict(driver="libm.so.6"), "too old"),
                           (dict(fake="count=0"), "CUDA_ERROR_NO_DEVICE The driver is here, and it sees no GPU"),
                           (dict(fake="cuInit=304"), "CUDA_ERROR_OPERATING_SYSTEM"),
                           (dict(fake="cuInit=803"), "different versions"),
                           (dict(fake="crash=cuInit"), "signal 6")):
            with self.subTest(how=how):
                row = self.rows(**how)["GPU"]
                self.assertEqual(row["state"], "absent")
                self.assertIn(words, row["where"] + " " + row["advice"])
                self.assertIn("Not needed", row["advice"])


if __name__ == "__main__":
    unittest.main()
