"""Drawn sequences of a student's commands: what is written is read back, and nothing that was reached is ever lost.

Enters: LAB_PROGRAM; LAB_SEED repeats one sequence, LAB_DRAWS is how many (default: as many as fit into LAB_DRAW_SECONDS, 6). Leaves: one
verdict. A sequence takes a chapter or two and does what students do there in any order, in both languages: predict, check, hint, show,
solution, reset, diff, progress, export and import, with right, wrong and half-right kernels. After each command the laws below are asked.
`--all` goes on after a broken law and says in how many sequences each was broken: what is asked of a commit before a fix."""
import collections
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import time

from sandbox import SOURCE, Clone

sys.path.insert(0, str(SOURCE))
from tests.drawn.draws import seed_of_run  # noqa: E402

KEPT = pathlib.Path(__file__).with_name("drawn_commands_seeds.txt")
CHAPTERS = sorted(path.parent.name for path in SOURCE.glob("solutions/*/skeleton.cu"))
LIKELY = [name for name in CHAPTERS if name[:2] not in ("17", "18")]
FIELD = re.compile(r"\.(\w+) = (-?\d+)")


class Broken(Exception):
    """A law and how it was broken."""


def predictions(text):
    """What the PREDICTIONS of a kernel file say."""
    block = re.search(r"^PREDICTIONS = \{(.*?)\};", re.sub("//.*", "", text), re.S | re.M)
    return {name: int(value) for name, value in FIELD.findall(block[1])} if block else {}


def with_predictions(text, answers):
    for name, value in answers.items():
        text = re.sub(rf"(\.{name}) = -?\d+", rf"\1 = {value}", text)
    return text


def asked_by_lesson(clone, chapter, chinese):
    """The questions of a lesson, by their names, as one line each."""
    text = (clone.root / "chapters" / chapter / f"README{'.zh' if chinese else ''}.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {'预测' if chinese else 'Predict'}\n(.*?)^#", text, re.S | re.M)
    found = re.findall(r"^- `(\w+)`[:：] *(.*?)(?=\n- |\n\n|\Z)", section[1], re.S | re.M) if section else []
    return {name: flat(words) for name, words in found}


def flat(text):
    return re.sub(r"\s+", " ", re.sub(r"<!--.*?-->", "", text)).strip()


class Student:
    """A clone, and what must be true of it."""

    def __init__(self, draw):
        self.draw, self.clone = draw, Clone()
        self.clone.env["LAB_CACHE_DIR"] = str(CACHE)
        self.said, self.passed, self.hints, self.best, self.first, self.right = [], set(), {}, {}, {}, set()

    def lab(self, *args, chinese=False):
        self.said.append(("LAB_LANG=zh " if chinese else "") + "lab " + " ".join(args))
        code, out, err = self.clone.lab(*args, LAB_LANG="zh" if chinese else "en")
        if code not in (0, 1, 2):
            raise Broken(f"ends well: {self.said[-1]} ended with {code}: {err}")
        if "--json" in args and out:
            json.loads(out)
        return code, out

    def kept(self):
        try:
            return json.loads((self.clone.root / ".lab/progress.json").read_text())["chapters"]
        except OSError:
            return {}

    def answers(self, chapter):
        return predictions(self.clone.kernel(chapter).read_text())

    def note_first(self, chapter):
        for name, value in self.answers(chapter).items():
            if value != 0:
                self.first.setdefault((chapter, name), value)

    def laws(self):
        for chapter, entry in self.kept().items():
            if chapter in self.passed and not entry["passed"]:
                raise Broken(f"a pass stays: {chapter} is no longer passed")
            if entry["points"] < self.best.get(chapter, 0):
                raise Broken(f"points stay: {chapter} had {self.best[chapter]}, has {entry['points']}")
            self.best[chapter] = entry["points"]
            if entry["passed"]:
                self.passed.add(chapter)
            guesses = {key[1]: value for key, value in self.first.items() if key[0] == chapter}
            if {k: v for k, v in entry["first_guesses"].items() if not k.startswith("table")} != guesses:
                raise Broken(f"read back: the first guesses of {chapter} were {guesses}, kept is {entry['first_guesses']}")


def compiled(got):
    return got["compiled"] if "compiled" in got else got["compile"]["ok"]


def any_guess(draw, right):
    return draw.choice([right, right, 1, 4, 8, 32, right + 1, 1_000_000, 1_000_001, 2**31 - 1])


# ---- what a student does ----


