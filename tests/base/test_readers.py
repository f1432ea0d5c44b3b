"""Nothing reads a finished sentence back: what decides by a finding asks its kind and its values.

Enters: the sources of common/, the catalogue. Leaves: one unittest verdict; as a program, `test_readers.py --list [FOLDER]`, each place
that searches a sentence of ours, cuts it, or compares it. A line end may be looked for: that is layout."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common/base/text")]
import po  # noqa: E402

SEARCH = r"(?:find|rfind|starts_with|ends_with|contains|substr|compare|resize|replace|insert|erase|pop_back|remove_suffix|remove_prefix)"
# A sentence by its name, then what only a reader of it does. `find('\n')` and what follows from it is layout.
OF_A_SENTENCE = re.compile(r"\b(?:message|sentence\(\)|english\(\)|what\(\)|why|advice|finding|remedy)\)?\s*\.\s*" + SEARCH + r"\(([^;]*)")
WITH_WORDS = re.compile(r"\.\s*" + SEARCH + r'\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)')
# A sentence under another name, handed on with words to look for.
RENAMED = re.compile(r"\bstd::string(?:_view)? (\w+) = [^;]*\benglish\(\);")
PARSERS = re.compile(r"\btranslated_words\(")
LAYOUT = re.compile(r"'\\n'|\"\\\\n\"|\bend\b")


def words_of(literal):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)).replace('\\"', '"')


def readers(source, forms):
    """(line, text) of each place in a source that reads a sentence."""
    found = []
    for match in OF_A_SENTENCE.finditer(source):
        if not LAYOUT.search(match[1][:60]):
            found.append((match.start(), match[0]))
    for match in WITH_WORDS.finditer(source):
        words = words_of(match[1])
        # Part of a sentence of ours: two words at least, or a word between blanks.
        if re.search(r"[A-Za-z]{2,} [A-Za-z`]|[a-z] `|^ [a-z]{3,}", words) and any(words in form for form in forms):
            found.append((match.start(), match[0]))
    for match in RENAMED.finditer(source):
        if handed := re.search(rf'\b{match[1]}, "[a-z]+ ', source[match.end():match.end() + 600]):
            found.append((match.start(), match[0] + handed[0]))
    return [(source.count("\n", 0, at) + 1, " ".join(text.split())[:100]) for at, text in sorted(found)]


def all_readers(root):
    entries = po.read((root / "common/base/text/zh.po").read_text(encoding="utf-8"))[1]
    forms = [entry.english for entry in entries]
    return [(path.relative_to(root), line, text) for path in sorted((root / "common").rglob("*"))
            if path.suffix in {".cpp", ".h"} for line, text in readers(path.read_text(encoding="utf-8"), forms)]


# A course's cases say which words a message must have: a test of the wording, which decides nothing else.
# A compiler is a process of its own: all that it says of a file is its log.
ALLOWED = {"common/course/lessons/course_judge.cpp", "common/compile/compile.cpp"}
# Finished English that is translated by its form: what CLI11 says of a command line. Nothing of ours is.
MOST_TAKEN_APART = 1


def taken_apart(root):
    return sum(len(PARSERS.findall(path.read_text(encoding="utf-8"))) for path in sorted((root / "common").rglob("*.cpp"))
               if path.parent.name != "text")


class Readers(unittest.TestCase):
    FORMS = ["{} holds zero; {} belongs there", "{}: the assertion `{}` failed."]

    def test_none(self):
        self.assertEqual([f"{path}:{line}: {text}" for path, line, text in all_readers(ROOT) if str(path) not in ALLOWED], [])

    def test_fewer_are_taken_apart(self):
        self.assertLessEqual(taken_apart(ROOT), MOST_TAKEN_APART)

    def test_readers_are_seen(self):
        for source in ('if (m.find(" holds zero") != npos) zero();', 'if (reason.message.ends_with(kGuard)) cut();',
                       'return text.find("assertion `") == 0;', 'fault.message.resize(n);',
                       'const std::string said = reason.message.english();\n  add_numbers(lines, said, "line ");'):
            self.assertEqual(len(readers(source, self.FORMS)), 1, source)

    def test_other_searches_are_none(self):
        for source in ('log.find("open source file")', 'text.starts_with("cp.async")', "message.find('\\n')", 'message.substr(0, end)'):
            self.assertEqual(readers(source, self.FORMS), [], source)


if __name__ == "__main__":
    if "--list" in sys.argv:
        rows = all_readers(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT)
        print("\n".join(f"{path}:{line}: {text}" for path, line, text in rows))
        print(f"{len(rows)} places read a sentence, {taken_apart(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT)} take one apart")
    else:
        unittest.main()
