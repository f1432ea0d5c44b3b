"""VS Code's tasks: what their problem matchers find in what the lab really prints, in both languages and at a terminal's width.

Enters: LAB_PROGRAM, the built program; the project's .vscode. Leaves: one unittest verdict. What needs a compiler that is not here is
skipped."""
import fcntl
import json
import os
import pathlib
import pty
import re
import shlex
import struct
import subprocess
import termios
import unittest

from sandbox import PROGRAM, SOURCE, Clone

TASKS = {task["label"]: task for task in json.loads((SOURCE / ".vscode/tasks.json").read_text())["tasks"]}
CHECK, PROFILE, RUN = "lab: check this chapter", "lab: profile this kernel", "lab: run this program"
FIELDS = ("file", "line", "severity", "code", "message")


def found_by(matcher, lines, file_folder, workspace):
    """As the editor does it: lines in a row, one for each pattern. (absolute file, line, severity, code, message)."""
    patterns = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
    for at in range(len(lines) - len(patterns) + 1):
        matches = [re.search(p["regexp"], lines[at + k]) for k, p in enumerate(patterns)]
        if not all(matches):
            continue
        got = {name: m[p[name]] for m, p in zip(matches, patterns) for name in FIELDS if name in p}
        base = {"${fileDirname}": file_folder, "${workspaceFolder}": workspace}[matcher["fileLocation"][1]]
        yield str(pathlib.Path(base) / got["file"]), int(got["line"]), got.get("severity") or matcher["severity"], got.get("code"), got["message"]


def at_a_terminal(command, columns, **options):
    """Both streams together, as a terminal shows them."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, **options)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:  # the other end is closed
        pass
    process.wait(timeout=120)
    os.close(ours)
    return re.sub(r"\x1b\[[\d;]*[mK]", "", text.decode(errors="replace")).replace("\r\n", "\n"), process.returncode


def problems(clone, label, file, columns=100, words=(), **env):
    """What the editor lists when this task runs with this file open, and all that was printed."""
    task, file = TASKS[label], pathlib.Path(file)
    command = task["command"].replace("${fileDirnameBasename}", file.parent.name).replace("${file}", str(file))
    program, *rest = shlex.split(command)
    assert program == "./lab", program
    text, code = at_a_terminal([PROGRAM, *words, *rest], columns, cwd=clone.root, env=dict(clone.env, TERM="xterm", **env))
    lines = [line.rsplit("\r", 1)[-1] for line in text.split("\n")]
    return [p for matcher in task["problemMatcher"] for p in found_by(matcher, lines, file.parent, clone.root)], text, code


class Matchers(unittest.TestCase):
    def test_no_two_of_a_task_have_one_owner(self):
        """The editor keeps one matcher of an owner. A matcher that two tasks have is the same in both."""
        known = {}
        for task in TASKS.values():
            owners = [matcher["owner"] for matcher in task["problemMatcher"]]
            self.assertEqual(len(owners), len(set(owners)), task["label"])
            for matcher in task["problemMatcher"]:
                self.assertEqual(known.setdefault(matcher["owner"], matcher), matcher)

    def test_a_failed_goal(self):
        with Clone() as clone:
            kernel = clone.kernel("04_shared_tile")
            line = 1 + next(i for i, text in enumerate(kernel.read_text().split("\n")) if "out[col * rows + row] =" in text)
            for columns, lang, code, words in ((60, "en", "whole sectors", "32 sectors per request, 4 would do"),
                                               (200, "en", "whole sectors", "32 sectors per request, 4 would do"),
                                               (100, "zh", "完整的扇区", "每次请求 32 个扇区")):
                with self.subTest(columns=columns, lang=lang):
                    got, text, _ = problems(clone, CHECK, kernel, columns, LAB_LANG=lang)
                    self.assertEqual([p[:4] for p in got], [(str(kernel), line, "error", code)], text)
                    self.assertTrue(got[0][4].startswith(words), got)

    def test_what_does_not_compile(self):
        with Clone() as clone:
            kernel = clone.kernel("04_shared_tile")
            kernel.write_text(kernel.read_text().replace("out[col", "ouut[col"))
            line = 1 + next(i for i, text in enumerate(kernel.read_text().split("\n")) if "ouut" in text)
            tried = 0
            for compiler in ("nvrtc", "nvcc", "clang"):
                for label in (CHECK, PROFILE):
                    with self.subTest(compiler=compiler, label=label):
                        got, text, code = problems(clone, label, kernel, words=("--compiler", compiler))
                        if code == 3:
                            continue  # this compiler is not here
                        tried += 1
                        self.assertEqual([p[:3] for p in got], [(str(kernel), line, "error")], text)
                        self.assertIn("ouut", got[0][4])
            if not tried:
                self.skipTest("no kernel compiler")

    def test_a_fault_of_a_kernel(self):
        with Clone() as clone:
            for name, code in (("uninit_tile", "uninitialised-shared"), ("oob_load_past_end", "out-of-bounds")):
                file = clone.root / f"{name}.cu"
                file.write_text((SOURCE / f"tests/mutants/faults/{name}.cu").read_text())
                got, text, _ = problems(clone, PROFILE, file)
                line = 1 + next(i for i, words in enumerate(file.read_text().split("\n")) if "<-- here" in words)
                self.assertEqual([p[:4] for p in got], [(str(file), line, "error", code)], text)

    def test_a_kernel_that_passes_has_none(self):
        with Clone() as clone:
            kernel = clone.kernel("04_shared_tile")
            kernel.write_text(clone.solution("04_shared_tile"))
            for label in (CHECK, PROFILE):
                got, text, _ = problems(clone, label, kernel)
                self.assertEqual(got, [], text)


class Programs(unittest.TestCase):
    """`lab run`: needs nvcc."""

    def runs(self, clone, source, **env):
        folder = clone.root / "my programs"  # a name with a blank
        folder.mkdir(exist_ok=True)
        file = folder / "program.cu"
        file.write_text(source)
        got, text, code = problems(clone, RUN, file, 80, LAB_ROOT=str(SOURCE), **env)
        if code == 3:
            self.skipTest("no nvcc")
        return file, got, text

    def test_faults(self):
        with Clone() as clone:
            for name, code in (("out_of_bounds_write", "out-of-bounds"), ("missing_barrier", "shared-race"), ("device_assert", None)):
                for lang in ("en", "zh"):
                    with self.subTest(name, lang=lang):
                        source = (SOURCE / f"tests/cudart/faulty/{name}.cu").read_text()
                        file, got, text = self.runs(clone, source, LAB_LANG=lang)
                        self.assertEqual([p[0] for p in got], [str(file)], text)
                        self.assertEqual((got[0][2], got[0][3]), ("error", code))
                        self.assertLessEqual(got[0][1], source.count("\n") + 1)
                        self.assertNotRegex(text, r"signal 11|信号 11")

    def test_what_does_not_compile(self):
        with Clone() as clone:
            file, got, text = self.runs(clone, "int main() {\n  return nothing;\n}\n")
            self.assertEqual([p[:3] for p in got], [(str(file), 2, "error")], text)
            file, got, text = self.runs(clone, '\n#include "not_here.h"\nint main() {}\n')  # said by the host's compiler
            self.assertEqual([p[:3] for p in got], [(str(file), 2, "error")], text)


if __name__ == "__main__":
    unittest.main()
