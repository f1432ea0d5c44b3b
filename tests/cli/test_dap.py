"""`lab dap`: what a debugger is shown at a stop is what the recording of `lab step --json` says.

Enters: LAB_PROGRAM, the built program; LAB_SEED. Leaves: one unittest verdict. A drawn client sends commands in any order, with garbage between
them; where each leads, who stands where, and what memory holds is worked out here from the recording alone."""
import copy
import json
import pathlib
import shutil
import tempfile
import unittest

from tests.drawn.draws import drawn, draws_of_run

import drawn_steps
from dap_client import Client
from sandbox import PROGRAM, SOURCE, Clone

LANES = range(32)
CALLS = """__device__ unsigned inner(unsigned x) {
  x += 7u;
  return x * 3u;
}
__device__ unsigned outer(unsigned y) {
  y ^= inner(y);
  return y + 1u;
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const unsigned t = threadIdx.x;
  out[t] = in[outer(t) % 2048u];
  out[t + 32] = in[t];
}
"""
SMALL = {"rows": 64, "cols": 40}
COMMANDS = 60
clone = Clone()


def words_of(arguments):
    """Of `launch`, as a command line."""
    words = [str(arguments.get("chapter") or arguments["program"])]
    for key, option in (("rows", "--rows"), ("cols", "--cols"), ("block", "--block"), ("tile", "--tile"), ("at", "--at"), ("choose", "--choose")):
        if key in arguments:
            words += [option, str(arguments[key])]
    return words + ["--solution"] * bool(arguments.get("solution"))


def recorded(arguments, *more):
    code, got = clone.json("step", *words_of(arguments), *more)
    if code != 0:
        raise AssertionError(arguments)
    return drawn_steps.whole(got)


def row(said):
    """The 32 entries of a row."""
    if said is None:
        return [None] * 32
    return [said["from"] + said["by"] * lane for lane in LANES] if isinstance(said, dict) else said


def lanes(mask):
    return [lane for lane in LANES if mask >> lane & 1]


def ranges(mask):
    """As `Lanes` says it, read back."""
    if mask == "none":
        return []
    pairs = [part.split("-") for part in mask.split(", ")]
    return [lane for pair in pairs for lane in range(int(pair[0]), int(pair[-1]) + 1)]


def same(shown, value):
    return shown == value if isinstance(value, str) else json.loads(shown) == value


