#!/usr/bin/env python3
"""What `./lab --help` and each command's help say, as text that a clone has before anything is built.

Enters: the built program; --check compares. Leaves: tools/setup/help.en.txt and help.zh.txt, one part for each command, which tools/setup/help.sh
prints. A part begins with `==>|names|`: the words of the command line that mean it."""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
OLD = {"inspect banks": "banks", "inspect sectors": "sectors", "inspect swizzle": "swizzle", "inspect limits": "limits",
       "grade similar": "similar", "dev verify": "verify"}


def said(program: str, language: str, *words: str) -> str:
    return subprocess.run([program, "--lang", language, *words], capture_output=True, text=True, check=True).stdout


def commands_in(text: str) -> list[str]:
    """The names under each heading: two blanks, a name, what it does behind it."""
    below = text.partition("\n\n")[2]
    return re.findall(r"^  ([a-z][a-z-]*)  +\S", below, re.M) if re.search(r"\[(SUBCOMMAND|命令)\]", text) else []


def parts(program: str, language: str) -> str:
    text = f"==>|version|\n{said(program, language, '--version')}"
    waiting: list[list[str]] = [[]]
    while waiting:
        words = waiting.pop(0)
        page = said(program, language, *words, "--help")
        path = " ".join(words)
        names = [path or "lab", *([OLD[path]] if path in OLD else [])]
        text += f"==>|{'|'.join(names)}|\n{page}"
        if len(words) < 2:
            waiting += [[*words, name] for name in commands_in(page)]
    return text


def main() -> int:
    program, check, wrong = sys.argv[1], "--check" in sys.argv, []
    for language in ("en", "zh"):
        file, text = HERE / f"help.{language}.txt", parts(program, language)
        if not check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            wrong.append(file.name)
    if wrong:
        print(f"{', '.join(wrong)}: not what the program says; run tools/setup/help.py {program}")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
