#!/usr/bin/env python3
"""The table in docs/faults.md: by class, what `lab` and compute-sanitizer's four tools say of our own corpus.

Enters: tests/golden/faults_lab.csv (name, kind, found; from tests/faults/print_faults and tests/cudart/order/test_order.py
--list) and tests/golden/faults_sanitizer.csv (from tools/golden/faults.py on a GPU). Leaves: the part of docs/faults.md
between its two marks, or with --check exit 1 when it would change.
"""
import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "faults.md"
MARKS = ("<!-- table: begin -->\n", "<!-- table: end -->")
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
CLASSES = [  # the first whose prefix fits
    ("global memory, between blocks", ("blocks_",)),
    ("global memory, inside a block", ("warps_", "lanes_")),
    ("flags, locks, fences, scopes", ("flag_", "lock_", "last_block", "look_", "queue_", "ticket_", "atomic_", "relaxed_", "volatile_", "barrier_of_the_grid")),
    ("shared memory: locks and flags", ("shared_lock", "shared_flag", "shared_volatile_flag", "last_warp")),
    ("shared memory: barriers and warps", ("shared_", "leave_")),
    ("cp.async", ("async_",)),
    ("barriers", ("barrier_",)),
    ("arrays and uninitialised memory", ("array", "buffer_", "call_", "local_", "struct_")),
    ("streams, events, the host, leaks", ("order: ",)),
]


def class_of(name):
    if name == "shared_uninitialised":
        return "arrays and uninitialised memory"
    return next(title for title, prefixes in CLASSES if name.startswith(prefixes))


def rows():
    ours = {row["name"] + "/" + row["kind"]: row for row in csv.DictReader((ROOT / "tests/golden/faults_lab.csv").open())}
    theirs = {row["name"] + "/" + row["kind"]: row
              for row in csv.DictReader((ROOT / "tests/golden/faults_sanitizer.csv").open())}
    missing = set(theirs) - set(ours)
    if missing:
        sys.exit("only the sanitizer's golden table has: " + ", ".join(sorted(missing)))
    for key, row in ours.items():
        yield class_of(row["name"]), row["kind"], row["found"], theirs.get(key)


def later(all_rows):
    """One line on programs that came since: compute-sanitizer has not seen them yet."""
    new = [row for row in all_rows if row[3] is None]
    wrong = [row[2] != "clean" for row in new if row[1] == "wrong"]
    right = [row[2] != "clean" for row in new if row[1] == "right"]
    return (f"{len(wrong)} wrong and {len(right)} right programs came since and were not run under the tools: lab finds "
            f"{sum(wrong)} of these wrong ones, and {sum(right)} of the right ones by mistake.\n") if new else ""


def table():
    every_row = list(rows())
    all_rows = [row for row in every_row if row[3] is not None]
    text = "| class | wrong | lab | " + " | ".join(TOOLS) + " | any tool | right | lab: false positives | any tool: false positives |\n"
    text += "|---|" + "---:|" * (len(TOOLS) + 6) + "\n"
    for title in [title for title, _ in CLASSES] + ["all"]:
        of_class = [row for row in all_rows if title in (row[0], "all")]
        wrong = [row for row in of_class if row[1] == "wrong"]
        right = [row for row in of_class if row[1] == "right"]
        def found(theirs, tool):
            return theirs[tool].startswith("found")
        cells = [len(wrong), sum(code != "clean" for _, _, code, _ in wrong)]
        cells += [sum(found(theirs, tool) for *_, theirs in wrong) for tool in TOOLS]
        cells.append(sum(any(found(theirs, tool) for tool in TOOLS) for *_, theirs in wrong))
        cells += [len(right), sum(code != "clean" for _, _, code, _ in right)]
        cells.append(sum(any(found(theirs, tool) for tool in TOOLS) for *_, theirs in right))
        text += f"| {title} | " + " | ".join(map(str, cells)) + " |\n"
    hung = sum("timeout" in row[3].values() for row in all_rows)
    return text + f"\n{hung} of the programs never end on a GPU; a tool that was stopped after 20 seconds found nothing.\n" + later(every_row)


def main():
    page = PAGE.read_text()
    head, rest = page.split(MARKS[0])
    made = head + MARKS[0] + table() + MARKS[1] + rest.split(MARKS[1])[1]
    if made == page:
        return 0
    if "--check" in sys.argv:
        print("docs/faults.md is not what tools/faults_page.py makes of the golden tables. Run it.")
        return 1
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