def edit(student, chapter):
    """Another kernel: done, as on the first day, half done, or with a mistake."""
    draw, clone = student.draw, student.clone
    solution, skeleton = clone.solution(chapter), clone.skeleton(chapter)
    mistakes = sorted((SOURCE / "tests/mutants/course").glob(f"{chapter[:2]}_*.cu"))
    text = draw.choice([solution, solution, skeleton, draw.choice(mistakes).read_text() if mistakes else skeleton])
    student.said.append(f"edit {chapter}: {'solution' if text is solution else 'skeleton' if text is skeleton else text.splitlines()[0]}")
    answers = student.answers(chapter) or predictions(skeleton)
    right = predictions(solution)
    keep = {name: draw.choice([answers.get(name, 0), value]) for name, value in right.items()}
    clone.kernel(chapter).write_text(with_predictions(text, keep))


def check(student, chapter):
    code, out = student.lab("check", chapter[:2], "--json")
    got = json.loads(out)
    if compiled(got):
        student.note_first(chapter)
    if code == 0:
        student.passed.add(chapter)
        student.right.add(chapter)
        of_predictions = [case for case in got["cases"] if case["kind"] == "prediction"]
        wrong = [name for (name, value) in predictions(student.clone.solution(chapter)).items()
                 if student.first.get((chapter, name), value) != value]
        full = sum(case["points_possible"] for case in got["cases"])
        least = full if not wrong else full - sum(case["points_possible"] for case in of_predictions)
        points = student.kept()[chapter]["points"]
        if points < least:
            raise Broken(f"full points: {chapter} has {points} of {full} points, wrong first guesses: {wrong}")
        _, card = student.lab("check", chapter[:2], chinese=student.draw.random() < 0.5)
        if not wrong and re.search("first guess|第一次猜|首次猜", card):
            raise Broken(f"full points: {chapter} was right at first, and the card says: {card}")


def predict(student, chapter):
    draw, right = student.draw, predictions(student.clone.solution(chapter))
    asked = list(predictions(student.clone.skeleton(chapter)))
    chinese, answers = draw.random() < 0.5, {}
    here = student.answers(chapter)
    if asked and set(asked) <= set(here) and draw.random() < 0.7:
        answers = {name: any_guess(draw, right[name]) for name in draw.sample(asked, draw.randint(1, len(asked)))}
    words = [word for name, value in answers.items() for word in ("--set", f"{name}={value}")]
    code, out = student.lab("predict", chapter[:2], *words, chinese=chinese)
    if code == 2:
        raise Broken(f"predict answers: it refused {words}")
    if answers != {name: value for name, value in student.answers(chapter).items() if name in answers}:
        raise Broken(f"read back: predict wrote {student.answers(chapter)} for {answers}")
    got = json.loads(student.lab("predict", chapter[:2], "--json")[1])
    if compiled(got):
        student.note_first(chapter)
    for question in got["questions"]:
        here = student.answers(chapter).get(question["name"], 0)
        if (question["answer"] or 0) != here:
            raise Broken(f"read back: {question['name']} is {here} in the file, {question['answer']} for predict")
        # Of chapter 02 more than one block is right, and the lesson asks about the student's own.
        if question["right"] is False and here == right[question["name"]] and chapter[:2] not in ("02", "03"):
            raise Broken(f"about the lesson's kernel: {chapter}: {here} is right, and {question['counted']} was counted")
    lesson = asked_by_lesson(student.clone, chapter, chinese)
    if sorted(lesson) != sorted(asked):
        raise Broken(f"asked as in the lesson: {chapter} asks {asked}, its lesson {sorted(lesson)}")
    for words in lesson.values():
        if words not in flat(out):
            raise Broken(f"asked as in the lesson: {chapter} does not ask: {words}\n{out}")
    if ("folded" in out or "折叠" in out) and "The answer" not in (student.clone.root / "chapters" / chapter / "README.md").read_text():
        raise Broken(f"asked as in the lesson: {chapter} has no folded questions")


def hint(student, chapter):
    student.lab("hint", chapter[:2], *student.draw.choice([(), ("--all",), ("--json",)]), chinese=student.draw.random() < 0.5)


def show(student, chapter):
    student.lab("show", chapter[:2], chinese=student.draw.random() < 0.5)


def solution(student, chapter):
    code, out = student.lab("solution", chapter[:2], chinese=student.draw.random() < 0.5)
    if (code == 0) != (chapter in student.passed):
        raise Broken(f"a pass stays: solution {chapter} ends with {code}, passed: {chapter in student.passed}")