class Model:
    """A recording with a place in it, breakpoints and filters: what each command has to do."""

    def __init__(self, recording):
        self.steps, self.recording = recording["steps"], recording
        self.statements = [s["step"] for s in self.steps if s["what"] == "statement"]
        self.now, self.lines, self.filters = self.statements[0], set(), {"fault", "wrong"}
        self.tma = any("bulk" in copy["read"]["op"] for step in self.steps for copy in step.get("copies", []))

    def thread(self, step):
        s = self.steps[step]
        return s.get("block", 0) * 32 + s["warp"] + 1

    def depth(self, step):
        return len(self.steps[step].get("callers", []))

    def threads(self):
        return {self.thread(k) for k in self.statements}

    def of(self, thread):
        return [k for k in self.statements if self.thread(k) == thread]

    def why(self, step):
        faults = {f["step"] for f in self.recording["found"]}
        wrong = any(a.get("wrong") for a in self.steps[step].get("accesses", []))
        if ("fault" in self.filters and step in faults) or ("wrong" in self.filters and wrong):
            return "exception"
        return "breakpoint" if self.steps[step]["line"] in self.lines else None

    def walk(self, ways, wanted):
        """Over the steps of `ways` to the first that stops; then the reason. None: to their end."""
        for step in ways:
            reason = self.why(step) or ("step" if step in wanted else None)
            if reason:
                self.now = step
                return reason
        return None

    def go(self, command, thread):
        ahead, behind = [k for k in self.statements if k > self.now], [k for k in reversed(self.statements) if k < self.now]
        its, at = self.of(thread), self.stand(thread)
        inside = 0 if at is None else self.depth(at)
        over = [k for k in its if k > self.now and self.depth(k) <= inside]
        out = [k for k in its if self.depth(k) < inside] if inside else [k for a, k in zip(its, its[1:]) if self.steps[a].get("arrives")]
        wanted = {"continue": [], "reverseContinue": [], "stepIn": ahead, "next": over or ahead,
                  "stepBack": [k for k in its if k < self.now] or behind,
                  "stepOut": out}[command]
        back = command in ("stepBack", "reverseContinue")
        reason = self.walk(behind if back else ahead, set(wanted))
        if reason is None and back:
            self.now, reason = self.statements[0], "entry"
        elif reason is None and ahead:
            self.now, reason = self.statements[-1], "end"
        return reason

    def stand(self, thread):
        its = self.of(thread)
        last = max((k for k in its if k < self.now), default=None)
        if last is not None and self.steps[last].get("arrives") and self.thread(self.now) != thread:
            block = self.steps[last].get("block", 0)
            between = [s for s in self.steps[last:self.now] if s.get("block", 0) == block]
            if not any(s["what"] == "barrier" or (s["what"] == "phase" and s.get("object", 0) < 16) for s in between):
                return last
        return next((k for k in its if k >= self.now), None)

    def memory(self, block, array):
        """By byte of a shared array: the step's access and lane that wrote it, as a value a word."""
        held, size = {}, self.recording["elem_bytes"]
        for step in self.steps[:self.now]:
            for access in step.get("accesses", []):
                if access["array"] != array or access.get("block", 0) != block or access["op"].endswith(("load", "global_async")):
                    continue
                offsets, values = row(access["offset"]), row(access.get("value"))
                for lane in lanes(access["lanes"]):
                    several = values[lane] if isinstance(values[lane], list) else [values[lane]]
                    for k, value in enumerate(several):
                        held[offsets[lane] + k * size] = None if access["op"].endswith("atomic") else value
        return held

    def way(self, block):
        """Copies of this block that have not landed before `now`; of its mbarriers the phases that are over."""
        flights, over = [], {}
        for step in self.steps[:self.now]:
            flights += [(step["step"], k) for k in range(len(step.get("copies", []))) if step.get("block", 0) == block]
            flights = [flight for flight in flights if list(flight) not in step.get("landed", [])]
            if step["what"] == "phase" and step.get("object", 0) >= 1 << 32 and step.get("block", 0) == block:
                over[step["object"]] = step["phase"] + 1
        return flights, [over[at] for at in sorted(over)]


