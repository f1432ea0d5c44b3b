"""`lab watch` and the ways in which editors save.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Each test starts a watch, edits the file for real, and
reads one JSON object a check."""
import concurrent.futures
import fcntl
import json
import os
import pty
import queue
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unittest

from sandbox import CHAPTERS, PROGRAM, Clone

PATIENCE_S = 60  # for a check on a busy machine


class Watch:
    def __init__(self, clone, *args):
        self.process = subprocess.Popen([PROGRAM, "watch", *args, "--json"], env=clone.env, cwd=clone.root, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=30)
        self.reader.join(timeout=30)
        self.process.stdout.close()

    def verdict(self):
        return json.loads(self.lines.get(timeout=PATIENCE_S))

    def prints_nothing(self, seconds=1.5):
        try:
            return not self.lines.get(timeout=seconds)
        except queue.Empty:
            return True


def in_place(path, text):
    path.write_text(text)


def by_rename(path, text):
    fresh = path.with_name(".transpose.cu.swp")
    fresh.write_text(text)
    os.replace(fresh, path)


def old_one_aside(path, text):
    path.rename(path.with_name("transpose.cu~"))
    path.write_text(text)


def gone_for_a_while(path, text):
    path.unlink()
    time.sleep(1.2)
    path.write_text(text)


def in_two_pieces(path, text):
    with open(path, "w") as out:
        for piece in (text[:400], text[400:]):
            out.write(piece)
            out.flush()
            time.sleep(0.01)


def emptied_first(path, text):
    path.write_text("")
    time.sleep(1.0)
    path.write_text(text)


def folder_moved_away(path, text):
    aside = path.parent.with_name("aside")
    path.parent.rename(aside)
    path.parent.mkdir()
    path.write_text(text)


def same_size_and_time(path, text):
    """As `cp --preserve` of a file of the same length does it."""
    old = path.stat()
    fresh = path.with_name("fresh")
    fresh.write_text(text)
    os.utime(fresh, ns=(old.st_atime_ns, old.st_mtime_ns))
    os.replace(fresh, path)


SAVES = (in_place, by_rename, old_one_aside, gone_for_a_while, in_two_pieces, emptied_first, folder_moved_away)


class Saves(unittest.TestCase):
    def run_through(self, *options):
        def one(save):
            with Clone() as clone, Watch(clone, "5", *options) as watch:
                self.assertFalse(watch.verdict()["passed"])
                save(clone.kernel(), clone.solution())
                self.assertTrue(watch.verdict()["passed"])

        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # most of their time they wait
            runs = {save.__name__: pool.submit(one, save) for save in SAVES}
        for name, run in runs.items():
            with self.subTest(save=name):
                run.result()

    def test_with_notifications(self):
        self.run_through()

    def test_by_looking(self):
        self.run_through("--poll")

    def test_a_version_of_the_same_size_and_time(self):
        with Clone() as clone:
            good = clone.solution()
            bad = good.replace("__syncthreads();", "  /* nothing */ "[:16])
            self.assertEqual(len(bad), len(good))
            clone.kernel().write_text(bad)
            with Watch(clone, "5") as watch:
                self.assertFalse(watch.verdict()["passed"])
                same_size_and_time(clone.kernel(), good)
                self.assertTrue(watch.verdict()["passed"])

    def test_notifications_are_used_unless_told_not_to(self):
        for options, used in (((), True), (("--poll",), False)):
            with Clone() as clone, Watch(clone, "5", *options) as watch:
                watch.verdict()
                folder = f"/proc/{watch.process.pid}/fd"
                links = [os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder)]
                self.assertEqual("anon_inode:inotify" in links, used, links)


