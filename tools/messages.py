#!/usr/bin/env python3
"""Every sentence that people read, and whether the catalogues have it in the other language.

Enters: the sources, common/base/text/zh.po. Leaves: with no option a list of what is wrong (exit 1) or nothing (exit 0); with `--update`
the same catalogue with new sentences added (to be translated) and old ones taken out; with `--list` the sentences found.

A sentence is found by what the C++ says, not by a mark at each place: a literal of two words or more, with {} for whatever is put into
it, by fmt or by +. One word counts in tr("…"), in a table's column("…"), in the title of a check, and after /* message */. What is
no sentence (options of compilers, patterns) is listed in common/base/text/not-messages.txt."""
import argparse
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "common/base/text"), str(ROOT / "tools")]
import chapters  # noqa: E402
import page_forms  # noqa: E402
import po  # noqa: E402
import rooms  # noqa: E402

CATALOGUE = ROOT / "common/base/text/zh.po"
NOT_MESSAGES = ROOT / "common/base/text/not-messages.txt"
# No sentences of `lab`: pages that other programs make, tables of such a page, a compiler's own words, code of fixes and of recipes.
LEFT_OUT = {"common/compile/nvrtc_process.cpp", "common/compile/builtin/prelude.cpp", "common/compile/builtin/main.cpp", "common/sim/base/fix.cpp",
            "common/sim/ptx/opcodes.cpp", "common/course/explore/step_recipes.cpp", "common/course/judge/slips.cpp"}
# What CLI11 says of a wrong command line; the catalogue has it, though no source of ours does.
OF_CLI11 = ["The following argument was not expected: {}", "The following arguments were not expected: {}", "{} is required",
            "{}: {} not in {}", "Could not convert: {} = {}", "{}: Value {} not in range {} to {}", "{} requires {}",
            "{} excludes {}", "{}: a value is missing", "{}: a value is missing; {} is an option", "Print this help message and exit",
            "Display program version information and exit", "A subcommand is required"]
PAGE = ["common/course/report/page.html", "common/course/report/page.js", "common/course/report/page_draw.js",
        "common/course/report/step.html", "common/course/report/step_draw.js", "common/course/report/step.js"]
WITHOUT_MESSAGES = {"kernel", "fast"}  # what users include
FORMAT_CALLS = {"tr", "msg", "format", "print", "format_to", "println"}
ONE_WORD_CALLS = {"tr": 0, "column": 0, "source": 0, "HOLDS": 1, "GOAL": 1, "KEEPS": 1, "PREDICTION": 1, "group": 0}
SILENT_CALLS = {"static_assert", "starts_with", "ends_with", "find", "getenv", "find_first_of", "find_first_not_of",
                "find_last_not_of", "find_last_of", "strchr", "compare", "logic_error", "contains", "rfind", "meson", "assert"}
TOKEN = re.compile(r"""
    (?P<space>\s+|\\\n) | (?P<line>//[^\n]*) | (?P<block>/\*.*?\*/) | (?P<directive>(?m:^)\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<raw>(?:u8|L|u|U)?R"(?P<mark>[^(\s]{0,16})\((?P<body>.*?)\)(?P=mark)")
  | (?P<string>(?:u8|L|u|U)?"(?:[^"\\\n]|\\.)*") | (?P<char>(?:u8|L|u|U)?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:'?[\w.])*) | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>::|->|<<=?|>>|\+\+|--|\+=|-=|==|!=|<=|>=|&&|\|\||.)""", re.S | re.X)
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, set(")]}")
ENDS = {",", ";", "=", "+=", "?", ":", "<<", "&&", "||", "==", "!=", "return", "throw", "else"}
C_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\", "'": "'", "?": "?", "a": "\a", "b": "\b"}


def c_text(literal):
    body = literal[literal.index('"') + 1:-1]
    return re.sub(r"\\(x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)",
                  lambda m: chr(int(m[1][1:], 16)) if m[1][0] in "xu" else C_ESCAPES.get(m[1], m[1]), body)


