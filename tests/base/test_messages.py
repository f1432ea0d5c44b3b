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
        logs = {"common/class/grade/slurm/slurm_shard.cpp"}  # of a job on a cluster
        for path in sorted((ROOT / "common").rglob("*.cpp")):
            if str(path.relative_to(ROOT)) not in logs:
                self.assertEqual(printed_as_it_is(path.read_text(encoding="utf-8")), [], path)

    def test_such_a_sentence_is_seen(self):
        self.assertEqual(printed_as_it_is('fmt::print(stderr,\n  "lab: the moon is "\n  "full\\n");'), ["lab: the moon is full\\n"])
        self.assertEqual(printed_as_it_is('fmt::print("{}\\n", tr("the moon is full"));'), [])


def phrases_of_others(source):
    """Values of msg("…", …) that an exception, a library or the system says. As a const char* they would be looked up as a phrase and
    their braces read as places; message_of, verbatim or std::string take them as they are."""
    def inside(tokens):
        for before, token in zip([("", "", False), *tokens], tokens):
            if token[0] not in messages.OPEN:
                continue
            if token[0] == "(" and before[1] == "msg":
                part: list = []
                for inner in [*token[1], ("sign", ",", False)]:
                    if inner[1] == ",":
                        words = [t[1] for t in part if t[0] == "word"] if part and part[-1][0] == "(" else []
                        if words[1:] and words[-1] in ("what", "c_str") or words[-1:] in (["strerror"], ["dlerror"]):
                            yield ".".join(words)
                        part = []
                    else:
                        part.append(inner)
            yield from inside(token[1])
    return list(inside(messages.group(messages.tokens_of(source))[0]))


class WordsOfOthers(unittest.TestCase):
    def test_none_is_a_phrase(self):
        for path in sorted((ROOT / "common").rglob("*.cpp")):
            self.assertEqual(phrases_of_others(path.read_text(encoding="utf-8")), [], path)

    def test_such_a_phrase_is_seen(self):
        for value in ("error.what()", "e->message.c_str()", "std::strerror(errno)", "dlerror()"):
            self.assertEqual(len(phrases_of_others(f'throw Error(msg("{{}} fails: {{}}", name(3), {value}));')), 1, value)
        for value in ("text::message_of(error)", "std::string(error.what())", "name.string()"):
            self.assertEqual(phrases_of_others(f'throw Error(msg("{{}}: {{}}", {value}, 3));'), [], value)


class Mutants(unittest.TestCase):
    """What must be noticed, in a catalogue that is right but for one thing."""

    FOUND = {"{} of {} lanes": ["a.cpp"], "line {:>3}\n": ["b.cpp"]}

    def wrong(self, *pairs, found=None):
        return messages.check(found or self.FOUND, "zh.po", [po.Entry(e, t) for e, t in pairs])

    GOOD = (("{} of {} lanes", "{1} 个 lane 里的 {0} 个"), ("line {:>3}\n", "第 {:>3} 行\n"))

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
        self.assertIn("places", self.wrong(("{} of {} lanes", "{} 个lane"), self.GOOD[1])[0])

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

    def test_each_other_word_is_found(self):
        """One use of each; the same sentence in the course's own word is right."""
        uses = {"让一个 warp 等": "让一个线程束等", "第 3 个通道": "第 3 个 lane", "线程块簇": "线程块集群", "一块瓦片": "一个分块",
                "异步复制": "异步拷贝",
                "两组在路上": "两组在途", "规约": "归约", "盒有 8 字节": "盒子有 8 字节", "一圈光晕": "一圈 halo", "张量图": "张量映射",
                "比如这样": "例如这样",
                "参考答案": "参考解答", "没有冲突": "无存储体冲突", "转手上这个分块": "处理手上这个分块",
                "未到达：结果还不正确": "尚未检查：结果还不正确", "一切都经 cp.async 而来": "全部元素都由 cp.async 拷贝", "晚的行": "后移的行",
                "128 字节的线": "128 字节的段", "另一个块的共享内存": "另一个线程块的共享内存", "没通过": "未通过", "评分标准": "评分表",
                "没人写过": "从未写过", "**注意什么。**": "**值得注意的。**",
                "带来缺少的": "下载缺失的依赖", "例如：./lab check": "例：./lab check", "这个内核": "这个核函数", "这个 kernel": "这个核函数"}
        self.assertEqual(len(uses), len(messages.OTHER_WORDS))
        for other, ours in uses.items():
            with self.subTest(other):
                self.assertTrue(messages.other_word(other))
                self.assertEqual(messages.other_word(ours), "")
        for kept in ("复制到每台电脑上", "一路上的变量", "一个像素有一个、两个或四个大小相同的通道", "warpgroup", "`missing-syncwarp`"):
            self.assertEqual(messages.other_word(kept), "")

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