class Behaviour(unittest.TestCase):
    def test_it_stays_at_its_chapter_after_a_pass(self):
        with Clone() as clone, Watch(clone) as watch:
            self.assertEqual(watch.verdict()["chapter"], "01_naive")
            clone.kernel("01_naive").write_text(clone.solution("01_naive"))
            self.assertTrue(watch.verdict()["passed"])
            clone.kernel("02_coalescing").write_text(clone.solution("02_coalescing"))
            self.assertTrue(watch.prints_nothing(), "another chapter's file is no reason to check")
            clone.kernel("01_naive").write_text(clone.solution("01_naive") + "// again\n")
            self.assertEqual(watch.verdict()["chapter"], "01_naive")

    def test_nothing_saved_nothing_said(self):
        with Clone() as clone, Watch(clone, "5") as watch:
            watch.verdict()
            self.assertTrue(watch.prints_nothing())

    def test_a_file_that_does_not_compile_or_is_deleted_ends_nothing(self):
        with Clone() as clone, Watch(clone, "5") as watch:
            watch.verdict()
            clone.kernel().write_text("no C++\n")
            self.assertFalse(watch.verdict()["compile"]["ok"])
            clone.kernel().unlink()
            self.assertTrue(watch.prints_nothing())
            self.assertIsNone(watch.process.poll())
            clone.kernel().write_text(clone.solution())
            self.assertTrue(watch.verdict()["passed"])

    def test_an_edit_during_the_check_is_seen(self):
        with Clone() as clone, Watch(clone, "5") as watch:
            time.sleep(0.15)  # most likely the compiler runs now; whenever it is, the last version counts
            clone.kernel().write_text(clone.solution())
            verdict = watch.verdict()
            while not verdict["passed"]:
                verdict = watch.verdict()

    def test_times(self):
        with Clone() as clone:
            self.assertEqual(clone.lab("watch", "5", "--times", "1", "--json")[0], 1)
            clone.kernel().write_text(clone.solution())
            self.assertEqual(clone.lab("watch", "5", "--times", "1")[0], 0)

    def test_without_a_terminal_it_says_what_it_watches(self):
        with Clone() as clone:
            process = subprocess.Popen([PROGRAM, "watch", "5"], env=clone.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       text=True)
            text = ""
            while "Ctrl-C ends" not in text:
                line = process.stdout.readline()
                self.assertTrue(line, "watch ended by itself")
                text += line
            self.assertIn("bank-conflict", text)
            self.assertNotIn("\x1b", text)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
            process.stdout.close()


class AtATerminal(unittest.TestCase):
    """Keys, as rustlings has them."""

    def setUp(self):
        self.clone = Clone()
        self.addCleanup(self.clone.folder.cleanup)
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen([PROGRAM, "watch", "5"], env=dict(self.clone.env, TERM="xterm"), cwd=self.clone.root,
                                        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        self.theirs, self.text = theirs, ""
        self.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)

    def see(self, *words):
        """The next screen that has them all."""
        end = time.monotonic() + PATIENCE_S
        while not all(word in self.text for word in words) or "q quit" not in self.text:
            self.assertLess(time.monotonic(), end, f"{words} not in {self.text}")
            if select.select([self.ours], [], [], 0.2)[0]:
                self.text += os.read(self.ours, 65536).decode(errors="replace")
        shown, self.text = self.text, ""
        # A carriage return writes over the line of a wait, which stands there when a check takes a second.
        return re.sub("\x1b[^mKJH]*[mKJH]", "", shown).replace("\r\n", "\n").replace("\r", "\n")

    def press(self, key):
        os.write(self.ours, key.encode())

    def test_keys(self):
        first = self.see("bank-conflict", f"0 of {len(CHAPTERS)} chapters passed")
        self.assertLessEqual(max(map(len, first.split("\n"))), 80)
        self.assertNotIn("goes on to", first)
        self.press("h")
        self.see("Your last check said bank-conflict")
        self.press("s")
        self.assertLessEqual(self.see("   1024×1024", "the rest: ./lab show 05_padding").count("\n"), 24, "the heading scrolled away")
        self.press("l")
        self.see("16_two_gpus", "not yet")
        self.press("x")  # no key of ours
        self.clone.kernel().write_text(self.clone.solution())
        self.see("passed: n goes on to 06_xor_swizzle", f"1 of {len(CHAPTERS)} chapters passed")
        self.press("n")
        self.see("06_xor_swizzle", "too-much-shared", "chapters/06_xor_swizzle/transpose.cu")
        self.press("q")
        self.assertEqual(self.process.wait(timeout=PATIENCE_S), 1)
        self.assertTrue(termios.tcgetattr(self.theirs)[3] & termios.ECHO, "the terminal shows what is typed again")

    def test_an_interrupt_leaves_the_terminal_as_it_was(self):
        self.see("bank-conflict")
        self.assertFalse(termios.tcgetattr(self.theirs)[3] & termios.ECHO)
        os.killpg(self.process.pid, signal.SIGINT)
        self.assertEqual(self.process.wait(timeout=PATIENCE_S), -signal.SIGINT)
        self.assertTrue(termios.tcgetattr(self.theirs)[3] & termios.ECHO)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
