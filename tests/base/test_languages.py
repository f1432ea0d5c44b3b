"""`lab` in Chinese and in English: who decides, what is translated, what is not.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Runs on the simulator; nothing of the student's is
touched but the count of hints, which goes to a folder of its own."""
import json
import os
import pathlib
import re
import subprocess
import unicodedata
import unittest

PROGRAM = os.environ["LAB_PROGRAM"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
LOCALES = ("LAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")


def lab(*args, **env):
    clean = {k: v for k, v in os.environ.items() if k not in LOCALES}
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, env={**clean, "TERM": "dumb", **env},
                          timeout=240, encoding="utf-8")
    return done.returncode, done.stdout, done.stderr


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def english_left_in(line):
    """English words of a line of help: two in a row, or a heading. What one types, names and placeholders are no words."""
    bare = re.sub(r"`[^`]*`|\w+\([^)]*\)|\./lab\b.*|例：.*|用法:.*|\b[A-Z]+(?:[:=]\S+)?\b|--?[a-z][\w-]*|\S*[_/.{}<>\d]\S*", " ", line)
    return re.findall(r"^(?!Slurm)[A-Z][a-z]+:$|\b[a-z]{3,} [a-z]{3,}\b", bare.strip() if bare.strip() else "")


class Choice(unittest.TestCase):
    def language(self, *args, **env):
        code, out, _ = lab("list", *args, **env)
        self.assertEqual(code, 0)
        return "zh" if CHINESE.search(out) else "en"

    def test_who_decides(self):
        self.assertEqual(self.language(), "en")
        self.assertEqual(self.language(LANG="C"), "en")
        self.assertEqual(self.language(LC_ALL="C.UTF-8"), "en")
        self.assertEqual(self.language(LANG="zh_CN.UTF-8"), "zh")  # whether or not this machine has that locale
        self.assertEqual(self.language(LANG="zh_CN.UTF-8", LC_ALL="C"), "en")
        self.assertEqual(self.language(LANG="C", LAB_LANG="zh"), "zh")
        self.assertEqual(self.language("--lang", "en", LANG="zh_CN.UTF-8"), "en")
        self.assertEqual(self.language("--lang=zh", LC_ALL="C"), "zh")
        self.assertEqual(self.language(LANG="fr_FR.UTF-8"), "en")

    def test_option_stands_anywhere(self):
        self.assertRegex(lab("--lang", "zh", "list")[1], CHINESE)
        self.assertRegex(lab("list", "--lang", "zh")[1], CHINESE)

    def test_unknown_language(self):
        code, out, err = lab("--lang", "fr", "list")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("fr", err)


class Words(unittest.TestCase):
    def test_card(self):
        code, out, _ = lab("--lang", "zh", "check", "5", "--kernel", str(ROOT / "chapters/05_padding/transpose.cu"))
        if "编译失败" in out:
            self.skipTest("no kernel compiler")
        self.assertEqual(code, 1 if "未通过" in out else 0)
        self.assertNotRegex(re.sub(r"\S+\.cu\S*.*|\./lab .*", "", out), r"[a-z]{3,} [a-z]{3,}", out)

    def test_fault(self):
        """Every fault that the course shows: in Chinese, no English sentence left."""
        folder = ROOT / "tests/mutants/faults"
        for kernel in sorted(folder.glob("*.cu")):
            shape = re.search(r"// shape: (\d+)x(\d+)", kernel.read_text(encoding="utf-8"))
            rows, cols = shape.groups() if shape else ("64", "64")
            _, out, err = lab("--lang", "zh", "profile", str(kernel), "--rows", rows, "--cols", cols)
            with self.subTest(kernel.name):
                said = [line for line in (out + err).splitlines() if ".cu" not in line and not line.startswith(" " * 40)]
                bare = re.sub(r"`[^`]*`|\S*__\S*|\S*[/_.]\S*", "", "\n".join(said))
                self.assertNotRegex(bare, r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}", out + err)

    def test_help(self):
        """Each page of help, those of commands of commands too: no two English words in a row but for names, examples and placeholders."""
        pages = [()]
        for words in pages:
            code, out, _ = lab("--lang", "zh", *words, "--help")
            self.assertEqual(code, 0)
            for line in out.splitlines():
                self.assertEqual(english_left_in(line), [], f"lab {' '.join(words)} --help: {line}")
            if len(words) < 2:
                pages += [(*words, name) for name in re.findall(r"^  ([a-z][a-z-]+)  ", out, re.M) if not words or words[0] in ("grade", "inspect", "dev")]
        self.assertGreater(len(pages), 25)

    def test_english_is_seen(self):
        self.assertEqual(english_left_in("  --gpu NAME     h200 (default), h100: limits and properties"), ["limits and"])
        self.assertEqual(english_left_in("Commands:"), ["Commands:"])
        for fine in ("例：./lab check 5 --kernel my.cu", "  --lang TEXT:{en,zh}   消息的语言", "  chapter TEXT REQUIRED  章", "用法: lab [选项]"):
            self.assertEqual(english_left_in(fine), [])

    def test_errors(self):
        code, _, err = lab("--lang", "zh", "check", "77")
        self.assertEqual(code, 2)
        self.assertIn("没有章节", err)
        code, _, err = lab("--lang", "zh", "--nonsense")
        self.assertEqual(code, 2)
        self.assertIn("没有选项", err)
        code, _, err = lab("--lang", "zh", "profile", "/nowhere.cu", "--rows", "4", "--cols", "4")
        self.assertEqual(code, 2)
        self.assertIn("没有文件", err)

    def test_explain_all(self):
        for line in lab("--lang", "zh", "explain")[1].splitlines():
            self.assertRegex(line, CHINESE)

    def test_lessons_in_the_same_language(self):
        code, out, _ = lab("--lang", "zh", "list")
        for lesson in re.findall(r"\S+\.md", out):
            self.assertTrue(lesson.endswith("README.zh.md"))
            self.assertTrue((ROOT / lesson).is_file(), lesson)

    def test_tables_line_up(self):
        lines = [line for line in lab("--lang", "zh", "list")[1].splitlines() if "chapters/" in line]
        starts = {columns(line[:line.index("chapters/")]) for line in lines}
        self.assertGreater(len(lines), 8)
        self.assertEqual(len(starts), 1)


class Json(unittest.TestCase):
    """Programs get the same bytes whoever asks."""

    def test_same_bytes(self):
        for args in (("list",), ("explain", "bank-conflict"), ("banks", "--step", "8"), ("swizzle", "x ^ y")):
            english = lab(*args, "--json")
            for asked in (lab(*args, "--json", LANG="zh_CN.UTF-8"), lab("--lang", "zh", *args, "--json")):
                self.assertEqual(asked, english)
            json.loads(english[1])

    def test_verdict(self):
        kernel = str(ROOT / "solutions/05_padding/transpose.cu")
        english, chinese = (lab("check", "6", "--kernel", kernel, "--json", **env) for env in ({}, {"LAB_LANG": "zh"}))
        self.assertEqual(english[0], chinese[0])
        self.assertNotRegex(chinese[1], CHINESE)
        a, b = json.loads(english[1]), json.loads(chinese[1])
        self.assertEqual(a["cases"], b["cases"])


if __name__ == "__main__":
    unittest.main()