class Session:
    """A client and a model, side by side."""

    def __init__(self, test, client, arguments):
        self.test, self.client, self.arguments, self.seen = test, client, arguments, {}
        self.model = Model(recorded(arguments))
        stop = client.launch(**arguments)
        test.assertEqual(stop["reason"], "entry")
        self.check(stop)

    def check(self, stop):
        """All that is shown at this stop, against the recording; and that it is what was shown here before."""
        model, client, test = self.model, self.client, self.test
        test.assertEqual(stop["threadId"], model.thread(model.now))
        shown = [thread["id"] for thread in client.body("threads")["threads"]]
        stands = {thread: model.stand(thread) for thread in model.threads()}
        test.assertEqual(shown, sorted(thread for thread in stands if stands[thread] is not None))
        for thread in shown:
            frames, step = client.body("stackTrace", threadId=thread)["stackFrames"], model.steps[stands[thread]]
            test.assertEqual([frame["line"] for frame in frames], [step["line"], *(caller["line"] for caller in step.get("callers", []))])
            if "function" in step:
                test.assertTrue(frames[0]["name"].startswith(step["function"] + ", "), frames[0])
        step = model.steps[model.now]
        frames = client.body("stackTrace", threadId=stop["threadId"])["stackFrames"]
        state = [self.state(frame["id"], step, own.get("variables", [])) for frame, own in zip(frames, [step, *step.get("callers", [])])]
        test.assertEqual(self.seen.setdefault(model.now, state), state)

    def opened(self, reference):
        return self.client.body("variables", variablesReference=reference)["variables"]

    def state(self, frame, step, expected):
        test = self.test
        variables, lanes_of, memory, *way = (self.opened(s["variablesReference"]) for s in self.client.body("scopes", frameId=frame)["scopes"])
        self.on_the_way(step.get("block", 0), way[0] if way else [])
        listed = {v["name"]: v["value"] for v in lanes_of}
        test.assertEqual((listed["step"], ranges(listed["active"]), ranges(listed["waiting"]), listed["what happens"]),
                         (str(step["step"]), lanes(step["active"]), lanes(step["waiting"]), step["says"]))
        test.assertEqual([v["name"] for v in variables], [v["name"] for v in expected])
        state = [listed]
        for shown, said in zip(variables, expected):
            if "values" in said:
                each = {int(v["name"][1:-1]): v["value"] for v in self.opened(shown["variablesReference"])}
                values = row(said["values"])
                test.assertEqual(sorted(each), [lane for lane in LANES if values[lane] is not None])
                test.assertTrue(all(same(each[lane], values[lane]) for lane in each), (shown, said))
            else:
                each = shown["value"]
                test.assertTrue(same(each, said["value"]) if "value" in said else
                                each == ("not written yet" if "unwritten" in said else "not computed here"), (shown, said))
            state.append((shown["name"], each))
        return state + [self.cells(step, memory)]

    def on_the_way(self, block, shown):
        """Each copy that has not landed, with every row of bytes that it moves; each mbarrier."""
        flights, over = self.model.way(block)
        self.test.assertEqual([v["name"] for v in shown[:len(flights)]], [f"step {step}" for step, _ in flights])
        self.test.assertEqual([v["value"] for v in shown[len(flights):]], [f"{count} phases are over" for count in over])
        for (step, number), one in list(zip(flights, shown))[-2:]:
            spans, rows = self.model.steps[step]["copies"][number]["spans"], self.opened(one["variablesReference"])
            self.test.assertEqual([(row["name"] == "writes", row["value"].rsplit(", ", 1)[1].replace(" ", "")) for row in rows],
                                  [("written" in span, f"{span['bytes']}bytes") for span in spans])
            moved = max(self.model.steps[step]["copies"][number][side]["bytes"] for side in ("read", "written"))
            self.test.assertTrue(one["value"].replace(" ", "").startswith(f"{moved}bytes"), (one, moved))

    def cells(self, step, memory):
        """Each element of the shared arrays; the TMA unit's copies have no values."""
        arrays = self.model.recording["arrays"]
        self.test.assertEqual([m["name"] for m in memory], [a["name"] for a in arrays[2:]] + ["out"])
        all_of = {}
        for number, (array, shown) in enumerate(zip(arrays[2:], memory), 2):
            if not array["extents"]:
                continue
            held, flat = self.model.memory(step.get("block", 0), number), [shown]
            for _ in array["extents"]:
                flat = [cell for one in flat for cell in self.opened(one["variablesReference"])]
            size, pitch = self.model.recording["elem_bytes"], arrays[0]["extents"][1]
            for k, cell in enumerate(flat):
                parts = cell["value"].split(" ")
                each = array["elem_bytes"] // len(parts)
                self.test.assertEqual(each, size if array["elem_bytes"] % size == 0 else array["elem_bytes"])
                for at, part in enumerate(parts):
                    value = held.get(k * array["elem_bytes"] + at * each, "unwritten")
                    text = "?" if value is None else f"in({value // pitch},{value % pitch})" if isinstance(value, int) else value
                    self.test.assertIn(part, (text, "?") if self.model.tma else (text,))
            all_of[array["name"]] = [cell["value"] for cell in flat]
        return all_of

    def go(self, command, thread):
        before = self.model.now
        reason = self.model.go(command, thread)
        stop = self.client.stop(command, threadId=thread)
        if reason is None:
            self.test.assertIsNone(stop)
            return False
        self.test.assertEqual((stop["reason"], stop["threadId"]), (reason, self.model.thread(self.model.now)), (command, thread, before))
        step = self.model.steps[self.model.now]
        if reason in ("step", "breakpoint"):
            self.test.assertEqual(self.client.console, f"warp {step['warp']}, step {self.model.now}: {step['says']}\n")
        self.check(stop)
        return True


