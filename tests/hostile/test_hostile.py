"""Hostile submissions, one after another: each must be refused for the reason in table.tsv, within limits, and leave
nothing behind.

Enters: LAB_PROGRAM, and a kernel compiler as the first argument. Leaves: one unittest verdict. Each file is judged by
`lab check CHAPTER --kernel FILE --sandbox`, as `lab grade` would. Exit 77: there is no bubblewrap that works, or no such
compiler."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["LAB_PROGRAM"]
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SANITIZED = bool(os.environ.get("LAB_SANITIZED"))  # such a program is slow, and reserves terabytes of addresses
SECONDS = 200 if SANITIZED else 40  # of wall time for each, on a busy machine; the compiler has 10 s of processor time
MEMORY_KIB = 5 << 20
SECRETS = ("root:x:0:0", "root:*", "daemon:")  # of /etc/passwd and /etc/shadow

# Files that git would change, or not carry.
HEAD = '#include "common/kernel/lab.cuh"\nLAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}};\n'
KERNEL = 'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {}\n'


def make(name, folder):
    """Writes the file of a row and returns its path."""
    path = folder / "chapters" / "transpose.cu"
    path.parent.mkdir(exist_ok=True)
    if name == "made_huge_source":
        path.write_text(HEAD + KERNEL + "// " + "x" * (512 << 10))
    elif name == "made_nul":
        path.write_bytes((HEAD + KERNEL).encode() + b"// \0\0\0")
    elif name == "made_not_utf8":
        path.write_bytes(HEAD.encode() + b"#error \xff\xfe \xe9t\xe9 \xed\xa0\x80 \xc0\x80\n" + KERNEL.encode())
    elif name == "made_link":
        path.symlink_to("/etc/passwd")
    elif name == "made_link_to_solution":
        path.symlink_to(ROOT / "solutions" / "01_naive" / "transpose.cu")
    elif name == "made_pipe":
        os.mkfifo(path)
    elif name == "made_folder":
        path.mkdir()
    elif name == "made_empty":
        path.touch()
    elif name == "made_binary":
        path.write_bytes(pathlib.Path("/bin/true").read_bytes()[:4096])
    elif name == "made_long_name":
        path.write_text(HEAD + "__device__ int " + "n" * 100000 + ";\n" + KERNEL.replace("{}", "{ out[0] = " + "n" * 100000 + "; }"))
    elif name == "made_odd_name":
        path = path.with_name("<img src=x onerror=alert(1)>\x1b[2J$(touch ..).cu")
        path.write_text(HEAD + KERNEL)
    else:
        path = HERE / "files" / (name + ".cu")
    return path


def rows():
    for line in (HERE / "table.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, chapter, codes, words, _ = line.split("\t")
            yield name, chapter, codes.split("|"), "" if words == "-" else words


def limit_memory():
    if SANITIZED:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_KIB << 10, MEMORY_KIB << 10))


class Judge:
    def __init__(self, compiler):
        self.compiler = compiler

    def run(self, kernel, chapter, folder, *more):
        """Exit code, text, errors, seconds."""
        env = dict(os.environ, LAB_ROOT=str(ROOT), LAB_CACHE_DIR=str(folder / "cache"), TERM="xterm", CPATH="/etc", TMPDIR=str(folder),
                   LAB_COMPILE_SECONDS="4")
        start = time.monotonic()
        done = subprocess.run(
            [PROGRAM, "check", chapter, "--kernel", str(kernel), "--sandbox", "--compiler", self.compiler, *more],
            capture_output=True, env=env, timeout=4 * SECONDS, cwd=folder, preexec_fn=limit_memory)
        return done.returncode, done.stdout, done.stderr, time.monotonic() - start

    def diagnosis(self, kernel, chapter, folder):
        """(code, message, everything that was said, seconds)."""
        status, out, err, seconds = self.run(kernel, chapter, folder, "--json")
        said = out + err
        if not out:
            code = {2: "not-a-kernel", 4: "compiler-limit"}.get(status, "exit %d" % status)
            return code, err.decode(), said, seconds
        verdict = json.loads(out.decode("utf-8"))
        if verdict["passed"]:
            return "passed", "", said, seconds
        failed = [case for case in verdict["cases"] if case["reasons"]]
        if not failed or status not in (1, 4):
            return "exit %d without a reason" % status, "", said, seconds
        reason = failed[0]["reasons"][0]
        return reason["code"], reason["message"], said, seconds


class Hostile(unittest.TestCase):
    judge = None
    only = ()

    def assert_harmless(self, said, folder):
        text = said.decode("utf-8", "strict")
        for secret in (*SECRETS, "Sanitizer", ": runtime error: "):
            self.assertNotIn(secret, text)
        for character in text:
            self.assertFalse(character < " " and character not in "\n\t", "control character in what it says")
        self.assertLess(len(said), 300 << 10)
        left = [path.name for path in folder.rglob("*") if "HOSTILE" in path.name or path.name.startswith("transpose-lab-")]
        self.assertEqual(left, [], "something was left behind")
        self.assertFalse((ROOT / "HOSTILE_RAN").exists())
        self.assertFalse((ROOT / "verdict.json").exists())

    def test_each_gets_its_diagnosis(self):
        for name, chapter, codes, words in rows():
            if self.only and name not in self.only:
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                code, message, said, seconds = self.judge.diagnosis(make(name, folder), chapter, folder)
                print("%-28s %-22s %5.2f s" % (name, code, seconds), file=sys.stderr)
                self.assertIn(code, codes, message[:500])
                self.assertIn(words, message)
                self.assertLess(seconds, SECONDS)
                self.assert_harmless(said, folder)

    def test_a_good_one_passes_beside_them(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out, err, _ = self.judge.run(ROOT / "solutions" / "01_naive" / "transpose.cu", "1", pathlib.Path(folder), "--json")
            self.assertEqual(status, 0, err)
            self.assertTrue(json.loads(out)["passed"])

    def test_cards_hold_no_escapes(self):
        for name in ("words_ansi", "words_assert", "words_direction", "made_not_utf8", "made_odd_name"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                _, out, err, _ = self.judge.run(make(name, folder), "1", folder)
                self.assert_harmless(out + err, folder)
                for mark in "\u202e\u2066\u200b\x9b":
                    self.assertNotIn(mark, (out + err).decode())


def why_skip(compiler):
    good = ROOT / "solutions" / "01_naive" / "transpose.cu"
    with tempfile.TemporaryDirectory() as folder:
        status, _, err, _ = Judge(compiler).run(good, "1", pathlib.Path(folder), "--json")
    return err.decode() if status == 3 else ""


if __name__ == "__main__":
    Hostile.judge = Judge(sys.argv[1])
    Hostile.only = sys.argv[2:]
    reason = why_skip(sys.argv[1])
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(0 if result.wasSuccessful() else 1)
