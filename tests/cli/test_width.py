"""Lines end where the terminal does, in both languages.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Each command runs in a terminal of its own, of 60, 80 and 120 columns;
what it prints is measured as a terminal shows it. Pictures keep their columns, and are left out."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata
import unittest

from sandbox import PROGRAM, SOURCE

# Command, and the narrowest terminal that it fits.
COMMANDS = (("check 4", 60), ("check 17", 60), ("predict 1", 60), ("predict 9", 60), ("hint 5 --all", 60), ("progress", 60), ("list", 60),
            ("explain bank-conflict", 60),
            ("diff 4 5", 60), ("show 5", 60), ("tour", 60), ("diff 9", 60), ("profile 4", 60), ("doctor", 80), ("inspect limits 8", 60),
            ("limits 1 --solution", 60),
            ("tables 17", 80), ("check --help", 60))


def printed(args, columns, language):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = dict(os.environ, TERM="xterm", PAGER="cat", LAB_LANG=language, LAB_ROOT=str(SOURCE))
    process = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env=env)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:  # how a terminal says that the other end is closed
        pass
    process.wait()
    os.close(ours)
    return re.sub("\x1b\\[[0-9;]*[A-Za-z]|\r", "", text.decode()).split("\n")


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class Width(unittest.TestCase):
    def test_lines_fit(self):
        for command, least in COMMANDS:
            for columns in (60, 80, 120):
                for language in ("en", "zh"):
                    if columns >= least:
                        with self.subTest(command=command, columns=columns, language=language):
                            lines = printed(command.split(), columns, language)
                            self.assertGreater(len(lines), 2)
                            self.assertEqual([line for line in lines if width(line) > columns], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
