#!/usr/bin/env python3
"""Says in one line what a run of `meson test` came to.

Enters: Meson's testlog.json and its exit status. Leaves: "N passed, N failed" as the last line and an exit code that agrees.
A doctest program counts each of its cases, any other program counts one. A run in which nothing passed is a failure.
A Python test that skipped all of its parts counts as skipped, whatever it says; skipped parts are named.
"""

import json
import re
import sys

CASES = re.compile(r"^\[doctest\] test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed", re.MULTILINE)
PARTS = re.compile(r"^Ran (\d+) tests?.*\n+OK \(.*?skipped=(\d+)", re.MULTILINE)  # as unittest says it
PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def count(test):
    """(passed, failed, skipped) of one program."""
    ran, lacking = skipped_parts(test)
    if test["result"] in SKIPPED or lacking > 0 and lacking >= ran:
        return 0, 0, 1
    found = CASES.findall(test.get("stdout", ""))
    passed = sum(int(cases[0]) for cases in found)
    failed = sum(int(cases[1]) for cases in found)
    if test["result"] in PASSED:
        return (passed, 0, 0) if found and failed == 0 else (1, 0, 0)
    # Crashed, timed out, or failed outside its cases: one failure at least.
    return passed, max(failed, 1), 0


def skipped_parts(test):
    """(parts that ran, those of them that were skipped) of a Python test that says OK."""
    said = PARTS.search(test.get("stderr", ""))
    return (int(said[1]), int(said[2])) if said else (0, 0)


def read_log(path):
    """The programs of the log; an unreadable log is an empty one, which is a failure further down."""
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            return [json.loads(line) for line in log if line.strip()]
    except (OSError, ValueError) as error:
        print(f"no test log to read: {error}")
        return []


def main(path, status):
    tests = read_log(path)
    passed = failed = skipped = 0
    for test in tests:
        counts = count(test)
        passed, failed, skipped = passed + counts[0], failed + counts[1], skipped + counts[2]
        if counts[1]:
            print(f"failed: {test['name']} ({test['result'].lower()}, {counts[1]} of {counts[0] + counts[1]})")
        if parts := skipped_parts(test)[1]:
            print(f"{test['name']}: {parts} skipped")
    if passed == 0:
        print("no test passed: that is a failure, whatever Meson says")
    elif failed == 0 and status != 0:
        print(f"meson test ended with status {status} although no test failed")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0 if passed > 0 and failed == 0 and status == 0 else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: test_summary.py testlog.json meson-exit-status")
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
