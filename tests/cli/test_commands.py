"""All commands: each has a help with an example that works and a --json that parses; shells complete them.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. The commands are those that `lab --help` lists, so a
new one without an entry here fails the test."""
import fcntl
import json
import os
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata
import unittest

from sandbox import PROGRAM, SOURCE, Clone

# How to run each command so that it answers soon; {kernel} is a plain kernel file. None: covered by a test of its own.
SMALL = {
    "tour": "tour", "list": "list", "check": "check 1", "watch": "watch 1 --times 1", "predict": "predict 5",
    "inspect limits": "inspect limits 1 --solution --size 256", "profile": "profile {kernel} --rows 64 --cols 64",
    "step": "step {kernel} --rows 64 --cols 64 --step 3", "show": "show {kernel} --rows 64 --cols 64", "inspect swizzle": "inspect swizzle x",
    "doctor": "doctor", "diff": "diff {kernel} {kernel} --rows 64 --cols 64", "hint": "hint 1", "solution": "solution 1 --spoil",
    "explain": "explain bank-conflict", "inspect banks": "inspect banks --step 8", "inspect sectors": "inspect sectors --step 8",
    "progress": "progress", "tables": "tables 17", "grade rubric": "grade rubric",
    "reset": "reset 1", "completion": "completion bash", "dev verify": None,
}
KERNEL = """extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}
"""
# Each thread reads four neighbouring words of the tile: ptxas makes one access of them.
NEIGHBOURS = """extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x, r = t / 8, c = t % 8 * 4;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + threadIdx.y + k) * cols + x + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 4; ++k) out[(x + c + k) * rows + y + r] = tile[r][c + k];
}
"""
# Options that write a file, and a command line that does; test_what_is_written asks that no help names another.
WRITES = {
    ("run", "--json"): "run my.cu", ("run", "--sarif"): "run my.cu", ("bench", "--svg"): "bench my.cu --device sim --sizes 64",
    ("bench", "--html"): "bench my.cu --device sim --sizes 64", ("show", "--svg"): "show my.cu --rows 64 --cols 64",
    ("show", "--html"): "show my.cu --rows 64 --cols 64",
    ("step", "--html"): "step my.cu --rows 64 --cols 64", ("progress", "--export"): "progress", ("grade similar", "--page"): "grade similar class",
}
OF_THAT_KIND = {"--json": "[]", "--sarif": "{}", "--export": "{}"}  # else markup
clone = Clone()


GROUPS = ("inspect", "grade", "dev")
SCRIPTS = ("dev new-chapter", "dev messages")  # of tools/: they have a help and tests of their own
# Commands that moved into a group, as they were spelled before.
OLD_SPELLINGS = {"banks": "inspect banks", "sectors": "inspect sectors", "swizzle": "inspect swizzle", "limits": "inspect limits",
                 "similar": "grade similar", "verify": "dev verify"}


def commands():
    """What `lab --help` lists."""
    out = clone.lab("--help")[1]
    return re.findall(r"^  ([a-z]\w*) ", out, re.M)


def members(group):
    out = clone.lab(group, "--help")[1]
    return [f"{group} {name}" for name in re.findall(r"^  ([a-z][\w-]*) ", out.split("\nCommands:\n")[1], re.M)]


def leaves():
    """Each command that does something: "check", "inspect banks"."""
    return [leaf for name in commands() for leaf in (members(name) if name in GROUPS else [name])]


def example_lines(name):
    """What stands behind "Example:" in a command's help, one command line each."""
    out = clone.lab(*name.split(), "--help")[1]
    found = re.search(r"Example: (.*)", out)
    return found and re.findall(r"(?:^|\s{2,})(\S.*?)(?=\s{4,}|$)", found.group(1))


