"""Runs every case of behaviour.cu bare and under the four tools of compute-sanitizer.

Place in the flow: needs a GPU, nvcc and compute-sanitizer. Enters: behaviour.cu beside this file.
Leaves: the JSON file named on the command line, one entry per case: what the launch returned, what `out`
held, and how each tool reported it (error counts and the first lines of the report).
"""
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = {
    "memcheck": ["--tool", "memcheck"],
    "racecheck": ["--tool", "racecheck", "--racecheck-report", "all"],
    "synccheck": ["--tool", "synccheck"],
    "initcheck": ["--tool", "initcheck"],
}


def run(command, limit):
    """Output of a command; a kernel that never ends is killed with the tool around it."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        return child.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return f"no end within {limit} s"


def condense(text):
    """The words that matter of a tool's report: its kinds of messages, each once, and its summary."""
    seen = []
    for line in text.splitlines():
        line = re.sub(r"^=+ ?", "", line).strip()
        if re.search(r"^(Error|Warning|Invalid|Uninit|Barrier|Divergent|ERROR SUMMARY|RACECHECK|"
                     r"Potential|Race reported|Missing|no end|launch=)|hazard", line):
            line = re.sub(r"0x[0-9a-f]+", "0x…", line)
            if line not in seen:
                seen.append(line)
    return seen[:4]


def main():
    target = Path(sys.argv[1])
    program = Path("/tmp/behaviour")
    subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-std=c++20", "-w", "-o", program, HERE / "behaviour.cu"],
                   check=True)
    cases = run([program, "--list"], 20).split()

    def study(case):
        entry = {"bare": condense(run([program, case], 8)) or ["nothing"]}
        for tool, options in TOOLS.items():
            report = condense(run(["compute-sanitizer", *options, program, case], 25))
            entry[tool] = [line for line in report if not line.startswith("launch=")] or ["nothing"]
        return case, entry

    answers = {}
    with ThreadPoolExecutor(12) as pool:
        for case, entry in pool.map(study, cases):
            answers[case] = entry
            target.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


main()
