"""`lab judge --stdin`: one answer a request, in order, the same verdicts as `lab check`; what a request or a kernel does costs its own answer alone.

Enters: LAB_PROGRAM; a seed, printed (LAB_SEED repeats it). Leaves: one unittest verdict."""
import base64
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/drawn")]
import draws  # noqa: E402

PROGRAM = os.environ["LAB_PROGRAM"]
SOLUTION = (ROOT / "solutions/05_padding/transpose.cu").read_text(encoding="utf-8")
SKELETON = (ROOT / "solutions/05_padding/skeleton.cu").read_text(encoding="utf-8")
SAXPY = """extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
CLOCKS = ("seconds", "simulated", "compile", "cost", "kernel", "id", "state", "findings", "lines", "cases", "gpu", "reach", "what_if")


def judge(*requests, words=("--no-sandbox",)):
    lines = "".join((request if isinstance(request, str) else json.dumps(request)) + "\n" for request in requests)
    done = subprocess.run([PROGRAM, "judge", "--stdin", *words], input=lines, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "LAB_ROOT": str(ROOT)})
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def floats(*values):
    return base64.b64encode(struct.pack(f"{len(values)}f", *values)).decode()


class Verdicts(unittest.TestCase):
    def test_the_same_as_check(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, source in (("solution", SOLUTION), ("skeleton", SKELETON)):
                file = pathlib.Path(folder, "kernel.cu")
                file.write_text(source, encoding="utf-8")
                alone = json.loads(subprocess.run([PROGRAM, "check", "5", "--kernel", "kernel.cu", "--device", "sim", "--json"], capture_output=True,
                                                  text=True, cwd=folder, env={**os.environ, "LAB_ROOT": str(ROOT)}).stdout)
                _, (here,), _ = judge({"id": name, "op": "check", "chapter": 5, "source": source})
                self.assertEqual(here["id"], name)
                for key in alone.keys() - set(CLOCKS):
                    self.assertEqual(here[key], alone[key], key)
                for key in ("lines", "cases"):
                    self.assertEqual(json.dumps(here[key]), json.dumps(alone[key]).replace(f"{folder}/", ""))
                self.assertEqual(here["state"], "judged")
                self.assertGreater(here["cost"]["work"], 0)

    def test_findings_have_a_remedy_and_a_line(self):
        _, (answer,), _ = judge({"op": "check", "chapter": "05_padding", "source": SKELETON, "text": True})
        first = answer["findings"][0]
        self.assertEqual(first["code"], "bank-conflict")
        self.assertGreater(first["line"], 0)
        self.assertTrue(first["remedy"])
        self.assertIn("tile", answer["text"])

    def test_many_in_order(self):
        requests = [{"id": n, "op": "profile", "source": SKELETON, "rows": 32 * n, "cols": 32} for n in range(1, 9)]
        code, answers, _ = judge(*requests, words=("--no-sandbox", "-j", "2"))
        self.assertEqual((code, [answer["id"] for answer in answers]), (0, list(range(1, 9))))
        self.assertEqual([answer["rows"] for answer in answers], [32 * n for n in range(1, 9)])

    def test_page_and_explain(self):
        _, (page, explained), _ = judge({"op": "page", "source": SKELETON, "rows": 64, "cols": 64}, {"op": "explain", "code": "bank-conflict"})
        self.assertIn("<!doctype html", page["html"].lower())
        self.assertTrue(explained["meaning"] and explained["remedy"])


class Launches(unittest.TestCase):
    def test_any_kernel(self):
        request = {"op": "launch", "source": SAXPY, "grid": 2, "block": [4], "arguments": [
            {"name": "y", "data": floats(*[1] * 7)}, {"name": "x", "data": floats(*range(7))}, {"float": 2}, {"int": 7}]}
        _, (answer,), _ = judge(request)
        self.assertEqual(struct.unpack("7f", base64.b64decode(answer["buffers"]["y"])), tuple(1.0 + 2 * i for i in range(7)))
        self.assertEqual(answer["findings"], [])
        self.assertEqual(answer["counters"]["global_load"]["requests"], 4)

    def test_a_fault_is_a_finding(self):
        request = {"op": "launch", "source": SAXPY, "grid": 2, "block": 4, "arguments": [
            {"name": "y", "data": floats(*[1] * 7)}, {"name": "x", "data": floats(*range(7))}, {"float": 2}, {"int": 8}]}
        _, (answer,), _ = judge(request)
        self.assertEqual([(one["code"], one["line"]) for one in answer["findings"]], [("out-of-bounds", 3)])

    def test_arguments_that_do_not_fit(self):
        start = {"op": "launch", "source": SAXPY, "grid": 1, "block": 4}
        y, x = {"data": floats(1)}, {"data": floats(1)}
        for arguments, words in (([y, x, {"float": 1}], "4 parameters"), ([y, x, {"float": 1}, {"int": 1}, {"int": 1}], "4 parameters"),
                                 ([y, x, {"float": 1}, {"int": 2 ** 40}], "does not fit"), ([{"int": 5}, x, {"float": 1}, {"int": 1}], None),
                                 ([y, x, {"float": 1}, {"data": "AAAA"}], "8 bytes"), ([{"data": "*"}, x, {"float": 1}, {"int": 1}], "base64")):
            with self.subTest(arguments=arguments):
                _, (answer,), _ = judge({**start, "arguments": arguments})
                if words is None:  # an address that no buffer has
                    self.assertIn(answer["findings"][0]["code"], ("out-of-bounds", "misaligned"))
                else:
                    self.assertEqual(answer["error"]["code"], "bad-request")
                    self.assertIn(words, answer["error"]["message"])


TYPES = {  # of C++: struct's letter, the least and the largest whole number
    "unsigned char": ("B", 0, 2 ** 8 - 1), "short": ("h", -2 ** 15, 2 ** 15 - 1), "int": ("i", -2 ** 31, 2 ** 31 - 1),
    "unsigned": ("I", 0, 2 ** 32 - 1), "long long": ("q", -2 ** 63, 2 ** 63 - 1), "unsigned long long": ("Q", 0, 2 ** 64 - 1),
    "float": ("f", None, None), "double": ("d", None, None)}
NUMBERS = [0, 1, -1, 2, 127, 128, 255, 256, -129, 65535, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, -2 ** 31 - 1, 2 ** 32 - 1, 2 ** 32, 2 ** 63 - 1, 2 ** 63,
           2 ** 64 - 1, 2 ** 64, -2 ** 63, 0.5, -0.0, 1e-300, 1e300, 3.4e38, "nan", "inf", "-inf", "half", True, None, [1]]


def arriving(kind, number):
    """The bytes that the kernel sees, or None where the request is refused. Whole numbers may be given as signed or as unsigned."""
    letter, least, most = TYPES[kind]
    letter = "<" + letter  # a native "f" packs 1e300 as infinity and reports nothing
    if isinstance(number, (bool, list)) or number is None or number == "half" or (isinstance(number, int) and not -2 ** 63 <= number < 2 ** 64):
        return None
    try:
        if least is None:
            return struct.pack(letter, float(number))
        if not isinstance(number, int):
            return None
        size = struct.calcsize(letter)
        return number.to_bytes(size, "little", signed=number < 0) if -2 ** (8 * size - 1) <= number < 2 ** (8 * size) else None
    except OverflowError:
        return None


class Arguments(unittest.TestCase):
    def test_drawn_numbers_arrive_as_themselves(self):
        draw = draws.drawn("numbers for kernels")
        requests, wanted = [], []
        for number in range(draws.draws_of_run(10)):
            kinds = [draw.choice(list(TYPES)) for _ in range(3)]
            values = [draw.choice(NUMBERS) for _ in kinds]
            if number % 2:  # all fit, so that what arrives is seen
                values = [draw.choice([v for v in NUMBERS if arriving(kind, v) is not None]) for kind in kinds]
            stores = "".join(f"memcpy(out + {16 * i}, &p{i}, sizeof p{i});" for i in range(3))
            source = (f'extern "C" __global__ void keep(unsigned char* out, {", ".join(f"{kind} p{i}" for i, kind in enumerate(kinds))}) {{ {stores} }}\n')
            arguments = [{"name": "out", "data": base64.b64encode(bytes(48)).decode()},
                         *({"int" if isinstance(value, int) else "float": value} for value in values)]
            requests.append({"op": "launch", "source": source, "grid": 1, "block": 1, "arguments": arguments})
            arrive = [arriving(kind, value) for kind, value in zip(kinds, values)]
            wanted.append((kinds, values, None if None in arrive else b"".join(one.ljust(16, b"\0") for one in arrive)))
        _, answers, _ = judge(*requests)
        for (kinds, values, bits), answer in zip(wanted, answers):
            with self.subTest(kinds=kinds, values=values):
                if bits is None:
                    self.assertEqual(answer.get("error", {}).get("code"), "bad-request")
                else:
                    self.assertEqual(answer["findings"], [])
                    self.assertEqual(base64.b64decode(answer["buffers"]["out"]), bits)

    def test_buffers(self):
        """One buffer for two parameters; names that are there twice, not at all, or keys that nobody knows."""
        start = {"op": "launch", "source": SAXPY, "grid": 1, "block": 4}
        one = {"name": "y", "data": floats(1, 2, 3)}
        for arguments, wanted in (([one, {"buffer": "y"}], (3, 6, 9)), ([one, one], "too"), ([one, {"buffer": "x"}], "no earlier"),
                                  ([one, {"data": floats(1), "bytes": 4}], "one of"), ([one, {"data": floats(1), "nmae": "x"}], "nmae"),
                                  ([one, {"data": 5}], "text"), ([one, {"data": floats(1), "name": 5}], "text"), ([{"buffer": "y"}, one], "no earlier")):
            with self.subTest(arguments=arguments):
                _, (answer,), _ = judge({**start, "arguments": [*arguments, {"float": 2}, {"int": 3}]})
                if isinstance(wanted, str):
                    self.assertIn(wanted, answer["error"]["message"])
                else:
                    self.assertEqual(struct.unpack("3f", base64.b64decode(answer["buffers"]["y"])), wanted)


HOSTILE = {
    "endless": ('extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { while (true) out[0] = in[0]; }', None),
    "reads a file": ('#include "/etc/passwd"\n', "include-refused"),
    "bomb of templates": ('template <int N, int M> struct G { static constexpr long v = G<N - 1, M>::v + G<N - 1, M + (1 << N)>::v; };\n'
                          'template <int M> struct G<0, M> { static constexpr long v = M; };\n'
                          'extern "C" __global__ void transpose(float* o, const float* i, int r, int c) { o[0] = G<22, 0>::v; }', None),
    "empty": ("", "not-a-kernel"),
    "binary": ("\x00\x01\x02", "not-a-kernel"),
    "no kernel": ("int x;", None),
    "shared memory": ('extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) '
                      '{ __shared__ float a[1 << 20]; out[0] = a[threadIdx.x]; }', None),
}


class Hostile(unittest.TestCase):
    def test_each_costs_its_own_answer(self):
        walled = () if shutil.which("bwrap") else ("--no-sandbox",)
        requests = [{"id": name, "op": "check", "chapter": 1, "source": source} for name, (source, _) in HOSTILE.items()]
        code, answers, _ = judge(*requests, {"id": "after", "op": "check", "chapter": 5, "source": SOLUTION},
                                 words=(*walled, "--cpu-seconds", "10", "--memory", "2048"))
        self.assertEqual((code, [answer["id"] for answer in answers]), (0, [*HOSTILE, "after"]))
        for answer in answers[:-1]:
            with self.subTest(answer["id"]):
                self.assertFalse(answer.get("passed", False))
                wanted = HOSTILE[answer["id"]][1]
                found = [answer["error"]["code"]] if "error" in answer else [one["code"] for one in answer["findings"]]
                self.assertTrue(found)
                if wanted:
                    self.assertIn(wanted, found)
        self.assertTrue(answers[-1]["passed"])

    def test_sandbox_takes_no_file(self):
        if not shutil.which("bwrap"):
            self.skipTest("no bubblewrap")
        _, answers, _ = judge({"op": "check", "chapter": 1, "file": "/etc/passwd"}, {"op": "page", "source": SKELETON}, words=())
        self.assertEqual([answer["error"]["code"] for answer in answers], ["bad-request"] * 2)


class Requests(unittest.TestCase):
    def test_drawn(self):
        """Requests with keys taken out, added, of other types: an answer each, never an end."""
        draw = draws.drawn("requests of lab judge")
        whole = [{"op": "check", "chapter": 1, "source": "x"}, {"op": "explain", "code": "bank-conflict"},
                 {"op": "profile", "source": SKELETON, "rows": 8, "cols": 8, "elem_bytes": 4, "block": "32x8", "tile": "32x32"},
                 {"op": "launch", "source": SAXPY, "grid": 1, "block": 1, "shared_bytes": 0,
                  "arguments": [{"data": floats(1)}] * 2 + [{"float": 1}, {"int": 1}]}]
        values = [None, True, -1, 0, 2 ** 63, 1e300, "", "5", "é\x00", [], [1, 2, 3, 4], {}, {"int": 1}, [[]], "../../etc/passwd"]
        requests = []
        for number in range(draws.draws_of_run(24)):
            request = dict(draw.choice(whole), id=number)
            for _ in range(draw.randint(1, 2)):
                key = draw.choice([*request, "rows", "name", "entry", "cluster", "op"])
                if key != "id" and draw.random() < 0.3:
                    request.pop(key, None)
                elif key != "id":
                    request[key] = draw.choice(values)
            text = json.dumps(request)
            requests.append(text if draw.random() < 0.9 else text[:draw.randint(0, len(text) - 1)].replace("\n", " ") or "x")
        code, answers, _ = judge(*requests)
        self.assertEqual((code, len(answers)), (0, len(requests)))
        for request, answer in zip(requests, answers):
            with self.subTest(request=request):
                self.assertIn("cost", answer)
                self.assertTrue("error" in answer or "findings" in answer or "meaning" in answer, answer)
                if "error" in answer:
                    self.assertNotIn(answer["error"]["code"], ("judge-crashed", ""))

    def test_lines_that_are_no_requests(self):
        code, answers, _ = judge("", "nonsense", "[1]", '"text"', '{"op": "fly"}', "[" * 100000, '{"op": "explain", "code": "bank-conflict"}')
        self.assertEqual((code, len(answers)), (0, 7))
        self.assertEqual({answer["error"]["code"] for answer in answers[:-1]}, {"bad-request"})
        self.assertIn("check", answers[4]["error"]["message"])

    def test_drawn_streams(self):
        """Whatever comes on standard input, and however the client ends: an answer to each line, in order, and no file is left behind."""
        draw = draws.drawn("streams of lab judge")
        endless = 'extern "C" __global__ void k(float* out) { while (true) out[0] += 1; }\n'
        explain = b'{"op": "explain", "code": "bank-conflict", "id": %d}'
        kinds = {
            "explain": lambda n: explain % n, "garbage": lambda n: bytes(draw.choice(b"\0\r \xff{}[]\":,a1") for _ in range(draw.randint(0, 40))),
            "deep": lambda n: b"[" * draw.choice([10, 63, 64, 65, 5000]), "number": lambda n: draw.choice([b"1e999", b"-0", b"1" * 400, b"NaN"]),
            "surrogate": lambda n: b'{"op": "explain", "id": %d, "code": "\\ud800"}' % n, "twice": lambda n: b'{"op": "fly", "op": "explain", "id": %d}' % n,
            "returned": lambda n: explain % n + b"\r", "long": lambda n: b'{"id": %d, "op": "%s"}' % (n, b"x" * draw.choice([70_000, 17_000_000])),
            "id": lambda n: b'{"op": "explain", "code": "bank-conflict", "id": %s}' % draw.choice([b"null", b"[[1]]", b'"\\u0000"', b"1e308", b'{"a": 1}']),
            "endless": lambda n: json.dumps({"op": "launch", "source": endless, "grid": 1, "block": 1, "arguments": [{"bytes": 4}], "id": n}).encode()}
        for _ in range(draws.draws_of_run(2)):
            with self.subTest(), tempfile.TemporaryDirectory() as folder:
                named = [draw.choice(list(kinds)[:-1]) for _ in range(draw.randint(1, 12))]
                if draw.random() < 0.5:
                    named.insert(draw.randint(0, len(named)), "endless")
                lines = [kinds[name](number) for number, name in enumerate(named)]
                text = b"\n".join(lines) + (b"\n" if draw.random() < 0.5 or not lines[-1] else b"")
                words = ["--no-sandbox", "--cpu-seconds", "0.5", "--memory", "64", "-j", str(draw.choice([1, 2, 5]))]
                done = subprocess.run([PROGRAM, "judge", "--stdin", *words], input=text, capture_output=True, timeout=300,
                                      env={**os.environ, "LAB_ROOT": str(ROOT), "TMPDIR": folder})
                answers = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual((done.returncode, len(answers)), (0, len(lines)), (named, done.stderr))
                for number, (name, answer) in enumerate(zip(named, answers)):
                    self.assertTrue("error" in answer or name in ("explain", "returned", "id"), (name, answer))
                    self.assertEqual(answer["id"], number if name in ("explain", "returned", "endless") else answer["id"])
                    self.assertNotEqual(answer.get("error", {}).get("code"), "judge-crashed")
                self.assertEqual(os.listdir(folder), [], named)

    def test_drawn_large_trees(self):
        """A line of megabytes that is nothing but small values costs the service neither minutes nor gigabytes. A GiB of them once cost it 40."""
        draw = draws.drawn("large trees for lab judge")
        for _ in range(draws.draws_of_run(2)):
            piece, count = draw.choice(["[]", '""', "7", '{"": 0}', "[[],[]]", "key"]), draw.choice([70_000, 400_000])
            line = "{%s}" % ",".join(f'"k{n}":{n}' for n in range(count)) if piece == "key" else "[%s]" % ",".join([piece] * count)
            with self.subTest(piece=piece, count=count), tempfile.TemporaryFile("w+") as lines:
                lines.write(line + "\n" + json.dumps({"op": "explain", "code": "bank-conflict"}) + "\n")
                lines.seek(0)
                process = subprocess.Popen([PROGRAM, "judge", "--stdin", "--no-sandbox"], stdin=lines, stdout=subprocess.PIPE,
                                           env={**os.environ, "LAB_ROOT": str(ROOT)})
                first, second = map(json.loads, process.stdout)
                process.stdout.close()
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual((first["error"]["code"], second["code"], process.returncode), ("bad-request", "bank-conflict", 0))
                self.assertLess(used.ru_maxrss, 200 << 10)
                self.assertLess(used.ru_utime + used.ru_stime, 5)

    def test_clients_that_go(self):
        """Killed, ended or without a reader while it works: no process and no file stays."""
        slow = json.dumps({"op": "launch", "source": 'extern "C" __global__ void k(float* out) { while (true) out[0] += 1; }\n', "grid": 1, "block": 1,
                           "arguments": [{"bytes": 4}]})
        for ends in ("SIGTERM", "no reader"):
            with self.subTest(ends), tempfile.TemporaryDirectory() as folder:
                process = subprocess.Popen([PROGRAM, "judge", "--stdin", "--no-sandbox", "--cpu-seconds", "2"], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, env={**os.environ, "LAB_ROOT": str(ROOT), "TMPDIR": folder})
                process.stdin.write(slow.encode() + b"\n")
                process.stdin.flush()
                while not os.listdir(folder):
                    time.sleep(0.01)
                if ends == "SIGTERM":
                    process.terminate()
                else:
                    process.stdout.close()
                self.assertEqual(process.wait(60), 0)
                self.assertEqual(os.listdir(folder), [])
                process.stdin.close()
                process.stdout.close()

    def test_stdin_is_asked_for(self):
        done = subprocess.run([PROGRAM, "judge"], capture_output=True, text=True, input="")
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