def tokens_of(source):
    """(kind, text, marked): strings as they mean, everything else as written; marked by /* message */ before it."""
    tokens, marked = [], False
    for match in TOKEN.finditer(source):
        kind = match.lastgroup or ""
        if kind == "mark" or kind == "body":
            kind = "raw"
        if kind == "block":
            marked = match["block"].strip("/* ") == "message"
        if kind in ("space", "line", "block", "directive"):
            continue
        if match["raw"] is not None:
            tokens.append(("string", match["body"], marked))
        elif kind == "string":
            tokens.append(("string", c_text(match["string"]), marked))
        else:
            tokens.append((kind, match[0], marked))
        marked = False
    return tokens


def group(tokens, at=0, close=None):
    """Tokens nested by brackets: ("(", what stands inside, False) instead of the brackets."""
    nested = []
    while at < len(tokens):
        kind, text, _ = tokens[at]
        if kind == "sign" and text in OPEN:
            inner, at = group(tokens, at + 1, OPEN[text])
            nested.append((text, inner, False))
        elif kind == "sign" and text in CLOSE:
            return nested, at + 1
        else:
            nested.append(tokens[at])
            at += 1
    return nested, at


def operands(segment):
    parts: list[list] = [[]]
    for token in segment:
        if token[0] == "sign" and token[1] == "+":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def literal_of(part):
    """Text of an operand that is a literal, or std::string("a literal"); None for anything else."""
    if part and all(t[0] == "string" for t in part):
        return "".join(t[1] for t in part)
    words = [t[1] for t in part if t[0] in ("word", "sign")]
    if words in (["std", "::", "string"], ["std", "::", "string_view"]) and part[-1][0] == "(":
        return literal_of(part[-1][1])
    return None


def is_marked(part):
    """After /* message */, also inside std::string("…")."""
    return literal_of(part) is not None and any(t[2] or (t[0] in OPEN and is_marked(t[1])) for t in part)


class Finder:
    """Collects the forms of one file: form → is it surely a message, or does it have to look like one?"""

    def __init__(self):
        self.found = {}

    def walk(self, tokens, call=""):
        index = 0
        segment: list = []
        for token in [*tokens, ("sign", ";", False)]:
            if token[0] in ("sign", "word") and token[1] in ENDS:
                self.segment(segment, call, index)
                segment = []
                index += token[1] == ","
            else:
                segment.append(token)

    def segment(self, segment, call, index):
        parts = operands(segment)
        texts = [literal_of(part) for part in parts]
        if any(text is not None for text in texts) and call not in SILENT_CALLS:
            marked = any(is_marked(part) for part in parts)
            form = "".join("{}" if t is None else t.replace("{", "{{").replace("}", "}}") for t in texts)
            if len(texts) == 1 and (call in FORMAT_CALLS or marked):
                form = texts[0]
            if call in ("fail", "fail_unknown"):  # of the built-in compiler: only {} is a place, a lone brace is C++
                form = form.replace("{{}}", "{}")
            if call == "snprintf":
                form = re.sub(r"%l*[udxs]", "{}", form)
            if form.strip():
                sure = marked or ONE_WORD_CALLS.get(call) == index or (call == "msg" and index == 0 and is_read(form))
                self.found[form] = self.found.get(form, False) or sure
        for part, text in zip(parts, texts):
            for k, token in enumerate(part if text is None else []):
                if token[0] in OPEN:
                    before = part[k - 1] if k else ("", "", False)
                    self.walk(token[1], before[1] if before[0] == "word" else "")


def is_read(form):
    """Whether a form of msg("…") has anything of its own that another language writes otherwise."""
    return re.search(r"[A-Za-z,;:(.]", re.sub(r"\{[^{}]*\}", "", form)) is not None


