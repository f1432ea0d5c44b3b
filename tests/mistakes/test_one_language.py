"""A Chinese message is Chinese throughout.

Enters: LAB_PROGRAM, the built program; mutants of the course and of running kernels, beginners' mistakes. Leaves: one unittest verdict.
Kernels are drawn and checked with LAB_LANG=zh; what is printed, less commands, code and places, holds no two English words in a row.
LAB_SEED repeats a run, LAB_DRAWS=50 takes every kernel."""
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli"), str(TESTS / "mistakes")]
import mistakes  # noqa: E402
from drawn.draws import sample_of_run  # noqa: E402

from sandbox import SOURCE, Clone  # noqa: E402

DRAWN = 12
MUTANTS = sorted((SOURCE / "tests/mutants/course").glob("*.cu"))
FAULTS = sorted((SOURCE / "tests/mutants/faults").glob("*.cu"))
# What is no sentence: the source that is quoted behind its place, commands, names in backticks, links, what a launch shape declares.
NO_WORDS = re.compile(r"\S+\.cu:\d+.*|\./lab [^\n]*|`[^`]*`|https?://\S+|\.\w+ = [^。；，]*|[\w/.-]*\.(?:cuh?|toml|md|cpp|h)\b|\w+\([^()]*\)")
WORDS = re.compile(r"(?<![\w.:/<-])[A-Za-z][a-z']+(?: [a-z]{2,})+(?![\w(.:/])")
# Names that are two words, of the trade.
NAMES = {"Nsight Compute", "lane mask"}


def english_in(text):
    """Rows of English words in what is printed in Chinese."""
    return [found[0] for found in WORDS.finditer(NO_WORDS.sub(" ", text)) if found[0] not in NAMES]


def on_its_own(file):
    """A mutant's text as a student would hand it in: a reference solution that it includes stands in it."""
    return re.sub(r'#include "(solutions/.*)"', lambda found: (SOURCE / found[1]).read_text(encoding="utf-8"), file.read_text(encoding="utf-8"))


class OneLanguage(unittest.TestCase):
    def all_chinese(self, kernels):
        """Each kernel, a name and a text, is checked in the chapter that its name begins with."""
        with Clone() as clone:
            chinese = 0
            for name, text in kernels:
                with self.subTest(kernel=name):
                    file = clone.root / "mine.cu"
                    file.write_text(text, encoding="utf-8")
                    _, out, err = clone.lab("check", str(int(name[:2])), "--kernel", str(file), "--device", "sim", LAB_LANG="zh")
                    self.assertEqual(english_in(out + err), [])
                    chinese += len(re.findall(r"[\u4e00-\u9fff]", out))
            self.assertGreater(chinese, 400)

    def test_messages_of_mutants(self):
        self.all_chinese([(file.stem, on_its_own(file)) for file in sample_of_run("mutants", MUTANTS, DRAWN)])

    def test_messages_of_mistakes(self):
        self.all_chinese([(row["id"], mistakes.wrong_text(row)) for row in sample_of_run("mistakes", mistakes.load(), DRAWN)])

    def test_messages_of_faults(self):
        with Clone() as clone:
            for file in sample_of_run("faults", FAULTS, DRAWN):
                with self.subTest(mutant=file.stem):
                    _, out, err = clone.lab("profile", str(file), "--rows", "64", "--cols", "64", LAB_LANG="zh")
                    self.assertEqual(english_in(out + err), [])

    def test_what_is_found(self):
        self.assertEqual(english_in("线程 (0,0) reads the tile，之前没有写过"), ["reads the tile"])
        self.assertEqual(english_in("每 lane 16 字节：`if (row < rows) return` 在第 4 行"), [])
        self.assertEqual(english_in("  ✗ 完整的扇区   a.cu:41  if (row < rows) out[row] = in[row] and more words"), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