class Commands(unittest.TestCase):
    def test_help(self):
        self.assertGreater(len(leaves()), 22)
        for name in [*leaves(), *GROUPS]:
            with self.subTest(command=name):
                code, out, err = clone.lab(*name.split(), "--help")
                self.assertEqual((code, err), (0, ""))
                if name not in (*GROUPS, *SCRIPTS, "judge", "mcp", "dap"):  # all of it is JSON
                    self.assertIn("--json", out)
                self.assertTrue(example_lines(name), "no example")
                self.assertTrue(all("lab " + name in line for line in example_lines(name)), example_lines(name))

    def test_examples_are_understood(self):
        (clone.root / "my.cu").write_text(KERNEL)
        (clone.root / "mine.cu").write_text(KERNEL)
        for name in leaves():
            for line in example_lines(name):
                if "FOLDER" in line:  # records of laptops: test_workshop.py
                    continue
                # Long, endless, a shell's matter, or a class is needed.
                if name in ("watch", "tour", "completion", "bench", "run", "judge", "mcp", "dap") or name.startswith(("dev ", "grade ")):
                    continue
                with self.subTest(example=line):
                    words = shlex.split(line.split("|")[0])
                    self.assertEqual(words[0], "./lab")
                    code, _, err = clone.lab(*words[1:])
                    self.assertIn(code, (0, 1), err)

    def test_json(self):
        (clone.root / "my.cu").write_text(KERNEL)
        for name in leaves():
            with self.subTest(command=name):
                if name not in SMALL:
                    self.skipTest("has tests of its own")
                if SMALL[name] is None:
                    continue
                code, out, _ = clone.lab(*SMALL[name].format(kernel="my.cu").split(), "--json")
                self.assertIn(code, (0, 1))
                self.assertEqual(out.count("\n"), 1)
                self.assertIsInstance(json.loads(out), dict)

    def test_what_is_written(self):
        """Results take no other file's place: a kernel, notes or a table that was named by mistake stays, and nothing has run."""
        options = re.compile(r"^  (--\w+) (?:TEXT|FILE)? +(.*)", re.M)
        named = {(leaf, option) for leaf in leaves() for option, words in options.findall(clone.lab(*leaf.split(), "--help")[1])
                 if re.match(r"Writes? (it|one|a|the) .*", words) or (leaf, option) in WRITES}
        self.assertEqual(named, set(WRITES))
        (clone.root / "my.cu").write_text(KERNEL)
        for option in ("--json", "--sarif"):  # a flag elsewhere, so that a kernel is soon taken for its file
            code, _, err = clone.lab("run", option, "my.cu")
            self.assertEqual((code, (clone.root / "my.cu").read_text()), (2, KERNEL))
            self.assertIn(f"./lab run my.cu {option} written.json", err)
        target = clone.root / "theirs"
        for (leaf, option), line in WRITES.items():
            for theirs in (KERNEL, "# Notes\n", "student,points\nana,3\n", "\x7fELF"):
                with self.subTest(command=leaf, option=option, theirs=theirs):
                    target.write_text(theirs)
                    code, out, err = clone.lab(*line.split(), option, "theirs")
                    self.assertEqual((code, target.read_text()), (2, theirs))
                    self.assertIn("theirs holds something else", err)
            if leaf in ("show", "progress"):
                for theirs in ("", OF_THAT_KIND.get(option, "<svg/>")):
                    target.write_text(theirs)
                    self.assertEqual(clone.lab(*line.split(), option, "theirs")[0], 0)
                    self.assertNotEqual(target.read_text(), theirs)

    def test_as_ptxas(self):
        """A second column, and the first stays what it is."""
        (clone.root / "near.cu").write_text(NEIGHBOURS)
        words = ["profile", "near.cu", "--rows", "64", "--cols", "64", "--block", "32x8", "--tile", "32x32"]
        plain = json.loads(clone.lab(*words, "--json")[1])
        both = json.loads(clone.lab(*words, "--json", "--as-ptxas")[1])
        self.assertTrue(both["correct"])
        self.assertNotIn("as_ptxas", plain)
        self.assertEqual(plain["counters"], both["counters"])
        made = both["as_ptxas"]
        self.assertEqual(both["counters"]["shared_load"]["requests"], 4 * made["counters"]["shared_load"]["requests"])
        for same in ("global_load", "global_store", "shared_store"):
            self.assertEqual(both["counters"][same], made["counters"][same])
        self.assertEqual(made["profiler"]["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld"], made["counters"]["shared_load"]["wavefronts"])
        self.assertIn("as ptxas makes it", clone.lab(*words, "--as-ptxas")[1])

    def test_old_spellings(self):
        """They do the same and say the same, and no help speaks of them."""
        for old, new in OLD_SPELLINGS.items():
            with self.subTest(command=old):
                self.assertNotIn(old, commands())
                self.assertEqual(clone.lab(old, "--help"), clone.lab(*new.split(), "--help"))
        self.assertEqual(clone.lab("--plain", "banks", "--step", "8", "--json"), clone.lab("inspect", "banks", "--step", "8", "--json"))
        self.assertEqual(clone.lab("grade", "--print-rubric"), clone.lab("grade", "rubric"))
        code, out, err = clone.lab("grade")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("Name what is to be graded", err)
        self.assertEqual(clone.lab("grade", "--frobnicate")[0], 2)

    def test_groups(self):
        code, out, err = clone.lab("inspect")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("banks, sectors, swizzle, limits", err)
        code, out, err = clone.lab("inspect", "bnks")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("Did you mean banks?", err)
        code, out, err = clone.lab("inspect", "banks", "--stp", "4")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("`inspect banks` has no option --stp. Did you mean --step?", err)
        code, out, err = clone.lab("--json", "explain", "hint")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--json belongs behind the command: ./lab explain --json\n", err)
        self.assertEqual(clone.lab("explain", "--json")[0], 0)

    def test_json_is_documented(self):
        text = "".join(page.read_text(encoding="utf-8") for page in sorted((SOURCE / "docs").glob("json*.md")))
        for name in leaves():
            own = SOURCE / "docs" / f"{name.split()[-1]}.md"  # a command with a page of its own may say it there
            with self.subTest(command=name):
                if not own.exists() and name not in SCRIPTS:
                    self.assertTrue(re.search(rf"`({name}|{name.split()[-1]})\b", text), f"docs/json.md says nothing of {name} --json")

    def test_every_key_is_documented(self):
        (clone.root / "my.cu").write_text(KERNEL)
        text = "".join(page.read_text(encoding="utf-8") for page in sorted((SOURCE / "docs").glob("json*.md")))

        def keys(value):
            if isinstance(value, dict):
                return set(value).union(*map(keys, value.values()))
            return set().union(*map(keys, value)) if isinstance(value, list) else set()

        for name in leaves():
            if SMALL.get(name) is None:
                continue
            with self.subTest(command=name):
                got = json.loads(clone.lab(*SMALL[name].format(kernel="my.cu").split(), "--json")[1])
                self.assertEqual([key for key in sorted(keys(got)) if not re.search(rf"[`\"]{key}\b", text)], [])

    def test_typing_errors(self):
        for line, meant in (("chek", "check"), ("swizle x", "swizzle"), ("setpu", "setup"), ("check --solutoin", "--solution"),
                            ("banks --stp 4", "--step"), ("check pading", "padding"), ("explain bank-conflct", "bank-conflict")):
            with self.subTest(line=line):
                code, out, err = clone.lab(*line.split())
                self.assertEqual((code, out), (2, ""))
                self.assertIn(f"Did you mean {meant}?", err)
        for line in ("next", "check --frobnicate", "check zzzz", "explain q"):
            code, _, err = clone.lab(*line.split())
            self.assertEqual(code, 2)
            self.assertNotIn("Did you mean", err)


