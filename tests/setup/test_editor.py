"""A kernel file opened in an editor: clangd finds no fault in any of the course's, finds a student's, and completes CUDA's words.

Enters: the project; clangd where it is installed, else that part is skipped. Leaves: one unittest verdict."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = (ROOT / "chapters/compile_flags.txt").read_text().split()
# As clangd --check prints a diagnostic: `E[time] [name] Line 3: words`; other errors (a code action that cannot run) name no line.
DIAGNOSTIC = re.compile(r"^E\[[^\]]*\] \[([\w-]+)\] (Line \d+: .*)$", re.M)


# What the lab's own headers for clang do not have: of the toolkit, or clang words it otherwise.
TOOLKIT = re.compile(r"#include <cuda/|\bmemcpy\(|cooperative_groups|\batomic\w+_block\(|__shared__ alignas|alignas\(\d+\) __shared__|__cluster_dims__")


def diagnostics(file):
    run = subprocess.run(["clangd", f"--check={file}", "--log=error"], capture_output=True, text=True, cwd=ROOT, timeout=120)
    return DIAGNOSTIC.findall(run.stderr)


class Clangd:
    """One clangd, spoken to as an editor does."""

    def __init__(self):
        self.process = subprocess.Popen(["clangd", "--log=error"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)
        self.number = 0
        self.ask("initialize", {"processId": None, "rootUri": ROOT.as_uri(), "capabilities": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.wait_for(lambda message: message.get("id") == self.number and "method" not in message)["result"]

    def wait_for(self, wanted):
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message

    def completions(self, path, text, words):
        """What may stand where the text has a |, once `words` are among it."""
        before, after = text.split("|")
        where = {"line": before.count("\n"), "character": len(before.rsplit("\n", 1)[-1])}
        self.send({"method": "textDocument/didOpen",
                   "params": {"textDocument": {"uri": path.as_uri(), "languageId": "cuda", "version": 1, "text": before + after}}})
        deadline = time.monotonic() + 60
        while True:  # until the headers are read it guesses
            items = self.ask("textDocument/completion", {"textDocument": {"uri": path.as_uri()}, "position": where})["items"]
            found = {re.sub(r"[^\w].*", "", item.get("filterText", item["label"]).lstrip("•. ")) for item in items}
            if words <= found or time.monotonic() > deadline:
                return found
            time.sleep(0.2)

    def close(self):
        self.ask("shutdown", None)
        self.send({"method": "exit"})
        self.process.communicate(timeout=30)


class Files(unittest.TestCase):
    def test_flags_are_those_of_the_lab(self):
        """Each flag stands where the lab calls clang, seen from the folder of the file; two keep clangd's own warnings away."""
        source = (ROOT / "common/compile/compile_command.cpp").read_text()
        for flag in FLAGS:
            flag = flag.replace("../", "").replace("..", ".").replace("sm_80", "sm_").replace("-xcuda", "cuda")
            if flag not in ("-Wno-unknown-cuda-version", "-include"):
                self.assertIn(flag, source)

    def test_their_folders_are_there(self):
        for path in re.findall(r"\.\./[\w/.]+", " ".join(FLAGS)):
            self.assertTrue((ROOT / "chapters" / path).exists(), path)


@unittest.skipUnless(shutil.which("clangd"), "no clangd (apt-get install clangd)")
class Opened(unittest.TestCase):
    def test_no_kernel_of_the_course_has_a_fault(self):
        for file in [*sorted(ROOT.glob("chapters/*/*.cu")), *sorted(ROOT.glob("solutions/*/transpose.cu"))]:
            if file.parent.name[2:3] == "_" and file.suffix == ".cu":
                with self.subTest(file.relative_to(ROOT)):
                    self.assertEqual(diagnostics(file), [])

    def test_nor_has_a_wrong_one(self):
        """What is wrong with these shows when they run. Each so-many-th of them: all take two minutes."""
        files = [file for file in sorted((ROOT / "tests/mutants").rglob("*.cu")) if not TOOLKIT.search(file.read_text(encoding="utf-8"))]
        self.assertGreater(len(files), 400)
        for file in files[::len(files) // 40]:
            with self.subTest(file.relative_to(ROOT)):
                self.assertEqual(diagnostics(file), [])

    def test_a_mistake_is_one(self):
        with tempfile.TemporaryDirectory(dir=ROOT, prefix=".editor") as folder:
            file = pathlib.Path(folder) / "mine.cu"
            file.write_text((ROOT / "solutions/05_padding/transpose.cu").read_text().replace("threadIdx.x", "thredIdx.x", 1))
            self.assertIn("undeclared_var_use", " ".join(name for name, _ in diagnostics(file)))
            file.write_text((ROOT / "solutions/05_padding/transpose.cu").read_text())
            self.assertEqual(diagnostics(file), [], "a kernel of one's own, anywhere in the clone")

    def test_completion_knows_cuda_and_the_lab(self):
        head = '#include "common/kernel/lab.cuh"\n'
        kernel = 'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {\n  '
        clangd = Clangd()
        try:
            for number, (text, words) in enumerate(((head + kernel + "int x = threadIdx.|;\n}\n", {"x", "y", "z"}),
                                                (head + "LAUNCH_SHAPE = { .|\n", {"block", "tile", "block_x_walks"}),
                                                (head + kernel + "float4 v; v.|\n}\n", {"x", "w"}),
                                                (head + "LAUNCH_SH|\n", {"LAUNCH_SHAPE"}))):
                with self.subTest(text.rsplit("\n", 3)[-2]):
                    self.assertLessEqual(words, clangd.completions(ROOT / f"chapters/05_padding/unsaved{number}.cu", text, words))
        finally:
            clangd.close()


if __name__ == "__main__":
    unittest.main()
