"""Every message has its Chinese twin, and the tool that says so notices when one has not.

Enters: the sources and the catalogue. Leaves: one unittest verdict."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import messages  # noqa: E402
import po  # noqa: E402


def catalogue():
    return po.read(messages.CATALOGUE.read_text(encoding="utf-8"), "zh.po")[1]


class Catalogue(unittest.TestCase):
    def test_complete(self):
        wrong = messages.check(messages.find_all(), "common/base/text/zh.po", catalogue())
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_many(self):
        self.assertGreater(len(messages.find_all()), 800)  # a finder that finds nothing would be content

    def test_written_as_read(self):
        text = messages.CATALOGUE.read_text(encoding="utf-8")
        self.assertEqual(po.write(*po.read(text)), text)


def printed_as_it_is(source):
    """Sentences that are printed without tr or translated: they stay English, whatever the catalogue has."""
    found = re.findall(r'fmt::print\(\s*(?:stderr,\s*)?((?:"(?:[^"\\\n]|\\.)*"\s*)+)', source)
    texts = ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)) for literals in found]
    return [text for text in texts if re.search("[A-Za-z]{3,} [a-z]{2,}", re.sub(r"\{[^}]*\}|\./lab \w+", "", text))]


class Printed(unittest.TestCase):
    def test_nothing_is_printed_past_the_catalogue(self):
        logs = {"common/grade/slurm/slurm_shard.cpp"}  # of a job on a cluster
        for path in sorted((ROOT / "common").rglob("*.cpp")):
            if str(path.relative_to(ROOT)) not in logs:
                self.assertEqual(printed_as_it_is(path.read_text(encoding="utf-8")), [], path)

    def test_such_a_sentence_is_seen(self):
        self.assertEqual(printed_as_it_is('fmt::print(stderr,\n  "lab: the moon is "\n  "full\\n");'), ["lab: the moon is full\\n"])
        self.assertEqual(printed_as_it_is('fmt::print("{}\\n", tr("the moon is full"));'), [])


class Mutants(unittest.TestCase):
    """What must be noticed, in a catalogue that is right but for one thing."""

    FOUND = {"{} of {} lanes": ["a.cpp"], "line {:>3}\n": ["b.cpp"]}

    def wrong(self, *pairs, found=None):
        return messages.check(found or self.FOUND, "zh.po", [po.Entry(e, t) for e, t in pairs])

    GOOD = (("{} of {} lanes", "{1} 个通道里的 {0} 个"), ("line {:>3}\n", "第 {:>3} 行\n"))

    def test_good(self):
        self.assertEqual(self.wrong(*self.GOOD), [])

    def test_missing(self):
        self.assertIn("is not in zh.po", self.wrong(self.GOOD[0])[0])

    def test_untranslated(self):
        self.assertIn("has no translation", self.wrong(self.GOOD[0], ("line {:>3}\n", ""))[0])

    def test_obsolete(self):
        self.assertIn("said nowhere", self.wrong(*self.GOOD, ("old", "旧"))[0])

    def test_twice(self):
        self.assertIn("second time", self.wrong(*self.GOOD, self.GOOD[0])[0])

    def test_place_lost(self):
        self.assertIn("places", self.wrong(("{} of {} lanes", "{} 个通道"), self.GOOD[1])[0])

    def test_place_added(self):
        self.assertIn("places", self.wrong(("{} of {} lanes", "{0}{1}{2}"), self.GOOD[1])[0])

    def test_other_format(self):
        self.assertIn("places", self.wrong(self.GOOD[0], ("line {:>3}\n", "第 {} 行\n"))[0])

    def test_mixed(self):
        self.assertIn("refuse", self.wrong(("{} of {} lanes", "{} / {1}"), self.GOOD[1])[0])

    def test_brace(self):
        self.assertIn("refuse", self.wrong(("{} of {} lanes", "{} / {"), self.GOOD[1])[0])

    def test_line_end(self):
        self.assertIn("line end", self.wrong(self.GOOD[0], ("line {:>3}\n", "第 {:>3} 行"))[0])

    def test_another_word_for_the_same(self):
        self.assertIn("where the course says 核函数", self.wrong(("{} of {} lanes", "{1} 个内核里的 {0} 个"), self.GOOD[1])[0])
        self.assertIn("where the course says 核函数", self.wrong(("{} of {} lanes", "{1} 个 kernel 里的 {0} 个"), self.GOOD[1])[0])
        self.assertEqual(self.wrong(("{} of {} lanes", "{1} 个 Linux 内核里的 {0} 个"), self.GOOD[1]), [])

    def test_fuzzy(self):
        entry = po.Entry("a b", "甲", comments=["#, fuzzy"])
        self.assertIn("fuzzy", messages.check({"a b": ["a.cpp"]}, "zh.po", [entry])[0])


class Finder(unittest.TestCase):
    """A message is found however the C++ puts it together."""

    def assert_found(self, source, *forms):
        self.assertEqual(messages.forms_of(source), list(forms))

    def test_fmt(self):
        self.assert_found('fmt::print("{} of {} lanes\\n", a, b);', "{} of {} lanes\n")

    def test_pieces_of_a_literal(self):
        self.assert_found('x = "one half "\n  "and the other";', "one half and the other")

    def test_sums(self):
        self.assert_found('throw UsageError(shown + " is a folder. Name a file in " + it->second + ".");',
                          "{} is a folder. Name a file in {}.")

    def test_choices(self):
        self.assert_found('s = late ? "too late for that" : "just in time";', "too late for that", "just in time")

    def test_one_word(self):
        self.assert_found('a("word"); tr("word"); table.column("idea");', "word", "idea")
        self.assert_found('s = /* message */ "cache";', "cache")
        self.assert_found('s = "line " + n; t = /* message */ "line " + n;', "line {}")

    def test_not_in_comments(self):
        self.assert_found('// "not a message"\n/* "nor this one" */ int i = 1\'000;')

    def test_braces(self):
        self.assert_found('fail("expected \'{\' after " + name + " of it");', "expected '{{' after {} of it")

    def test_snprintf(self):
        self.assert_found('std::snprintf(t, n, "thread (%u,%u) of block %lu", x, y, z);', "thread ({},{}) of block {}")


if __name__ == "__main__":
    unittest.main()
