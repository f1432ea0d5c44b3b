"""What ./lab and tools/setup say has its Chinese: every sentence that stands in them, with its changing parts kept.

Enters: the scripts, and the Python that `lab site` starts. Leaves: one unittest verdict. A sentence is what `say`, `stop`,
`stop_with_log`, `refuse` and `with_progress` are given, and the problem and advice of a bundle; the usages too."""

import ast
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = [ROOT / "lab", *sorted((ROOT / "tools/setup").glob("*.sh"))]
TOOLS = [ROOT / "tools/waiting.py", *sorted((ROOT / "tools/site").glob("*.py")), *sorted((ROOT / "tools/browser").glob("*.py"))]
SPEAKS = re.compile(r"(?:^|[;&|{] ?|\s)(?:(?:say|stop|stop_with_log|refuse|in_words|with_progress) |bundle_problem=|bundle_advice=)(?=\")", re.M)


def end_of_expansion(text: str, at: int) -> int:
    """Behind the $name, ${…} or $(…) that begins at `at`."""
    opened = text[at + 1]
    if opened not in "({":
        return at + re.match(r"\$(\w+|[*@#?])", text[at:]).end()
    closed = {"(": ")", "{": "}"}[opened]
    depth = 0
    for i in range(at + 1, len(text)):
        depth += (text[i] == opened) - (text[i] == closed)
        if depth == 0:
            return i + 1
    raise ValueError("an expansion without end")


def sentence(text: str, at: int) -> tuple[str, list[str], int]:
    """What stands between quotes from `at` on, its changing parts as {0}, {1} …; those parts; where it ends."""
    said, parts = "", []
    while text[at] != '"':
        if text[at] == "\\":
            said += text[at + 1]
            at += 2
        elif text[at] == "$":
            end = end_of_expansion(text, at)
            said += "{%d}" % len(parts)
            parts.append(text[at:end])
            at = end
        else:
            said += text[at]
            at += 1
    return said, parts, at + 1


def sentences(text: str) -> list[str]:
    found = []
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M) + "\n"
    for match in SPEAKS.finditer(text):
        at = match.end()
        while text[at] == '"':
            said, parts, at = sentence(text, at + 1)
            choices = [re.findall(r'echo "([^"]*)"', part) for part in parts]  # a part that is one of some words
            said = re.sub(r"\{(\d+)\}", lambda m, c=choices: c[int(m[1])][0] if c[int(m[1])] else m[0], said)
            if re.search("[a-z]", re.sub(r"\{\d+\}", "", said)) and not said.startswith("sudo "):  # a line to run
                found.append(said)
            at = re.match(r"(?:[ \t]|\\\n)*", text[at:]).end() + at
            if "with_progress " in match[0]:  # what follows is a command
                break
    for usage in re.findall(r"_usage\(\) \{\n  cat <<'END'\n(.*?)^END$", text, re.S | re.M):
        found += [line for line in usage.splitlines() if re.search(r"[a-z]{3}.* [a-z]", line) and "Usage:" not in line]
    return found


def sentences_of_python(text: str) -> list[str]:
    """What `said`, a line that waits, and the errors of the site are given."""
    found = []
    for call in ast.walk(ast.parse(text)):
        if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("said", "Waiting", "SiteError", "BuildError") and call.args):
            continue
        for part in ast.walk(call.args[0]):
            if isinstance(part, ast.JoinedStr):
                numbers = iter(range(99))
                found.append("".join(str(piece.value) if isinstance(piece, ast.Constant) else "{%d}" % next(numbers) for piece in part.values))
            elif isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value and not any(part.value in one for one in found):
                found.append(part.value)
    return [one.rstrip() for one in found if re.search("[a-z]{2}.* ", re.sub(r"\{\d+\}", "", one))]


def in_chinese(lines: list[str]) -> list[str]:
    done = subprocess.run(["sed", "-f", str(ROOT / "tools/setup/zh.sed")], input="\n".join(lines) + "\n", text=True, capture_output=True, check=True)
    return done.stdout.splitlines()


class Words(unittest.TestCase):
    def test_every_sentence_has_its_chinese(self):
        said = [line for script in SCRIPTS for line in sentences(script.read_text())]
        said += [one.split("\n")[0] for tool in TOOLS for one in sentences_of_python(tool.read_text())]
        self.assertGreater(len(said), 100)
        for english, chinese in zip(said, in_chinese(said), strict=True):
            with self.subTest(english):
                self.assertRegex(chinese, "[\u4e00-\u9fff]")
                self.assertEqual(sorted(re.findall(r"\{\d+\}", english)), sorted(re.findall(r"\{\d+\}", chinese)))
                self.assertNotRegex(chinese, r"[a-z]{3,} (the|is|are|of|for|and|or|to|in) ", "a part stayed English")

    def test_a_sentence_that_is_missing_is_seen(self):
        for source in ('say "the moon is $colour"', 'x || stop "nothing here" \\\n  "Do {it}."', '  [ -f a ] || bundle_advice="Sing."'):
            self.assertTrue(sentences(source), source)
        self.assertEqual(sentences('say "a $(echo "b $c") d" "$e"'), ["a b $c d"])
        self.assertEqual(sentences_of_python('raise SiteError(f"no {x} here")\nprint(said("all is well"))'), ["no {0} here", "all is well"])

    def test_the_language_is_found_as_the_program_finds_it(self):
        for options, variables, chinese in ((["--lang", "zh"], {}, True), (["--lang=en"], {"LANG": "zh_CN.UTF-8"}, False),
                                            ([], {"LANG": "zh_CN.UTF-8"}, True), ([], {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, False),
                                            ([], {"LAB_LANG": "zh", "LC_ALL": "C"}, True), ([], {}, False)):
            with self.subTest(options=options, variables=variables):
                done = subprocess.run([str(ROOT / "lab"), *options, "--compiler", "gcc", "list"], env={"PATH": "/usr/bin:/bin", **variables},
                                      text=True, capture_output=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual("没有名为" in done.stderr, chinese, done.stderr)


if __name__ == "__main__":
    unittest.main()