def is_sentence(form):
    if form.lstrip().startswith(".version "):
        return False  # PTX
    text = re.sub(r"`[^`]*`|\{[^{}]*\}|<[^>]*>", " ", form)
    words = re.findall(r"(?<![\w.:/#-])[A-Za-z][a-z']*(?![\w/_]|:\S)", text)
    return len([w for w in words if len(w) > 1]) >= 2


def sources():
    for room in (room for room in rooms.ROOMS if room not in WITHOUT_MESSAGES):
        for ending in (".cpp", ".h"):
            yield from (p for p in rooms.files_of(room, ending) if p.parent != CATALOGUE.parent)
    yield CATALOGUE.parent / "message.cpp"
    yield ROOT / "tests/chapters/course_checks.h"
    yield from sorted((ROOT / "tests/chapters").glob("test_*.cpp"))
    yield from (ROOT / "tests/chapters" / name for name in ("course_checks.cpp", "cut_off.cpp", "findings.cpp", "everywhere.cpp"))
    yield from sorted((ROOT / "tools/pictures").glob("pictures_[glost]*.cpp"))


def forms_of(source):
    finder = Finder()
    finder.walk(group(tokens_of(source))[0])
    return [form for form, sure in finder.found.items() if sure or is_sentence(form)]


def not_messages():
    lines = NOT_MESSAGES.read_text(encoding="utf-8").splitlines()
    return {line.replace("\\n", "\n") for line in lines if line and not line.startswith("## ")}


def find_all():
    """form → files, in the order of the rooms."""
    ignored, found = not_messages(), {form: ["tools/messages.py"] for form in OF_CLI11}
    for path in sources():
        name = str(path.relative_to(ROOT))
        for form in forms_of(path.read_text(encoding="utf-8")) if name not in LEFT_OUT else []:
            if form not in ignored and not any(s.endswith("…") and form.startswith(s[:-1]) for s in ignored):
                found.setdefault(form, []).append(name)
    for chapter in chapters.read():
        found.setdefault(chapter["idea"], []).append("chapters/chapters.toml")
    for page in PAGE:
        for form in page_forms.of_file(ROOT / page):
            found.setdefault(form, []).append(page)
    return found


def places(form):
    """Argument number → format, of each place; raises ValueError for what fmt would refuse."""
    result, automatic = [], 0
    bare = form.replace("{{", "").replace("}}", "")
    for number, spec in re.findall(r"\{(\d*)(:[^{}]*)?\}", bare):
        result.append((int(number) if number else automatic, spec))
        automatic += not number
    rest = re.sub(r"\{(\d*)(:[^{}]*)?\}", "", bare)
    if "{" in rest or "}" in rest:
        raise ValueError("a brace that opens or closes nothing")
    if automatic and automatic != len(result):
        raise ValueError("numbered and plain places are mixed")
    return sorted(result)


# One word for one thing: the other Chinese word for it -> ours. The kernel of an operating system is none of a GPU's, a file is
# 复制, and a texel has channels.
OTHER_WORDS = {
    r"(?<!Linux )内核": "核函数", r"(?<=[\u4e00-\u9fff]) ?kernel(?![\w`/.:-])": "核函数",
    r"(?<=[\u4e00-\u9fff，、；：]) ?warp(?![\w`-])": "线程束", r"(?<![一二三四]个大小相同的)通道": "lane", r"簇": "集群", r"瓦片": "分块",
    r"异步复制|复制引擎|复制速度|设备内复制|[次张]量?复制|复制的(?= ?[\d{<大约])": "拷贝", r"(?<![一半])在路上": "在途", r"规约": "归约",
    r"盒(?!子)": "盒子", r"光晕": "halo",
    r"张量图": "张量映射", r"比如": "例如", r"参考答案|标准答案": "参考解答", r"没有冲突": "无存储体冲突", r"没通过|尚未通过|还没有?通过": "未通过",
    r"评分标准": "评分表", r"没人写过": "从未写过", r"要注意什么|(?<!值得)注意什么": "值得注意的",
    r"转手上": "处理手上", r"未到达：": "尚未检查：", r"一切都经": "全部元素都由", r"晚的行": "后移的行",
    r"一线里|128 字节的(?:一条)?线": "128 字节的段", r"集群的?一个块|另一个块": "线程块",
    r"带来缺少的|取来缺少的": "下载缺失的依赖", r"(?:示例|例如)：(?=\./lab)": "例：",
}