class Dap(unittest.TestCase):
    def cases(self, draw):
        text = clone.solution("04_shared_tile")
        (clone.root / "open.cu").write_text(text.replace("__syncthreads();", "", 1))
        (clone.root / "drawn.cu").write_text(drawn_steps.Drawn(draw.randrange(10**9)).text)
        chapters = [{"chapter": name, "solution": True} | SMALL for name in [draw.choice(["11", "12"]), *draw.sample(["1", "2", "4", "5", "6", "13", "14"], 2)]]
        return [{"program": "open.cu"} | SMALL, {"program": "drawn.cu", "rows": 32, "cols": 64, "block": "32x2", "tile": "64x32"}, *chapters]

    def test_a_drawn_client(self):
        draw, stops, reached = drawn("dap"), 0, {}
        for _ in range(draws_of_run(1)):
            for arguments in self.cases(draw):
                with Client(clone) as client:
                    session = Session(self, client, arguments)
                    for _ in range(COMMANDS):
                        stops += 1
                        model = session.model
                        threads = sorted(model.threads())
                        what = draw.choice(["lines", "filters", "garbage", "early"] + ["go"] * 12)
                        if what == "lines":
                            asked = draw.sample(range(1, len(model.recording["source"]) + 3), draw.randint(0, 3))
                            model.lines = self.breakpoints(client, model, asked)
                        elif what == "filters":
                            model.filters = set(draw.sample(["fault", "wrong"], draw.randint(0, 2)))
                            client.body("setExceptionBreakpoints", filters=sorted(model.filters))
                        elif what == "garbage":
                            self.garbage(client, draw)
                        elif what == "early":
                            self.assertFalse(client.ask(draw.choice(["initialize", "launch", "configurationDone"]))["success"])
                        else:
                            command = draw.choice(["continue", "reverseContinue", "next", "next", "stepIn", "stepIn", "stepOut", "stepBack", "stepBack"])
                            reached[command] = reached.get(command, 0) + 1
                            if not session.go(command, draw.choice([*threads, model.thread(model.now)])):
                                self.assertFalse(client.ask("threads")["success"])
                                break
        print(f"{stops} commands, {reached}")

    def breakpoints(self, client, model, lines):
        path = str(clone.root / model.recording["kernel"])
        got = client.body("setBreakpoints", source={"path": path}, breakpoints=[{"line": line} for line in lines])["breakpoints"]
        self.assertEqual(len(got), len(lines))
        run = {model.steps[k]["line"] for k in model.statements}
        for asked, one in zip(lines, got):
            if one["verified"]:
                self.assertFalse(run & set(range(asked, one["line"])), (asked, one))
            else:
                self.assertFalse({line for line in run if line >= asked}, (asked, one))
                self.assertTrue(one["message"])
        return {one["line"] for one in got if one["verified"]}

    def garbage(self, client, draw):
        """Each is answered: with an error, or as what it is after all."""
        odd = [None, -1, 2**40, 2**70, "no name", [], {}, True, 1.5, [[]], {"path": 3}, "\u0000"]
        for raw in (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"seq":1}', b'{"type":"event","event":"x"}', b"[" * 200,
                    json.dumps({"seq": draw.choice(odd), "type": "request", "command": draw.choice(odd)}).encode()):
            got = client.ask_raw(raw)
            self.assertEqual((got["type"], got["success"], bool(got["message"])), ("response", False, True), raw)
        for header in (b"Nothing: 3\r\n", b"Content-Length: -5\r\n", b"Content-Length: 9999999999999999999999\r\n", b"Content-Length:\r\n",
                       b"x" * 9000 + b"\n", b""):
            client.send(header + b"\r\n")
            self.assertFalse(client.response()["success"], header)
        for command, key in (("stackTrace", "threadId"), ("scopes", "frameId"), ("variables", "variablesReference"), ("evaluate", "expression"),
                             ("next", "threadId"), ("setBreakpoints", "breakpoints")):
            bad = draw.choice([one for one in odd if one is not None and (key != "breakpoints" or one != [])])
            self.assertFalse(client.ask(command, **{key: bad})["success"], (command, bad))
        client.events.clear()

    def set_up(self):
        """The clone as after its first `./lab`: the programs are links to the built one, and its stamps say that all is here."""
        for name in ("lab", "tools/setup", ".vscode"):
            copy_of = shutil.copytree if (SOURCE / name).is_dir() else shutil.copy
            (clone.root / name).parent.mkdir(exist_ok=True)
            copy_of(SOURCE / name, clone.root / name)
        build = clone.root / "build"
        (build / "common/cli").mkdir(parents=True)
        (build / "common/cli/lab-course").symlink_to(PROGRAM)
        (build / ".lab-ready-course").write_text(f"{clone.root}\n")
        (build / ".lab-ready-nvrtc").write_text(f"{PROGRAM}\n")

    def test_each_shipped_configuration_starts(self):
        """As the editor does: the extension's own script, from a link to it, which hands over to ./lab."""
        self.set_up()
        clone.kernel("04_shared_tile").write_text(clone.solution("04_shared_tile"))
        package = json.loads((clone.root / ".vscode/extensions/transpose-lab/package.json").read_text())
        debugger, = package["contributes"]["debuggers"]
        with tempfile.TemporaryDirectory() as elsewhere:
            installed = pathlib.Path(elsewhere) / "transpose-lab"
            installed.symlink_to(clone.root / ".vscode/extensions/transpose-lab")
            for configuration in json.loads((clone.root / ".vscode/launch.json").read_text())["configurations"]:
                given = dict(configuration)
                self.assertEqual((given.pop("type"), given.pop("request")), (debugger["type"], "launch"))
                name, file = given.pop("name"), clone.kernel("04_shared_tile")
                for key, value in given.items():
                    if isinstance(value, str):
                        given[key] = value.replace("${file}", str(file)).replace("${fileDirnameBasename}", file.parent.name)
                with Client(clone, [debugger["runtime"], str(installed / debugger["program"])]) as client:
                    session = Session(self, client, given)
                    frame, = client.body("stackTrace", threadId=1)["stackFrames"]
                    runs = clone.root / "solutions/04_shared_tile/transpose.cu" if given.get("solution") else file
                    self.assertEqual(frame["source"]["path"], str(runs), name)
                    for command in ("stepIn", "next", "stepBack", "continue"):
                        if not session.go(command, client.body("threads")["threads"][0]["id"]):
                            break

    def test_what_is_found_stops_it(self):
        with Client(clone) as client:
            self.cases(drawn("dap cases"))
            arguments = {"program": "open.cu"} | SMALL
            fault = recorded(arguments, "--to", "fault")["steps"][0]
            stop = client.launch(filters=["fault"], stopOnEntry=False, **arguments)
            frame, = client.body("stackTrace", threadId=stop["threadId"])["stackFrames"]
            self.assertEqual((stop["reason"], frame["line"], frame["source"]["path"]), ("exception", fault["line"], str(clone.root / "open.cu")))
            self.assertIn(stop["text"], fault["says"])
            self.assertEqual(client.body("exceptionInfo", threadId=stop["threadId"])["description"], stop["text"])

    def test_a_box_is_on_its_way(self):
        with Client(clone) as client:
            session = Session(self, client, {"chapter": "12", "solution": True} | SMALL)
            while not session.model.way(0)[0]:
                session.go("stepIn", 1)
            last = client.body("scopes", frameId=1)["scopes"][-1]
            self.assertEqual(last["name"], "On their way")
            self.assertEqual([one["value"] for one in session.opened(last["variablesReference"])], ["4 096 bytes into `tile` for phase 0 of `barrier`"])

    def test_names_are_evaluated(self):
        arguments = {"chapter": "4", "solution": True} | SMALL
        with Client(clone) as client:
            session = Session(self, client, arguments)
            while "barrier" not in session.model.steps[session.model.now]["says"]:
                session.go("stepIn", 1)
            known = {v["name"]: v for v in session.model.steps[session.model.now]["variables"]}
            self.assertEqual(client.body("evaluate", expression="rows", frameId=1)["result"], str(known["rows"]["value"]))
            tile = client.body("evaluate", expression="tile", frameId=1)
            extents = session.model.recording["arrays"][2]["extents"]
            self.assertEqual((tile["result"], tile["indexedVariables"]), ("".join(f"[{n}]" for n in extents), extents[0]))
            rest = session.opened(client.body("evaluate", expression="tile[0]")["variablesReference"])
            self.assertEqual(client.body("evaluate", expression="tile[0][3]")["result"], rest[3]["value"])
            self.assertRegex(rest[3]["value"], r"in\(\d+,\d+\)")
            part = client.body("variables", variablesReference=tile["variablesReference"], start=2, count=3)["variables"]
            self.assertEqual([one["name"] for one in part], ["[2]", "[3]", "[4]"])
            for wrong in ("nothing", "tile[", "tile[99]", "tile[0][0][0]", "tile[-1]", "", "first 99", "first x"):
                self.assertFalse(client.ask("evaluate", expression=wrong)["success"], wrong)
            stale = tile["variablesReference"]
            session.go("stepIn", 1)
            self.assertFalse(client.ask("variables", variablesReference=stale)["success"])

    def test_over_into_and_out_of_calls(self):
        (clone.root / "calls.cu").write_text(CALLS)
        arguments = {"program": "calls.cu", "rows": 32, "cols": 64, "block": "32x1", "tile": "64x32"}
        with Client(clone) as client:
            session = Session(self, client, arguments)
            model = session.model
            while model.steps[model.now]["line"] < 12:  # over both functions
                self.assertEqual(model.depth(model.now), 0)
                session.go("next", 1)
            while model.now > model.statements[0]:
                session.go("reverseContinue", 1)
            while model.depth(model.now) < 2:
                session.go("stepIn", 1)
            frames = client.body("stackTrace", threadId=1)["stackFrames"]
            self.assertEqual([frame["name"].split(",")[0].split(" ·")[0] for frame in frames], ["inner", "outer", "the kernel"])
            self.assertEqual(client.body("evaluate", expression="t", frameId=frames[2]["id"])["result"], "0 … 31")
            for wrong in (dict(expression="t", frameId=frames[0]["id"]), dict(expression="y", frameId=frames[2]["id"] + 4096)):
                self.assertFalse(client.ask("evaluate", **wrong)["success"])
            session.go("stepOut", 1)
            self.assertEqual(model.depth(model.now), 1)
            session.go("stepOut", 1)
            self.assertEqual(model.depth(model.now), 0)

    def test_another_warp_goes_first(self):
        arguments = {"chapter": "4", "solution": True} | SMALL
        with Client(clone) as client:
            session = Session(self, client, arguments)
            session.go("stepIn", 1)
            now = session.model.now
            client.body("evaluate", expression="first 3", context="repl")
            stop, = [event["body"] for event in client.events_now() if event["event"] == "stopped"]
            session.model, session.seen = Model(recorded(arguments | {"choose": f"{now}:3"})), {}
            session.model.now = now
            self.assertEqual(stop["threadId"], 4)
            session.check(stop)
            session.go("continue", 4)

    def test_what_cannot_start(self):
        (clone.root / "broken.cu").write_text("this is no kernel\n")
        with Client(clone) as client:
            for command in ("launch", "threads", "continue", "setBreakpoints", "configurationDone", "evaluate"):
                self.assertFalse(client.ask(command)["success"], command)
            client.body("initialize")
            for wrong in ({}, {"program": "nowhere.cu"}, {"program": "broken.cu"}, {"chapter": "99"}, {"program": 3}, {"chapter": "4", "rows": "x"},
                          {"chapter": "4", "rows": 1 << 20}, {"chapter": "4", "at": "9,9"}, {"chapter": "4", "choose": "0:99"}, {"chapter": "4", "choose": "x"},
                          {"chapter": "4", "solution": 1}):
                self.assertFalse(client.ask("launch", **copy.deepcopy(wrong))["success"], wrong)
                self.assertFalse(client.ask("threads")["success"], wrong)
            client.body("launch", chapter="4", solution=True)
            self.assertEqual(client.stop("configurationDone")["reason"], "entry")
            self.assertIsNone(client.stop("terminate"))
            self.assertFalse(client.ask("continue", threadId=1)["success"])
            client.body("disconnect")
            self.assertEqual(client.process.wait(timeout=60), 0)

    def test_the_extension_names_what_launch_takes(self):
        package = json.loads((SOURCE / ".vscode/extensions/transpose-lab/package.json").read_text())
        debugger, = package["contributes"]["debuggers"]
        configurations = json.loads((SOURCE / ".vscode/launch.json").read_text())["configurations"]
        known = debugger["configurationAttributes"]["launch"]["properties"]
        for configuration in configurations:
            self.assertEqual(configuration["type"], debugger["type"])
            self.assertLessEqual(set(configuration) - {"name", "type", "request"}, set(known))
        with Client(clone) as client:
            client.body("initialize")
            for key, about in known.items():  # each is read: of another type it is refused by its name
                wrong = 3 if about["type"] == "string" else "x"
                self.assertIn(f"`{key}`", client.ask("launch", **{"chapter": "4", key: wrong})["message"])
        for key in ("rows", "cols", "elemBytes"):
            for beyond in (-1, 7, 2**40, 2**63 - 1):
                with Client(clone) as client:
                    client.body("initialize")
                    started = client.ask("launch", **{"chapter": "4", "solution": True, "rows": 64, "cols": 64, key: beyond})["success"]
                    self.assertEqual(started, beyond == 7 and key != "elemBytes", (key, beyond))
                    self.assertEqual(client.ask("threads")["success"], started)


if __name__ == "__main__":
    unittest.main()
