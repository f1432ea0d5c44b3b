"""What docs/run.md promises, each by a case of promises.cu: the finding with its line, the error code, the exit code, the file that is written.

Enters: LAB_PROGRAM; nvcc. Leaves: one unittest verdict, or 77 without nvcc. The program is compiled once; tests/sabotage takes these promises out of
`lab run` one at a time, and some test here must fail."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LAB = os.environ["LAB_PROGRAM"]
SOURCE = HERE / "promises.cu"
LINES = {match[1]: number for number, line in enumerate(SOURCE.read_text(encoding="utf-8").split("\n"), 1)
         if (match := re.search(r"// HERE ([a-z-]+)", line))}


def run(case: str, *options: str, shell: dict[str, str] | None = None, folder: str | None = None) -> tuple[int, str, str]:
    done = subprocess.run([LAB, "--lang", "en", "run", *options, SOURCE.name if folder else str(SOURCE), "--", case], capture_output=True, text=True,
                          timeout=120, check=False, cwd=folder, env=os.environ | (shell or {}))
    if done.returncode == 3:
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        sys.exit(77)
    return done.returncode, done.stdout, done.stderr


class Findings(unittest.TestCase):
    """Reported with the line; the program goes on, as on a GPU, or gets the error that a GPU gives."""

    def reported(self, case: str, error: str, *options: str) -> str:
        code, out, err = run(case, "--quiet", *options)
        self.assertEqual(out.split("\n")[-2], error, err)
        self.assertEqual(code, 0, err)
        place = f"promises.cu:{LINES[case]}" if case in LINES else ""
        said = [line for line in err.split("\n") if line.startswith("lab: ")]
        self.assertTrue(any(place in line and line.startswith(f"lab: {case}") for line in said), f"{case}: {err}")
        return err

    def test_what_a_gpu_goes_on_after(self) -> None:
        for case in ("shared-race", "global-race", "uninitialised-shared", "uninitialised-local"):
            with self.subTest(case):
                self.reported(case, "cudaSuccess")

    def test_a_small_launch_is_run_in_other_orders(self) -> None:
        _, _, err = run("another-order", "--quiet")
        self.assertRegex(err, rf"lab: shared-race .*promises\.cu:{LINES['another-order']}: .*Seen in schedule")
        self.assertNotIn("lab: ", run("another-order", "--quiet", "--schedules", "0")[2])

    def test_what_stops_a_kernel(self) -> None:
        for case, error in (("out-of-bounds", "cudaErrorIllegalAddress"), ("misaligned", "cudaErrorMisalignedAddress")):
            with self.subTest(case):
                self.reported(case, error)

    def test_reads_of_what_nobody_wrote(self) -> None:
        _, _, err = run("uninitialised", "--quiet")
        self.assertIn(f"promises.cu:{LINES['uninitialised']}", err)
        self.assertIn("never written", err)
        self.reported("uninitialised-copy", "cudaSuccess")

    def test_the_host_s_side(self) -> None:
        self.reported("stream-race", "cudaSuccess")
        self.reported("host-race", "cudaSuccess")
        self.assertNotIn("filled before", run("host-race", "--quiet")[1])
        _, _, err = run("leak", "--quiet")
        self.assertIn("lab: leak", err)

    def test_barriers(self) -> None:
        _, _, err = run("barrier-divergence", "--quiet")
        self.assertIn(f"promises.cu:{LINES['barrier-divergence']}", err)

    def test_right_programs_have_none(self) -> None:
        for case in ("turn", "distance", "shifted", "set"):
            with self.subTest(case):
                self.assertEqual([line for line in run(case, "--quiet")[2].split("\n") if line.startswith("lab: ")], [])

    def test_what_a_header_of_cuda_does(self) -> None:
        code, _, err = run("toolkit", "--quiet", "--strict")
        self.assertEqual(code, 0, err)
        self.assertIn(f"promises.cu:{LINES['toolkit']}: a header of CUDA's own", err)
        self.assertEqual(err.count("lab: "), 1, err)

    def test_refused_calls_name_their_line(self) -> None:
        _, _, err = run("refused", "--quiet")
        for case in ("refused", "refused-launch"):
            self.assertRegex(err, rf"(?m)^lab: .*\(called at .*promises\.cu:{LINES[case]}\)$")

    def test_one_thread_replaces_what_all_read(self) -> None:
        self.assertIn(f"put __syncthreads() between line {LINES['replaced-from']} and line {LINES['replaced']}", run("replaced", "--quiet")[2])
        self.assertIn("Use an atomic", run("global-race", "--quiet")[2])

    def test_what_lands_in_a_neighbour(self) -> None:
        for case in ("out-of-bounds-slice", "out-of-bounds-distance"):
            with self.subTest(case):
                _, _, err = run(case, "--quiet")
                self.assertIn(f"promises.cu:{LINES[case]}", err)
                self.assertIn("lands in another array", err)

    def test_no_check_looks_for_no_race(self) -> None:
        self.assertNotIn("shared-race", run("shared-race", "--quiet", "--no-check")[2])
        self.reported("out-of-bounds", "cudaErrorIllegalAddress", "--no-check")


class Counters(unittest.TestCase):
    def records(self, case: str, *options: str) -> list[dict]:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "records.json")
            run(case, "--quiet", "--json", str(file), *options)
            return json.loads(file.read_text(encoding="utf-8"))

    def test_each_launch_is_counted(self) -> None:
        fill, turn = self.records("twice")
        self.assertEqual((fill["kernel"], turn["kernel"]), ("fill(float*)", "turn(float*, float const*, int)"))
        self.assertEqual((turn["grid"], turn["block"], turn["shared_bytes"]), ([1, 1, 1], [32, 32, 1], 4096))
        # 32 requests of 128 bytes, 4 sectors each, both ways; a column of the tile lies in one bank.
        counted = turn["counters"]
        self.assertEqual((counted["global_load"]["requests"], counted["global_load"]["sectors"]), (32, 128))
        self.assertEqual((counted["global_store"]["requests"], counted["global_store"]["sectors"]), (32, 128))
        self.assertEqual((counted["shared_store"]["wavefronts"], counted["shared_load"]["wavefronts"]), (32, 1024))
        self.assertEqual(counted["shared_load"]["ideal_wavefronts"], 32)

    def test_lines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(SOURCE, folder)
            table = run("turn", "--lines", folder=folder)[1]
        self.assertRegex(table, rf"(?m)^turn +promises\.cu:{LINES['conflict']} ")  # as seen from the folder
        [turn] = self.records("turn", "--lines")
        worst = max(turn["lines"], key=lambda line: line.get("wavefronts", 0))
        self.assertEqual((worst["line"], worst["wavefronts"]), (LINES["conflict"], 1024))

    def test_more_columns(self) -> None:
        [turn] = self.records("turn", "--as-ptxas", "--time")
        self.assertGreater(turn["as_ptxas"]["totals"]["global"]["sectors"], 0)
        self.assertGreater(turn["modelled"]["seconds"], 0)

    def test_a_fault_is_in_the_record(self) -> None:
        [launch] = self.records("out-of-bounds")
        self.assertTrue(launch["stopped"])
        self.assertEqual((launch["faults"][0]["kind"], launch["faults"][0]["line"]), ("out-of-bounds", LINES["out-of-bounds"]))
        [refused] = self.records("invalid-launch")
        self.assertEqual(refused["faults"][0]["kind"], "invalid-launch")


class Ends(unittest.TestCase):
    """Exit codes, and what the options for CI make of a run."""

    def test_exit_codes(self) -> None:
        self.assertEqual(run("exit", "--quiet")[0], 7)
        self.assertEqual(run("never-asked", "--quiet")[0], 1)
        self.assertEqual(run("shared-race", "--quiet")[0], 0)
        self.assertEqual(run("twice", "--quiet", "--launches", "1")[0], 4)
        self.assertEqual(run("turn", "--gpu", "h300")[0], 2)
        self.assertEqual(run("turn", "--gpus", "9")[0], 2)

    def test_strict(self) -> None:
        code, _, err = run("shared-race", "--quiet", "--strict")
        self.assertEqual(code, 1)
        self.assertIn(f"promises.cu:{LINES['shared-race']}:1: error: ", err)
        self.assertEqual(run("turn", "--quiet", "--strict")[0], 0)

    def test_strict_counts_what_belongs_to_no_launch(self) -> None:
        for case in ("stream-race", "host-race", "uninitialised-copy", "overlapping-copy"):
            with self.subTest(case):
                code, _, err = run(case, "--quiet", "--strict")
                self.assertEqual(code, 1, err)
                self.assertRegex(err, rf"promises\.cu:{LINES.get(case, 1)}:1: error: .*\[{case}\]")
        code, _, err = run("leak", "--quiet", "--strict")
        self.assertEqual(code, 0, err)
        self.assertIn("lab: leak", err)

    def test_the_shell_gives_no_options(self) -> None:
        left_over = {"LAB_RUN_NO_CHECK": "1", "LAB_RUN_NO_LEAKS": "1", "LAB_RUN_LAUNCHES": "1", "LAB_RUN_GPUS": "3"}
        self.assertEqual(run("shared-race", "--quiet", "--strict", shell=left_over)[0], 1)
        self.assertIn("lab: leak", run("leak", "--quiet", shell=left_over)[2])
        self.assertEqual(run("twice", "--quiet", shell=left_over)[0], 0)
        self.assertIn("devices 1", run("devices", "--quiet", shell=left_over)[1])

    def test_options_of_two_words(self) -> None:
        for words in (("--default-stream", "per-thread"), ("--default-stream=per-thread",), ("-default-stream", "per-thread")):
            self.assertIn("a default stream for each thread", run("streams", "--quiet", *words)[1])
        self.assertNotIn("a default stream", run("streams", "--quiet")[1])

    def test_budget_and_sarif(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            budget, sarif = pathlib.Path(folder, "budget.json"), pathlib.Path(folder, "found.sarif")
            budget.write_text('{"turn": {"wavefronts_per_ideal": 1.0}}', encoding="utf-8")
            code, _, err = run("turn", "--quiet", "--budget", str(budget), "--sarif", str(sarif))
            self.assertEqual(code, 1)
            self.assertIn(f"promises.cu:{LINES['conflict']}", err)
            [found] = json.loads(sarif.read_text(encoding="utf-8"))["runs"][0]["results"]
            self.assertEqual(found["ruleId"], "over-budget")
            budget.write_text('{"turn": {"sectors": 256}}', encoding="utf-8")
            self.assertEqual(run("turn", "--quiet", "--budget", str(budget))[0], 0)

    def test_the_table(self) -> None:
        table = run("twice")[1]
        self.assertRegex(table, r"1 +fill")
        self.assertRegex(table, r"2 +turn .* 1 056 ")
        self.assertNotIn("turn", run("twice", "--quiet")[1])

    def test_a_sentence_about_the_end_stands_behind_the_table(self) -> None:
        log = subprocess.run([LAB, "--lang", "en", "run", str(SOURCE), "--", "never-asked"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, timeout=120).stdout
        self.assertLess(log.find("sectors"), log.find("the program ended with 0"), log)
        self.assertIn("sectors", log)

    def test_the_gpu_that_is_named(self) -> None:
        self.assertIn("capability 7.5", run("capability", "--quiet", "--gpu", "t4")[1])
        self.assertIn("devices 3", run("devices", "--quiet", "--gpus", "3")[1])


class Commands(unittest.TestCase):
    """A command that loads CUDA while it runs: Python without any package for GPUs."""

    def python(self, text: str, packages: dict[str, str] | None = None) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name, source in (packages or {}).items():
                file = pathlib.Path(folder, name)
                file.parent.mkdir(exist_ok=True)
                file.write_text(source, encoding="utf-8")
            return subprocess.run([LAB, "--lang", "en", "run", "--quiet", sys.executable, "-c", text], capture_output=True, text=True, timeout=120,
                                  check=False, env=os.environ | {"PYTHONPATH": folder})

    def test_memory_that_a_language_keeps(self) -> None:
        done = self.python("import ctypes; at = ctypes.c_void_p(); print(ctypes.CDLL('libcudart.so.13').cudaMalloc(ctypes.byref(at), 64))")
        self.assertEqual((done.stdout, done.stderr), ("0\n", ""))

    def test_libraries_of_a_package(self) -> None:
        done = self.python("import ctypes, pathlib; "
                           "at = [ctypes.CDLL(str(name))._name for name in (pathlib.Path('nvidia/lib/libcublas.so.13'), 'libm.so.6')]; print(*at)")
        ours, other = done.stdout.split()
        self.assertNotIn("nvidia/", ours, done.stderr)
        self.assertEqual((pathlib.Path(ours).name, other), ("libcublas.so.13", "libm.so.6"))

    def test_packages_keep_no_pools(self) -> None:
        done = self.python("import cupy, os; print(cupy.cuda.asked, os.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'], kept)",
                           {"cupy.py": "class cuda:\n  asked = []\n  set_allocator = asked.append\n  set_pinned_memory_allocator = asked.append\n",
                            "sitecustomize.py": "import builtins; builtins.kept = 'as before'"})
        self.assertEqual(done.stdout, "[None, None] 1 as before\n", done.stderr)

    def test_an_autotuner_ends(self) -> None:
        done = self.python("from triton import testing; print(testing.do_bench(len), testing.do_bench(len, 25, rep=100, quantiles=1))",
                           {"triton/__init__.py": "",
                            "triton/testing.py": "def do_bench(fn, warmup=25, rep=100, quantiles=None): return warmup, rep, quantiles"})
        self.assertEqual(done.stdout, "(0, 0, None) (0, 0, 1)\n", done.stderr)
        self.assertEqual(done.stderr.count("lab: Triton's autotuner"), 1, done.stderr)

    def test_a_kernel_without_lines(self) -> None:
        done = self.python("""
import ctypes
cuda, context, module, kernel = ctypes.CDLL("libcuda.so.1"), *(ctypes.c_void_p() for _ in range(3))
cuda.cuInit(0), cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
text = b".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k() { .reg .b64 %r<2>; mov.u64 %r1, 8; st.global.u32 [%r1], 1; ret; }"
cuda.cuModuleLoadData(ctypes.byref(module), text), cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"k")
cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, None, None)
""")
        self.assertIn("out-of-bounds", done.stderr)
        self.assertEqual(done.stderr.count("@cuda.jit(lineinfo=True)"), 1, done.stderr)


if __name__ == "__main__":
    if not shutil.which("nvcc"):
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        sys.exit(77)
    unittest.main()
