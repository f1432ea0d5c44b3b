"""The marks in front of calls in this folder's sources: what of CUDA is implemented, and where.

Enters: a source's text and marks. Leaves: the names that stand behind these marks, in their order.
"""
import re

RUNTIME = r"^LAB_API\s+[^(;]*?(\w+)\("  # a function of the runtime
ROWS = r"^LAB_(?:NODE|NODE_SHOWS|PAIR)\(([^()]*)"  # a row of several functions of the runtime
ALIAS = r"^LAB_ALIAS\(\w+, (\w+)\)"  # a second name
ENTRY = r"^LAB_ENTRY\s+[^(;]*?(\w+)\("  # a function of a library beside the runtime
ENTRY_ROWS = r"^LAB_ENTRY_PAIR\(([^()]*)"  # several of them
SAME = r"^LAB_(?:SAME|SAME_EARLY|NAMED)\((\w+),"  # the same as a row


def names(text: str, *marks: str) -> list[str]:
    found = [(match.start(), match.group(1)) for mark in marks for match in re.finditer(mark, text, re.M)]
    return [name for _, row in sorted(found) for name in (re.findall(r"\bcu(?:da)?[A-Z]\w+", row) if "," in row else [row])]