def reset(student, chapter):
    before = student.clone.kernel(chapter).read_text()
    student.lab("reset", chapter[:2])
    if student.clone.kernel(chapter).read_text() != student.clone.skeleton(chapter):
        raise Broken("reset: the kernel is no skeleton")
    copies = [path.read_text() for path in student.clone.kernel(chapter).parent.glob("transpose.cu.bak*")]
    if before not in [*copies, student.clone.skeleton(chapter)]:
        raise Broken("reset: the old text is kept nowhere")


def diff(student, chapter):
    student.lab("diff", chapter[:2], student.draw.choice(CHAPTERS)[:2], *student.draw.choice([(), ("--solution",)]))


def progress(student, _):
    _, out = student.lab("progress", "--json")
    kept = student.kept()
    for entry in json.loads(out)["chapters"]:
        known = kept.get(entry["chapter"], {"passed": False, "points": 0, "hints": 0})
        if any(entry[key] != known[key] for key in ("passed", "points", "hints")):
            raise Broken(f"read back: progress says {entry}, kept is {known}")
    student.lab("progress", chinese=True)


def carry(student, _):
    """To another machine and back."""
    before = student.kept()
    student.lab("progress", "--export", "mine.json")
    with Clone() as other:
        text = (student.clone.root / "mine.json").read_text()
        (other.root / "mine.json").write_text(text)
        other.lab("progress", "--import", "mine.json", "--export", "back.json")
        (student.clone.root / "back.json").write_text((other.root / "back.json").read_text())
    student.lab("progress", "--import", "back.json")
    if student.kept() != before:
        raise Broken(f"carried: {before} came back as {student.kept()}")


DOES = [edit] * 4 + [check] * 4 + [predict] * 3 + [hint, show, solution, solution, reset, diff, progress, carry]
REPEATED = (check, predict, solution, reset, diff, progress, carry)


def sequence(seed, collected=None):
    """`collected`: the laws that were broken, in place of an end at the first."""
    draw = random.Random(seed)
    student = Student(draw)
    with student.clone:
        chapters = draw.sample(LIKELY, draw.randint(1, 2)) if draw.random() < 0.9 else [draw.choice(CHAPTERS)]
        for _ in range(draw.randint(5, 12)):
            what, chapter = draw.choice(DOES), draw.choice(chapters)
            try:
                what(student, chapter)
                student.laws()
                if what in REPEATED and draw.random() < 0.15:
                    repeat(student, chapter)
            except Broken as broken:
                if collected is not None:
                    collected.add(str(broken).partition(":")[0])
                    continue
                raise AssertionError(f"{broken}\n  " + "\n  ".join(student.said)) from None


def repeat(student, chapter):
    """The same once more changes nothing."""
    args = student.draw.choice((("check", chapter[:2]), ("predict", chapter[:2]), ("reset", chapter[:2]), ("progress",)))
    if args[0] in ("check", "predict") and compiled(json.loads(student.lab(args[0], chapter[:2], "--json")[1])):
        student.note_first(chapter)
    once, before = student.lab(*args), student.kept()
    again = student.lab(*args)
    plain = [re.sub(r"compiled[^·\n]*", "", out).replace("skeleton already; nothing to do", "skeleton again") for _, out in (once, again)]
    if args[0] != "reset" and (plain[0] != plain[1] or once[0] != again[0]):
        raise Broken(f"repeated: {args} said {once}, then {again}")
    if student.kept() != before:
        raise Broken(f"repeated: {args} changed {before} to {student.kept()}")
    student.laws()


def seeds():
    """The kept ones first, then drawn ones, as many as there is time for."""
    given = os.environ.get("LAB_SEED")
    if given:
        yield int(given)
        return
    yield from (int(line.split()[0]) for line in KEPT.read_text().splitlines() if line and not line.startswith("#"))
    start, draws = seed_of_run("sequences of commands"), int(os.environ.get("LAB_DRAWS", "0"))
    end = time.monotonic() + float(os.environ.get("LAB_DRAW_SECONDS", "6"))
    for n in range(draws or sys.maxsize):
        if not draws and time.monotonic() > end:
            return
        yield start + n


def main():
    count, broken = 0, collections.Counter()
    first = {}
    for seed in seeds():
        count += 1
        if "--all" in sys.argv:
            laws = set()
            sequence(seed, laws)
            for law in laws:
                broken[law] += 1
                first.setdefault(law, count)
            continue
        try:
            sequence(seed)
        except AssertionError as error:
            print(f"LAB_SEED={seed} repeats it:\n{error}")
            return 1
    for law, times in broken.most_common():
        print(f"{law}: broken in {times} of {count}, first in number {first[law]}")
    print(f"{count} sequences")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        CACHE = pathlib.Path(folder)
        sys.exit(main())