def other_word(chinese):
    """The first word that the course does not use, with the one that it uses; '' when there is none."""
    for other, ours in OTHER_WORDS.items():
        if found := re.search(other, chinese):
            return f"says {found[0]} where the course says {ours}"
    return ""


def wrong_with(entry):
    """What is wrong with a translation; '' when nothing is."""
    if not entry.translation:
        return "has no translation"
    if "fuzzy" in " ".join(c for c in entry.comments if c.startswith("#,")):
        return "is marked fuzzy: look at it and take the mark away"
    try:
        if places(entry.english) != places(entry.translation):
            return "has other places {} than its translation"
    except ValueError as error:
        return f"has a translation that fmt would refuse: {error}"
    for word, other in ((entry.english, entry.translation),):
        if word.endswith("\n") != other.endswith("\n") or word.startswith("\n") != other.startswith("\n"):
            return "and its translation differ in a line end at the edge"
    return other_word(entry.translation)


def check(found, name, entries):
    wrong, seen = [], set()
    for entry in entries:
        where = f"{name}:{entry.line}"
        if entry.english in seen:
            wrong.append(f"{where}: {entry.english!r} stands here a second time")
        elif entry.english not in found:
            wrong.append(f"{where}: {entry.english!r} is said nowhere any more; tools/messages.py --update takes it out")
        elif problem := wrong_with(entry):
            wrong.append(f"{where}: {entry.english!r} {problem}")
        seen.add(entry.english)
    for form, files in found.items():
        if form not in seen:
            wrong.append(f"{files[0]}: {form!r} is not in {name}; tools/messages.py --update adds it, then translate it there")
    return wrong


def unexplained(found):
    """Codes that findings begin with ("stream-race: …") and `lab explain` does not know."""
    rows = set(re.findall(r'^ +\{"([a-z0-9-]+)",', (ROOT / "common/ui/explain.cpp").read_text(encoding="utf-8"), re.M))
    begun = {match[1]: files[0] for form, files in found.items() if (match := re.match(r"([a-z0-9]+(?:-[a-z0-9]+)+): ", form))}
    return [f"{where}: `lab explain {code}` knows no {code}; add a row to common/ui/explain.cpp"
            for code, where in begun.items() if code not in rows]


def update(found, header, entries):
    """Entries keep their places, so that two people who add sentences seldom meet; a new one stands behind its neighbour in the source."""
    known = {e.english: e for e in sorted(entries, key=lambda e: e.translation != "")}  # of twins the translated one
    made = [form for form in dict.fromkeys(e.english for e in entries) if form in found]
    standing, behind = set(made), 0
    for form in found:
        if form not in standing:
            made.insert(behind, form)
            behind += 1
        else:
            behind = made.index(form) + 1
    made = [dataclasses.replace(known.get(form, po.Entry(form)), files=found[form]) for form in made]
    CATALOGUE.write_text(po.write(header, made), encoding="utf-8")
    return len([e for e in made if not e.translation])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="update zh.po with the sources")
    parser.add_argument("--list", action="store_true", help="print the sentences")
    options = parser.parse_args()
    found = find_all()
    header, entries = po.read(CATALOGUE.read_text(encoding="utf-8"), str(CATALOGUE.relative_to(ROOT)))
    if options.list:
        print("\n".join(map(repr, found)))
        return 0
    if options.update:
        print(f"{len(found)} sentences, {update(found, header, entries)} without a translation in {CATALOGUE.relative_to(ROOT)}")
        return 0
    wrong = check(found, str(CATALOGUE.relative_to(ROOT)), entries) + unexplained(found)
    print("\n".join(wrong) if wrong else f"{len(found)} sentences, all translated")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
