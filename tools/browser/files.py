"""What the lab in a browser holds beside its program: headers, lessons with their pictures, what each chapter begins with, and the
collection of faulty kernels. Everything is compiled in the page, by the built-in compiler.

Enters: the clone. Leaves: place -> text. No solution is among them, and no bypass.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTY = ("tests/mutants/course", "tests/mutants/faults")
KINDS = ("Mutant", "Fault")


def head(text: str) -> dict[str, str]:
    """What the first lines of a kernel say of it."""
    match = re.match(r"(?:// .*\n)+", text)
    lines = [line[3:] for line in match[0].splitlines()] if match else []
    return {key: value for key, _, value in (line.partition(": ") for line in lines) if value}


def read(patterns: list[str]) -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern))}


def faulty(names: list[str], texts: dict[str, str]) -> list[dict]:
    """The kernels of the collection as the page offers them, once for the first chapter that judges each."""
    found = []
    for place, text in texts.items():
        said = head(text)
        kind = next((key for key in KINDS if key in said), "")
        judges = [name for name in re.split(r",\s*", said.get("judged by", "")) if name in names]
        rows, _, cols = said.get("shape", "").partition("x")
        shape = {"shape": ["--rows", rows, "--cols", cols]} if cols.isdigit() else {}
        if kind and "solutions/" not in text:
            found.append({"place": place, "chapter": judges[0] if judges else "", "words": said[kind], **shape})
    return sorted(found, key=lambda one: (not one["chapter"], one["chapter"], one["words"]))


def all_files(names: list[str]) -> tuple[dict[str, str], list[dict]]:
    """Every file of the page, and the collection."""
    texts = read([f"{folder}/*.cu" for folder in FAULTY])
    offered = faulty(names, texts)
    files = read(["common/kernel/*.*h", "common/kernel/nvrtc_stubs/*", "chapters/chapters.toml", "chapters/*/README*.md", "chapters/*/*.svg",
                  "chapters/*/*.cu"])
    for name in names:  # what a chapter asks is read from what it begins with
        files[f"solutions/{name}/skeleton.cu"] = files[f"chapters/{name}/transpose.cu"]
    return {**files, **{one["place"]: texts[one["place"]] for one in offered}}, offered
