"""A line that says that work goes on, and what Python tools say in the reader's language.

Enters: what is being done, from time to time how far it is; LAB_LANG. Leaves: one line on standard error, written over itself and wiped
at the end; where standard error is no terminal, a line of its own each minute. As common/ui/waiting.h does it for the program.
"""
import os
import pathlib
import subprocess
import sys
import threading
import time

PATIENCE, BEAT, IN_A_LOG = 0.7, 0.25, 60.0  # seconds
CHINESE = pathlib.Path(__file__).resolve().parent / "setup/zh.sed"


def said(english: str) -> str:
    """The sentence in the language of LAB_LANG, which ./lab sets."""
    if not os.environ.get("LAB_LANG", "").startswith("zh"):
        return english
    return subprocess.run(["sed", "-f", str(CHINESE)], input=english + "\n", capture_output=True, text=True, check=True).stdout[:-1]


class Waiting:
    """`with Waiting("drawing") as line: … line.reached(3, 10)`"""

    def __init__(self, what: str):
        self.what, self.done, self.all, self.start = said(what), 0, 0, time.monotonic()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.show, daemon=True)
        self.listens = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def __enter__(self) -> "Waiting":
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.over.set()
        self.thread.join()

    def reached(self, done: int, whole: int) -> None:
        self.done, self.all = done, whole

    def line(self) -> str:
        seconds = time.monotonic() - self.start
        text = self.what + (f" · {self.done}/{self.all}" if self.all else "") + f" · {seconds:.0f} s"
        if 0 < self.done < self.all and seconds > 2:
            left = seconds * (self.all - self.done) / self.done
            text += " · " + said(f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} min left")
        return text

    def show(self) -> None:
        if not self.listens:
            while not self.over.wait(IN_A_LOG):
                print(self.line(), file=sys.stderr, flush=True)
            return
        if self.over.wait(PATIENCE):
            return
        while True:
            print(f"\r\x1b[K{self.line()}", end="", file=sys.stderr, flush=True)
            if self.over.wait(BEAT):
                break
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
