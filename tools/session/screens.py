#!/usr/bin/env python3
"""Ten screens as a student sees them, in terminals of 60, 80 and 120 columns and in both languages, to look at; a check in 52 too.

Enters: a built `lab`; a folder. Leaves: NAME.COLUMNS.svg and NAME.COLUMNS.zh.svg in it. Each screen is in the chapters' first state; what
`watch` shows waits for a key, and is taken as it stands then."""
import fcntl
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(SOURCE / "tests/cli")]
from terminal import plain, svg, width  # noqa: E402

SCREENS = {"start": "", "check": "check 5", "many": "check 17", "predict": "predict 1", "hint": "hint 5", "show": "show 5", "diff": "diff 4",
           "tour": "tour", "limits": "inspect limits 15", "watch": "watch 5"}
COLUMNS, NARROW = (60, 80, 120), (52,)
QUIET_SECONDS = 3


def screen(program, root, command, columns, language):
    """What stands there when the command has ended, or says nothing more."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = dict(os.environ, TERM="xterm-256color", COLORTERM="truecolor", PAGER="cat", LAB_ROOT=str(root), LAB_LANG=language)
    stdin = theirs if command.startswith("watch") else subprocess.DEVNULL  # predict would ask
    process = subprocess.Popen([program, *command.split()], stdin=stdin, stdout=theirs, stderr=theirs, env=env, cwd=root, start_new_session=True)
    os.close(theirs)
    text, last = b"", time.monotonic()
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                text += os.read(ours, 65536)
            except OSError:  # the terminal is gone
                break
            last = time.monotonic()
        elif text and command.startswith("watch") and time.monotonic() - last > QUIET_SECONDS:
            break
    process.kill()
    process.wait()
    os.close(ours)
    shown = text.decode(errors="replace").replace("\r\n", "\n").rpartition("\x1b[3J")[2]
    lines = [line.rpartition("\x1b[K")[2].rpartition("\r")[2] for line in shown.split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    return [f"$ ./lab {command}".rstrip(), *lines]


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["LAB_PROGRAM"] = program
    from sandbox import Clone

    with tempfile.TemporaryDirectory() as cache:
        os.environ["LAB_CACHE_DIR"] = cache
        for name, command in SCREENS.items():
            for columns in COLUMNS + NARROW * (name == "check"):  # the narrow one is for the README on a phone
                for language, twin in (("en", ""), ("zh", ".zh")):
                    with Clone() as clone:
                        lines = screen(program, clone.root, command, columns, language)
                    (folder / f"{name}.{columns}{twin}.svg").write_text(svg(lines, command or "lab", max(columns, *(width(plain(line)) for line in lines))))


if __name__ == "__main__":
    main()