class Narrow(unittest.TestCase):
    """At a terminal of 80 columns nothing is broken inside a word, and tables keep their shape."""

    def at_a_terminal(self, *args):
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(clone.env, TERM="xterm-256color", PAGER="cat")
            os.chdir(clone.root)
            os.execv(PROGRAM, [PROGRAM, *args])
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        out = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                part = b""
            if not part:
                break
            out += part
        os.waitpid(pid, 0)
        return re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", out.decode()).replace("\r\n", "\n").split("\n")

    @staticmethod
    def columns(line):
        return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.split("\r")[-1])

    def test_lines_fit(self):
        for line in ("", "--help", "check --help", "tour", "list", "progress", "check 5", "hint 5", "hint 7 --all", "explain",
                     "explain shared-race", "profile my.cu --rows 64 --cols 64", "chek", "show 5", "diff 4 5"):
            for language in ("en", "zh"):
                with self.subTest(line=line, language=language):
                    (clone.root / "my.cu").write_text(KERNEL)
                    wide = [one for one in self.at_a_terminal("--lang", language, *line.split()) if self.columns(one) > 80]
                    self.assertEqual(wide, [])


class Completion(unittest.TestCase):
    """In the shells themselves."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        for shell in ("bash", "zsh", "fish"):
            with open(f"{cls.folder}/lab.{shell}", "w") as out:
                out.write(clone.lab("completion", shell)[1])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def need(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"no {shell} (apt install {shell})")

    def run_shell(self, *args):
        done = subprocess.run(args, capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def offers(self, offer):
        """The same questions to all shells."""
        self.assertEqual(sorted(offer("")), sorted(commands()))
        self.assertEqual(offer("chec"), ["check"])
        self.assertIn("05_padding", offer("check", ""))
        self.assertEqual(sorted(offer("--compiler", "n")), ["nvcc", "nvrtc"])
        self.assertEqual(offer("check", "5", "--compiler", "c"), ["clang"])
        self.assertEqual(offer("explain", "bank"), ["bank-conflict"])
        self.assertEqual(sorted(offer("show", "5", "--op", "global")), ["global_load", "global_store"])
        self.assertEqual(sorted(offer("completion", "")), ["bash", "fish", "zsh"])
        self.assertEqual(sorted(offer("inspect", "")), ["banks", "limits", "sectors", "swizzle"])
        self.assertEqual(sorted(offer("inspect", "banks", "--st")), ["--stdin", "--step"])
        self.assertEqual(offer("hint", "--a"), ["--all"])
        self.assertEqual(offer("check", "--kernel", "lab.z"), ["lab.zsh"])

    def test_bash(self):
        self.need("bash")
        script = ("source lab.bash; COMP_WORDS=(lab \"$@\"); COMP_CWORD=$#; $(complete -p ./lab | sed 's/.*-F \\([^ ]*\\).*/\\1/');"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        self.offers(lambda *words: self.run_shell("bash", "--norc", "-c", script, "bash", *words).split())

    def test_zsh(self):
        self.need("zsh")
        script = ("autoload -U compinit; compinit -u -D; source ./lab.zsh; words=(lab \"$@\"); CURRENT=$#words;"
                  "compadd() { shift; print -rl -- ${(M)@:#$words[CURRENT]*} }; _files() { print -rl -- $words[CURRENT]*(N) };"
                  "$_comps[lab]")
        self.offers(lambda *words: self.run_shell("zsh", "-f", "-c", script, "zsh", *words).split())

    def test_fish(self):
        self.need("fish")
        script = "source lab.fish; complete -C (string join -- ' ' ./lab $argv)"
        self.offers(lambda *words: [line.split("\t")[0] for line in
                                    self.run_shell("fish", "--no-config", "-c", script, "--", *words).splitlines()])

    def type_into(self, shell, setup):
        """The Tab key itself, in an interactive shell."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ.update(PS1="> ", TERM="dumb", HOME=self.folder)
            os.execvp(shell[0], shell)
        text = b""

        def wait_for(words, seconds=20):
            nonlocal text
            deadline = time.monotonic() + seconds
            while words not in text and time.monotonic() < deadline:
                if select.select([terminal], [], [], 0.1)[0]:
                    text += os.read(terminal, 4096)
            self.assertIn(words, text)

        os.write(terminal, setup + b"; lab() { echo \"<$*>\"; }; echo rea''dy\n")
        wait_for(b"ready\r\n")
        os.write(terminal, b"lab expl\tbank\t\n")
        wait_for(b"<explain bank-conflict>")
        os.write(terminal, b"exit\n")
        os.close(terminal)
        os.waitpid(pid, 0)

    def test_the_tab_key_in_bash(self):
        self.need("bash")
        self.type_into(["bash", "--norc", "--noprofile", "-i"], b"source ./lab.bash")

    def test_the_tab_key_in_zsh(self):
        self.need("zsh")
        self.type_into(["zsh", "-f", "-i"], b"autoload -U compinit; compinit -u -D; source ./lab.zsh")

    def test_another_shell(self):
        code, out, err = clone.lab("completion", "csh")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("bash", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
