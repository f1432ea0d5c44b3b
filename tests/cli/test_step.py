"""`lab step`: what the recording says is what the kernel does.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Three references: the counters of `profile`, block by block; memory played
again from the steps alone; drawn kernels (branches, loops, early exits), each thread of which is run here."""
import fcntl
import json
import os
import pty
import random
import re
import select
import struct
import subprocess
import termios
import unittest

from tests.drawn.draws import drawn, draws_of_run

from sandbox import PROGRAM, SOURCE, Clone

LANES = range(32)
KERNEL = """extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {{
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
{}}}
"""
clone = Clone()


def row(access, name):
    """The 32 entries of a row; None where the lane does not act."""
    said = access.get(name, [None] * 32)
    return [said["from"] + said["by"] * lane for lane in LANES] if isinstance(said, dict) else said


def lanes(mask):
    return [lane for lane in LANES if mask >> lane & 1]


def accesses(recording):
    for step in recording["steps"]:
        for access in step.get("accesses", []):
            yield step, access


def recorded(*words):
    code, got = clone.json("step", *words)
    if code != 0:
        raise AssertionError(f"{words}: exit code {code}")
    for step in got["steps"]:
        if re.search(r"(^|[.!?] )[a-z]", step["says"]):
            raise AssertionError(f"a sentence begins with a small letter: {step['says']}")
    return got


