"""Long work shows itself: at a terminal a line that writes over itself and is wiped, through a pipe nothing at all.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Each command's work is small here, and nothing of it is in a cache;
`lab dev verify`, which takes minutes, is stopped once its line is there. What `lab run` shows is tested with the runtime library."""
import contextlib
import os
import pathlib
import pty
import random
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from sandbox import PROGRAM, SOURCE, Clone

WIPE = "\r\x1b[K"


def ended(process):
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=60)


class ProgressLines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.clone = Clone()
        cls.addClassCleanup(cls.clone.folder.cleanup)
        for student in ("ada", "grace", "linus"):
            chapter = cls.folder / "class" / student / "chapters/05_padding"
            chapter.mkdir(parents=True)
            # Kernels that were never compiled before: no cache answers for the compiler.
            text = (SOURCE / "solutions/05_padding/transpose.cu").read_text()
            (chapter / "transpose.cu").write_text(f"{text}\n// {student} {time.time()}\n")
        cls.folder.joinpath("cache").mkdir()

    def env(self, **more):
        shutil.rmtree(self.folder / "cache")
        (self.folder / "cache").mkdir()
        return dict(self.clone.env, LAB_ROOT=str(SOURCE), LAB_CACHE_DIR=str(self.folder / "cache"), **more)

    def at_a_terminal(self, *words, until=None):
        """What standard error, a terminal, was sent. `until`: a word after which the command has shown enough."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                                   env=self.env(TERM="xterm"), cwd=self.clone.root, start_new_session=True)
        os.close(theirs)
        text = b""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and select.select([ours], [], [], 120)[0]:
            try:
                chunk = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            text += chunk
            if not chunk or (until and until.encode() in text):
                break
        if until:
            ended(process)
        else:
            process.wait(timeout=60)
        os.close(ours)
        return text.decode(errors="replace")

    def piped(self, *words, seconds=None):
        """The same through a pipe; at most so many seconds of it."""
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=self.env(TERM="xterm"), cwd=self.clone.root, start_new_session=True, text=True)
        try:
            return process.communicate(timeout=seconds or 120)[1]
        except subprocess.TimeoutExpired:
            ended(process)
            return process.communicate()[1]

    def shows(self, said, *words, until=None, seconds=None):
        text = self.at_a_terminal(*words, until=until)
        self.assertIn(WIPE, text)
        self.assertRegex(text, said)
        if not until:
            self.assertEqual(text.rsplit(WIPE, 1)[1], "", "the line is wiped")
        output = self.piped(*words, seconds=seconds)
        self.assertNotRegex(output, said)
        self.assertNotRegex(output, "[\r\x1b]")

    def test_a_signal_ends_it_at_any_moment(self):
        """Also within a fork: what removes the temporary folders then must take no lock that a fork holds."""
        for _ in range(8):
            process = subprocess.Popen([PROGRAM, "dev", "verify"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=self.env(), cwd=self.clone.root, start_new_session=True)
            time.sleep(random.uniform(0.02, 0.9))
            ended(process)
            self.assertEqual(process.returncode, -signal.SIGTERM)

    @staticmethod
    def command_of(process: str) -> str:  # one that asked the loader something has ended meanwhile
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            return pathlib.Path(f"/proc/{process}/comm").read_text()
        return ""

    def test_a_program_does_not_outlive_what_ran_it(self):
        process = subprocess.Popen([PROGRAM, "run", "/bin/sleep", "--", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.env(), cwd=self.clone.root)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + 60
        while not (sleeps := [child for child in children.read_text().split() if self.command_of(child) == "sleep\n"]):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        process.kill()
        process.wait()
        while (stat := pathlib.Path(f"/proc/{sleeps[0]}/stat")).exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_verify(self):
        self.shows(r"verifying the course · .*\d+ s", "dev", "verify", until=" 2 s", seconds=3)

    def test_grade(self):
        self.shows(r"\d of 3 kernels", "grade", "run", str(self.folder / "class"), "--chapters", "5", "--no-sandbox", "--out",
                   str(self.folder / "grades"))

    def test_bench(self):
        self.shows(r"05_padding.* · \d+ of \d+ done · \d+ s", "bench", "--chapters", "5", "--device", "sim", "--sizes", "8192")

    def test_tour(self):
        self.shows(r"running the solutions · \d+ of \d+ done · \d+ s", "tour")

    def test_a_large_matrix(self):
        large = ("--rows", "8192", "--cols", "8192")
        for words in (("profile", "5", "--solution", *large), ("diff", "4", "5", "--solution", *large), ("show", "5", "--solution", *large)):
            with self.subTest(words[0]):
                self.shows(r"running .*05_padding|running 5", *words)

    def test_similar(self):
        line = r"(compiling|running|comparing) the kernels of 3 submissions · (\d of \d done · )?\d+ s"
        self.shows(line, "similar", str(self.folder / "class"), "--chapters", "5", "--no-sandbox")


if __name__ == "__main__":
    unittest.main()