class Drawn:
    """A kernel of nested statements, one a line, and what each thread does: (line, element of out, element of in)."""

    def __init__(self, seed):
        self.draw, self.lines, self.run, self.depth = random.Random(seed), [], [], 0
        self.block(self.run, 3)

    def line(self, text):
        self.lines.append("  " * (self.depth + 1) + text)
        return len(self.lines) + 2

    def condition(self):
        a, b = self.draw.randint(2, 9), self.draw.randint(0, 8)
        return f"(t + {b}) % {a} < {max(1, a // 2)}", lambda t: (t + b) % a < max(1, a // 2)

    def block(self, into, room):
        self.depth += 1
        for _ in range(self.draw.randint(1, 3)):
            kind = self.draw.choice(["store", "store", "if", "loop", "leave"] if room else ["store"])
            if kind == "store":
                a, b = self.draw.choice([1, 3, 5, 33]), self.draw.randint(0, 63)
                # An element of its own in each thread: no two threads store to one place.
                into.append(("store", self.line(f"out[t] = in[(t * {a} + {b}) % 2048];"), a, b))
            elif kind == "leave":
                text, holds = self.condition()
                self.line(f"if ({text} && t > 40)")
                self.line("  return;")
                into.append(("leave", lambda t, holds=holds: holds(t) and t > 40))
            else:
                text, holds = self.condition()
                rounds = self.draw.randint(2, 3)
                self.line(f"if ({text}) {{" if kind == "if" else f"for (int k{self.depth} = 0; k{self.depth} < t % {rounds + 1}; ++k{self.depth}) {{")
                inside = []
                self.block(inside, room - 1)
                self.line("}")
                into.append(("if", holds, inside) if kind == "if" else ("loop", rounds + 1, inside))
        self.depth -= 1

    def play(self, t, body, seen):
        """False: the thread has left."""
        for what, *rest in body:
            if what == "store":
                seen.append((rest[0], t, (t * rest[1] + rest[2]) % 2048))
            elif what == "leave":
                if rest[0](t):
                    return False
            else:
                rounds = (1 if rest[0](t) else 0) if what == "if" else t % rest[0]
                for _ in range(rounds):
                    if not self.play(t, rest[1], seen):
                        return False
        return True

    def text(self):
        return KERNEL.format("".join(line + "\n" for line in self.lines))


class DrawnCopies:
    """A kernel of cp.async in groups, and for each line and thread which of its cells are awaited behind it: {cell: group}."""
    SLOTS, THREADS = 6, 64

    def __init__(self, seed):
        draw, self.lines, self.behind, self.ended = random.Random(seed), [], {}, {}
        groups, way = 0, [{} for _ in range(self.THREADS)]
        for _ in range(draw.randint(6, 14)):
            kind, guard = draw.choice(["copy", "copy", "copy", "commit", "wait"]), None
            if kind == "copy":
                free = [slot for slot in range(self.SLOTS) if not any(slot * self.THREADS + t in way[t] for t in range(self.THREADS))]
                if not free:
                    continue
                slot, a, b = draw.choice(free), draw.choice([1, 3, 33]), draw.randint(0, 63)
                guard = draw.choice([None, (draw.randint(0, 8), draw.randint(2, 7))])
                condition = f"if ((t + {guard[0]}) % {guard[1]} == 0) " if guard else ""
                self.line(f"{condition}lab::copy_async<4>(&stage[{slot}][t], &in[(t * {a} + {b}) % 2048]);")
                for t in range(self.THREADS):
                    if not guard or (t + guard[0]) % guard[1] == 0:
                        way[t][slot * self.THREADS + t] = groups
            elif kind == "commit":
                self.line("lab::commit_copies();")
                groups += 1
            else:
                newest = draw.randint(0, 3)
                self.line(f"lab::wait_copies<{newest}>();")
                for t in range(self.THREADS):
                    way[t] = {cell: group for cell, group in way[t].items() if group >= groups - newest}
            for t in range(self.THREADS):
                self.behind[len(self.lines) + 4, t] = dict(way[t])
        self.line("out[t] = in[t];")

    def line(self, text):
        self.lines.append("  " + text)

    def text(self):
        head = ('#include "common/kernel/async_copy.cuh"\n', KERNEL.split("{}")[0].replace("{{", "{"),
                f"  __shared__ float stage[{self.SLOTS}][{self.THREADS}];\n")
        return "".join(head) + "".join(line + "\n" for line in self.lines) + "}\n"


def on_their_way(steps):
    """Behind each step: copies by (step, number in it) that have started and not landed."""
    way = {}
    for step in steps:
        way.update({(step["step"], k): copy for k, copy in enumerate(step.get("copies", []))})
        for began in step.get("landed", []):
            del way[tuple(began)]
        yield step, way


class Step(unittest.TestCase):
    def test_drawn_copies_are_on_their_way_until_they_land(self):
        draw, seen, never = drawn("step copies"), 0, 0
        for _ in range(draws_of_run(8)):
            kernel = DrawnCopies(draw.randrange(10**9))
            (clone.root / "drawn.cu").write_text(kernel.text())
            got = recorded("drawn.cu", "--rows", "32", "--cols", "64", "--block", "32x2", "--tile", "64x32", "--compiler", "builtin")
            behind, said = {}, ""
            for step, way in on_their_way(got["steps"]):
                said = step.get("on_their_way", said)
                self.assertEqual(said.split(" ")[0] if way else said, str(len(way)) if way else "", step["step"])
                if step["what"] != "statement" or step["line"] not in {line for line, _ in kernel.behind}:
                    continue
                own = [copy for (began, _), copy in way.items() if got["steps"][began]["warp"] == step["warp"]]
                cells = {span["offset"] // 4 + k: copy["group"] for copy in own for span in copy["spans"] if span.get("written")
                         for k in range(span["bytes"] // 4)}
                for lane in LANES:
                    thread = 32 * step["warp"] + lane
                    behind[step["line"], thread] = {cell: group for cell, group in cells.items() if cell % kernel.THREADS == thread}
            for key, cells in behind.items():  # of several steps on one line the last
                self.assertEqual(cells, kernel.behind[key], (key, kernel.text()))
            seen += sum(map(bool, behind.values()))
            never += bool(way)
        self.assertGreater(seen, 64)
        self.assertGreater(never, 0)  # what is not waited for stays on its way

    def test_a_box_lands(self):
        got = recorded("12", "--solution")
        steps = {step["step"]: (step, dict(way)) for step, way in on_their_way(got["steps"])}
        tile, turned = (next(k for k, a in enumerate(got["arrays"]) if a["name"] == name) for name in ("tile", "turned"))
        start, = (k for k, (step, _) in steps.items() if any(c["written"]["op"] == "shared_bulk_store" for c in step.get("copies", [])))
        over, = (k for k, (step, _) in steps.items() if step["what"] == "phase")
        self.assertEqual(steps[start][0]["on_their_way"], "1 copy on its way: 4 096 bytes into `tile` for phase 0 of `barrier`")
        self.assertEqual(steps[over][0]["says"], "Phase 0 of `barrier` is over: 4 096 bytes have landed")
        self.assertEqual([k for k, (_, way) in steps.items() if way and k <= over], list(range(start, over)))
        copy, = steps[start][0]["copies"]
        self.assertEqual([(s["offset"], s["bytes"]) for s in copy["spans"] if s["array"] == tile], [(0, 4096)])
        rows = [s for s in copy["spans"] if s["array"] == 0]
        self.assertEqual([(s["offset"], s["bytes"]) for s in rows], [(r * got["cols"] * 4 + rows[0]["offset"], 128) for r in range(32)])
        back, = (k for k, (step, _) in steps.items() if any(c["read"]["op"] == "shared_bulk_load" for c in step.get("copies", [])))
        self.assertEqual(steps[back][0]["on_their_way"], "1 copy on its way: 4 096 bytes out of `turned` as group 0")
        self.assertEqual([(s["offset"], s["bytes"]) for s in steps[back][0]["copies"][0]["spans"] if s["array"] == turned], [(0, 4096)])
        self.assertFalse(steps[max(steps)][1])
        code, out, _ = clone.lab("step", "12", "--solution", "--step", str(start))
        self.assertEqual((code, "1 copy on its way: 4 096 bytes into `tile`" in out), (0, True))

    def test_lesson_11_says_what_is_on_its_way(self):
        step, = recorded("11", "--solution", "--to", "copy")["steps"]
        self.assertRegex(step["on_their_way"], r"^1 copy on its way: \d+ bytes into `stage` as group 0$")
        self.assertEqual(step["function"], "copy4")

    def memory_is_as_said(self, recording):
        """Who wrote what, and that what is read is what was written: from the steps alone, element by element."""
        value, writer, size = {}, {}, recording["elem_bytes"]
        if any("bulk" in side["op"] for step in recording["steps"] for copy in step.get("copies", []) for side in (copy["read"], copy["written"])):
            return  # what the TMA unit moves has no values here
        for step, access in accesses(recording):
            if access["array"] < 0 or access["bytes"] % size or "value" not in access or access["op"] == "shared_atomic":
                continue
            offsets, values, before = (row(access, name) for name in ("offset", "value", "before"))
            space = access.get("block", 0) if access["array"] > 1 else 0
            moved = {}
            for lane in lanes(access["lanes"]):
                places = [(access["array"], space, offsets[lane] + k) for k in range(0, access["bytes"], size)]
                there = values[lane] if isinstance(values[lane], list) else [values[lane]]
                self.assertEqual(before[lane], max((writer[p] for p in places if p in writer), default=None), (step["step"], lane))
                moved.update(zip(places, there))
            for place, element in moved.items():
                if access["op"].endswith("load") and access["array"] == 0:
                    self.assertEqual(element * size, place[2], (step["step"], place))
                elif access["op"].endswith("load") and place in value:
                    self.assertEqual(element, value[place], (step["step"], place))
                elif access["op"].endswith(("store", "shared_async")):
                    value[place], writer[place] = element, step["step"]

    def test_drawn_kernels(self):
        for seed in range(16):
            kernel = Drawn(seed)
            (clone.root / "drawn.cu").write_text(kernel.text())
            got = recorded("drawn.cu", "--rows", "32", "--cols", "64", "--block", "32x3", "--tile", "64x32",
                           *(["--compiler", "builtin"] if seed % 2 else []))
            self.assertTrue(got["complete"])
            seen = {}
            for step, access in accesses(got):
                if access["op"] != "global_store":
                    continue
                self.assertEqual(access["lanes"], step["active"], (seed, step["step"]))
                self.assertEqual(step["active"] & step["waiting"], 0)
                for lane in lanes(access["lanes"]):
                    thread = 32 * step["warp"] + lane
                    seen.setdefault(thread, []).append((step["line"], row(access, "offset")[lane] // 4, row(access, "value")[lane]))
            for t in range(96):
                expected = []
                kernel.play(t, kernel.run, expected)
                self.assertEqual(seen.get(t, []), expected, (seed, t, kernel.text()))
            self.memory_is_as_said(got)

    def test_counters_are_those_of_a_run_without_steps(self):
        for chapter in ("1", "2", "3", "4", "5", "6", "8", "11", "12", "13", "14"):
            shape = ("--solution", "--rows", "128", "--cols", "96")
            _, profile = clone.json("profile", chapter, *shape, "--compiler", "builtin")
            sums = {}
            width, height, _ = profile["grid"]
            blocks = set()
            for x in range(width):
                for y in range(height):
                    if (x, y, 0) in blocks:
                        continue
                    got = recorded(chapter, *shape, "--at", f"{x},{y}")
                    self.assertEqual((got["correct"], got["complete"], got["found"]), (True, True, []), chapter)
                    self.memory_is_as_said(got)
                    blocks |= {tuple(block) for block in got["blocks"]}
                    copies = [copy for step in got["steps"] for copy in step.get("copies", [])]
                    sides = [a for _, a in accesses(got)] + [s for copy in copies for s in (copy["read"], copy["written"])]
                    for one in sides:
                        sum_of = sums.setdefault(one["op"], [0, 0])
                        sum_of[0] += one.get("requests", 0)
                        sum_of[1] += one.get("sectors", one.get("wavefronts", 0))
            counters = profile["counters"]
            for part, whole in (("global_async", "global_load"), ("shared_async", "shared_store"), ("shared_matrix_load", "shared_load"),
                                ("shared_matrix_store", "shared_store")):
                for k in (0, 1):
                    sums.setdefault(whole, [0, 0])[k] += sums.get(part, [0, 0])[k]
            for op, (requests, cost) in sums.items():
                counted = counters[op]
                self.assertEqual((requests, cost), (counted["requests"], counted.get("sectors", counted.get("wavefronts", 0))), (chapter, op))

    def test_a_missing_barrier_is_gone_to(self):
        text = clone.solution("04_shared_tile")
        self.assertIn("__syncthreads();", text)
        (clone.root / "open.cu").write_text(text.replace("__syncthreads();", "", 1))
        got = recorded("open.cu", "--to", "fault")
        step = got["steps"][0]
        self.assertEqual([f["kind"] for f in got["found"] if f["step"] == step["step"]], ["shared-race"])
        self.assertRegex(step["says"], r"\. Found here: thread .* reads `tile\[0\]\[1\]` at line ")
        self.assertRegex(clone.lab("step", "open.cu", "--to", "fault", LAB_LANG="zh")[1], r"。此处发现：")
        wrong = recorded("open.cu", "--to", "wrong")["steps"][0]
        self.assertTrue(any(access.get("wrong") for access in wrong["accesses"]))
        code, _, err = clone.lab("step", "open.cu", "--to", "barrier")
        self.assertEqual(code, 1, err)

    def in_right_order(self, *words):
        """The recording of a kernel without its barrier in which each warp that would read too early stands back."""
        choices = []
        while True:
            got = recorded(*words, *(["--choose", ",".join(f"{k}:{w}" for k, w in choices)] if choices else []))
            self.assertEqual([(c["step"], c["warp"]) for c in got["choices"]], choices)
            warps = range(got["block"][0] * got["block"][1] // 32)
            read = [s["step"] for s, a in accesses(got) if a["op"] == "shared_load"]
            stored = {s["warp"] for s, a in accesses(got) if a["op"] == "shared_store" and s["step"] < read[0]}
            missing = [warp for warp in warps if warp not in stored]
            if not missing:
                return got, choices
            choices.append((read[0], missing[0]))

    def test_another_warp_first(self):
        text = clone.solution("04_shared_tile")
        (clone.root / "open.cu").write_text(text.replace("__syncthreads();", "", 1))
        words = ("open.cu", "--rows", "32", "--cols", "32", "--block", "32x8", "--tile", "32x32")
        plain = recorded(*words)
        self.assertEqual((plain["correct"], plain["choices"]), (False, []))
        right, choices = self.in_right_order(*words)
        self.assertTrue(right["correct"])
        self.assertEqual(len(choices), 7)
        self.assertFalse(any(a.get("wrong") for _, a in accesses(right)))
        self.assertEqual({f["kind"] for f in right["found"]}, {"shared-race"})
        for got in (plain, right):
            self.memory_is_as_said(got)
        self.assertEqual(plain["steps"][:choices[0][0]], right["steps"][:choices[0][0]])
        # The same warps do the same work, in another order.
        by_warp = [{w: [(s["line"], [(a["op"], a["offset"], a.get("sectors"), a.get("wavefronts")) for a in s.get("accesses", [])])
                        for s in got["steps"] if s["warp"] == w] for w in range(8)} for got in (plain, right)]
        self.assertEqual(*by_warp)
        for order in range(1, 8):
            self.assertEqual(recorded(*words, "--first-warp", str(order)), recorded(*words, "--choose", f"0:{order}"))
        for wrong in ("x", "1", "1:2:3", "0:99", "999999:1", "0:1,0:2", "0:1;2:3", "-1:2", "3:"):
            self.assertEqual(clone.lab("step", *words, "--choose", wrong)[0], 2, wrong)

    def test_choices_in_drawn_kernels(self):
        draw = drawn("step choices")
        for _ in range(draws_of_run(4)):
            (clone.root / "drawn.cu").write_text(Drawn(draw.randrange(10**9)).text())
            words = ("drawn.cu", "--rows", "32", "--cols", "64", "--block", "32x3", "--tile", "64x32")
            got, choices = recorded(*words), []
            for _ in range(3):  # nothing waits in these: any warp with steps left can go on
                last = choices[-1][0] if choices else -1
                ahead = [(s["step"], w) for s in got["steps"] if s["step"] > last
                         for w in {later["warp"] for later in got["steps"][s["step"]:]}]
                if not ahead:
                    break
                choices.append(draw.choice(ahead))
                before, got = got, recorded(*words, "--choose", ",".join(f"{k}:{w}" for k, w in choices))
                at = choices[-1][0]
                self.assertEqual(got["steps"][:at], before["steps"][:at])
                self.assertEqual(got["steps"][at]["warp"], choices[-1][1])
                self.assertEqual(*(sorted((s["warp"], s["line"], s["active"]) for s in one["steps"]) for one in (got, before)))
                self.assertEqual(got["correct"], before["correct"])  # no two threads touch one place

    def test_solutions_are_right_in_drawn_orders(self):
        draw, followed = drawn("orders of solutions"), 0
        chapters = draw.sample(["4", "5", "6", "8", "11", "12", "13", "14"], 3)
        for chapter in chapters * draws_of_run(1):
            words = (chapter, "--solution", "--rows", "64", "--cols", "96")
            got, choices = recorded(*words), []
            for _ in range(4):
                last = choices[-1][0] if choices else -1
                choice = draw.randint(last + 1, min(last + 40, len(got["steps"]) - 1)), draw.randrange(got["block"][0] * got["block"][1] // 32)
                more = ("--choose", ",".join(f"{k}:{w}" for k, w in [*choices, choice]))
                if clone.lab("step", *words, *more, "--plain")[0] == 2:  # it waits there
                    continue
                before, got = got, recorded(*words, *more)
                choices.append(choice)
                followed += 1
                self.assertEqual(got["steps"][:choice[0]], before["steps"][:choice[0]])
                self.assertEqual(got["steps"][choice[0]]["warp"], choice[1])
                self.assertEqual((got["correct"], got["found"]), (True, []), (chapter, choices))
                self.memory_is_as_said(got)
        self.assertGreater(followed, 0)

    def test_a_waiting_warp_is_not_chosen(self):
        got = recorded("4", "--solution")
        waits = next(s for s in got["steps"] if s.get("arrives"))
        other = next(s["step"] for s in got["steps"] if s["step"] > waits["step"])
        code, _, err = clone.lab("step", "4", "--solution", "--choose", f"{other}:{waits['warp']}")
        self.assertEqual(code, 2)
        self.assertIn("can go on at that step", err)
        before = clone.json("profile", "4", "--solution", "--rows", "64", "--cols", "48")[1]["counters"]
        chosen = recorded("4", "--solution", "--choose", f"{other}:5")
        self.assertEqual((chosen["correct"], chosen["found"]), (True, []))
        self.assertEqual(clone.json("profile", "4", "--solution", "--rows", "64", "--cols", "48")[1]["counters"], before)

    def test_the_page_has_the_command_line(self):
        code, _, err = clone.lab("step", "4", "--solution", "--rows", "64", "--cols", "40", "--choose", "0:3", "--at", "0,1", "--html", "page.html")
        self.assertEqual((code, err), (0, ""))
        data = json.loads(re.search(r'id="data">(.*?)</script>', (clone.root / "page.html").read_text(), re.S)[1])
        self.assertEqual((data["command"], data["choices"]), ("./lab step 4 --solution --rows 64 --cols 40 --at 0,1", [{"step": 0, "warp": 3}]))
        self.assertEqual(clone.lab(*data["command"].split()[1:], "--plain")[0], 0)

    def test_keys_lead_on(self):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 120, 0, 0))
        process = subprocess.Popen([PROGRAM, "step", "4", "--solution"], env=dict(clone.env, TERM="xterm"), cwd=clone.root,
                                   stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        screen = ""
        try:
            for key, said in (("", "step 0 of"), ("n", "step 1 of"), ("\033[C", "step 2 of"), ("p", "step 1 of"),
                              ("b", "the barrier opens"), ("f", "no such step"),
                              ("/38\n", "warp 0, line 38"),
                              ("g", "step 0 of"), ("c5\n", "warp 5, line"), ("n", "warp 5, line"), ("c77\n", "can go on at that step"),
                              ("c2\n", "warp 2 goes on at step 1"), ("p", "warp 5, line"), ("c0\n", "warp 0, line")):
                os.write(ours, key.encode())
                screen = ""
                while said not in screen or "q quit" not in screen.split(said)[-1]:
                    self.assertTrue(select.select([ours], [], [], 60)[0], (key, screen))
                    screen += os.read(ours, 1 << 16).decode(errors="replace")
            os.write(ours, b"q")
            self.assertEqual(process.wait(timeout=60), 0)
        finally:
            process.kill()
            process.wait()
            os.close(ours)

    def test_a_check_says_where_to_watch(self):
        text = clone.solution("04_shared_tile")
        for wrong, to in ((text.replace("__syncthreads();", "", 1), "fault"),
                          (text.replace("in[row * cols + col]", "in[row * cols + (col + 1) % cols]"), "wrong")):
            self.assertNotEqual(wrong, text)
            (clone.root / "failing.cu").write_text(wrong)
            code, out, _ = clone.lab("check", "4", "--kernel", "failing.cu")
            self.assertEqual(code, 1)
            said = re.search(rf"\./lab (step failing\.cu --rows \d+ --cols \d+ --to {to})\b", out)
            self.assertTrue(said, out)
            code, out, err = clone.lab(*said[1].split())
            self.assertEqual((code, err), (0, ""))
        self.assertIn("where it does not belong", out)
        code, out, _ = clone.lab("check", "4", "--solution")
        self.assertNotIn("lab step", out)

    def test_lessons_lead_to_what_they_name(self):
        led = {"barrier": lambda s: s["what"] == "barrier", "copy": lambda s: s.get("copies"),
               "tile": lambda s: any(a["op"] == "shared_load" for a in s.get("accesses", [])),
               "store": lambda s: any(a["op"] in ("global_store", "cluster_store") for a in s.get("accesses", []))}
        found = 0
        for readme in sorted(clone.root.glob("chapters/*/README*.md")):
            for chapter, to in re.findall(r"`\./lab step (\d+) --to (\w+)", readme.read_text(encoding="utf-8")):
                step, = recorded(chapter, "--solution", "--to", to)["steps"]
                self.assertTrue(led[to](step), (chapter, to, step["says"]))
                found += 1
        self.assertEqual(found, 18)
        code, out, _ = clone.lab("step", "1", "--solution", "--to", "copy", "--html", "none.html")
        self.assertEqual(code, 0)
        data = json.loads(re.search(r'id="data">(.*?)</script>', (clone.root / "none.html").read_text(), re.S)[1])
        self.assertEqual((data["start"], "copy" in data["notes"][0]), (0, True))
        self.assertEqual(clone.lab("step", "1", "--solution", "--to", "copy")[0], 1)

    def test_its_files_are_as_long_as_the_tour_says(self):
        most = int(re.search(r"`\*dap\*`.*: under ([\d ]+) lines", (SOURCE / "docs/design.md").read_text(encoding="utf-8"))[1].replace(" ", ""))
        files = [f for place in ("compile/builtin", "course") for name in ("step", "stops", "dap") for f in (SOURCE / "common" / place).rglob(f"*{name}*")]
        lines = sum(len(f.read_text(encoding="utf-8").splitlines()) for f in set(files))
        self.assertLess(most - 400, lines)
        self.assertLess(lines, most)

    def test_a_barrier_holds_all_back(self):
        got = recorded("4", "--solution")
        barrier = next(s["step"] for s in got["steps"] if s["what"] == "barrier")
        arrived = [s["warp"] for s in got["steps"][:barrier] if s.get("arrives")]
        threads = got["block"][0] * got["block"][1]
        self.assertEqual(sorted(arrived), list(range(threads // 32)))
        self.assertEqual(recorded("4", "--solution", "--to", "barrier")["steps"][0]["step"], barrier)
        self.assertFalse(any(a["op"] == "shared_load" for s in got["steps"][:barrier] for a in s.get("accesses", [])))

    def test_a_barrier_of_the_cluster_holds_all_back(self):
        got = recorded("14", "--solution")
        first = next(s["step"] for s in got["steps"] if s["what"] == "barrier")
        arrived = [(s.get("block", 0), s["warp"]) for s in got["steps"][:first] if s.get("arrives")]
        self.assertEqual(sorted(arrived), [(block, warp) for block in range(2) for warp in range(8)])
        line = next(n for n, text in enumerate(got["source"], 1) if "sync_cluster" in text)
        self.assertEqual({s["line"] for s in got["steps"][:first] if s.get("arrives")}, {line})

    def test_a_barrier_shows_who_wrote_the_tile(self):
        for chapter in ("4", "6", "8"):
            got = recorded(chapter, "--solution")
            number, tile = next((k, a) for k, a in enumerate(got["arrays"]) if a["space"] == "shared")
            rows, cols = tile["extents"]
            writer = {}
            for step in got["steps"][:next(s["step"] for s in got["steps"] if s["what"] == "barrier")]:
                for access in step.get("accesses", []):
                    if access["array"] == number:
                        cells = [offset // tile["elem_bytes"] for lane, offset in enumerate(row(access, "offset")) if access["lanes"] >> lane & 1]
                        writer.update(dict.fromkeys(cells, step["warp"]))
            said = clone.lab("step", chapter, "--solution", "--to", "barrier", "--plain")[1]
            shown = {}
            for looks, which in re.findall(rf"^  ([0-9a-v.]{{{cols}}})  ([-\d, ]+)$", said, re.M):
                for part in which.split(", "):
                    first, _, last = part.partition("-")
                    shown.update({k: [int(c, 32) if c != "." else None for c in looks] for k in range(int(first), int(last or first) + 1)})
            self.assertEqual(shown, {k: [writer.get(k * cols + col) for col in range(cols)] for k in range(rows)}, chapter)
            self.assertRegex(said, r"(?m)^>.*__syncthreads")

    def test_what_is_said(self):
        code, out, err = clone.lab("step", "4", "--solution", "--plain")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("32 lanes store 32 words of `tile` into 32 banks: 1 wavefront", out)
        load = next(s for s, a in accesses(recorded("4", "--solution")) if a["op"] == "shared_load")
        self.assertEqual(recorded("4", "--solution", "--line", str(load["line"]))["steps"][0]["line"], load["line"])
        code, out, _ = clone.lab("step", "4", "--solution", "--step", str(load["step"]))
        self.assertEqual(code, 0)
        self.assertIn("tile[1][0]", out)
        self.assertIn("written in step", out)
        for words, want in ((("--step", "999999"), 2), (("--at", "99,0"), 2), (("--line", "1"), 1), (("--rows", "2048", "--cols", "2048"), 2)):
            code, _, err = clone.lab("step", "4", "--solution", *words)
            self.assertEqual((code, bool(err)), (want, True), words)
        self.assertEqual(clone.lab("step", "4", "--solution", "--json", LAB_LANG="zh")[1], clone.lab("step", "4", "--solution", "--json", LAB_LANG="en")[1])

    def test_a_full_recording_says_so(self):
        (clone.root / "long.cu").write_text(KERNEL.format("  for (int k = 0; k < 100000; ++k)\n    out[t] = in[(t + k) % 2048];\n"))
        code, out, _ = clone.lab("step", "long.cu", "--rows", "32", "--cols", "64", "--block", "32x1", "--tile", "64x32", "--step", "0")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"The recording ends after \d{5} steps, where it is full\.")

    def test_what_stops_the_launch_is_the_last_step(self):
        (clone.root / "far.cu").write_text(KERNEL.format("  out[t] = in[t];\n  if (t == 35)\n    out[1 << 24] = in[0];\n  out[t] = in[t + 1];\n"))
        got = recorded("far.cu", "--rows", "32", "--cols", "32", "--block", "32x2", "--tile", "32x32", "--to", "fault")
        self.assertEqual([(f["kind"], f["line"]) for f in got["found"]], [("out-of-bounds", 5)])
        self.assertEqual((got["steps"][0]["line"], got["steps"][0]["warp"], got["steps"][0]["active"]), (5, 1, 1 << 3))


if __name__ == "__main__":
    unittest.main()
