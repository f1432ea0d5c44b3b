"""`lab run --budget --sarif`, drawn: budgets around what was counted, files that are no budget, programs and files of any name, SARIF that its schema takes.

Enters: LAB_PROGRAM; nvcc; a seed, printed (LAB_SEED repeats it). Leaves: one unittest verdict. What a budget should find is worked out here, from the
counts of `--json`."""
import fnmatch
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/drawn")]
import draws  # noqa: E402
import schemas  # noqa: E402

if not shutil.which("nvcc"):
    raise SystemExit(77)

KERNELS = """namespace deep {
template <class T, int N> struct Row { T x[N]; };
template <class T> __global__ void fill(T* p, int n) { if (threadIdx.x < n) ((char*)p)[threadIdx.x] += 1; }
}
template <int (*F)(int)> __global__ void apply(int* p) { p[(blockIdx.x * 32 + threadIdx.x) * 8] = F(3); }
__device__ int next(int x) { return x + 1; }
extern "C" __global__ void turn(int* p) {
  __shared__ int s[32 * 4];
  p += 32 * blockIdx.x;
  s[threadIdx.x * 4] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[(31 - threadIdx.x) * 4];
}
__global__ void nothing() {}
__global__ void behind(int* p) { p[1024] = 1; }
"""
MAIN = """#include <cstdlib>
int main(int count, char** words) {
  int* p;
  cudaMalloc(&p, 1 << 12);
  cudaMemset(p, 0, 1 << 12);
  deep::fill<deep::Row<int, 3>><<<1, 32>>>((deep::Row<int, 3>*)p, 32);
  deep::fill<int[3]><<<1, 9>>>((int(*)[3])p, 32);
  apply<next><<<2, 32>>>(p);
  turn<<<1, 32>>>(p);
  turn<<<3, 32>>>(p);
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  cudaFree(p);
  return count > 1 ? std::atoi(words[1]) : 0;
}
"""
NAMES = ["deep::fill<deep::Row<int, 3> >", "deep::fill<int [3]>", "apply<&(next(int))>", "turn", "turn", "nothing"]
LIMITS = {"sectors": ("global", "sectors", 1), "wavefronts": ("shared", "wavefronts", 1),
          "sectors_per_ideal": ("global", "sectors", 0), "wavefronts_per_ideal": ("shared", "wavefronts", 0)}
VALID = b'{"turn*": {"sectors": 100, "wavefronts_per_ideal": 1.5}, "nothing": {"sectors": 0}}'


def pattern(draw: random.Random) -> str:
    name = draw.choice(NAMES)
    begin, end = sorted(draw.choices(range(len(name) + 1), k=2))
    return draw.choice([name, name[:begin] + "*" + name[end:], name[:begin] + "*", "*" + name[end:], "**", "*", name + "x", name[:1] + "?*", ""])


def budget(draw: random.Random, launches: list[dict]) -> dict:
    """Limits below, at and above what some launch counted, and far from it."""
    made: dict = {}
    for _ in range(draw.randint(1, 4)):
        limits = {}
        for key in draw.sample(list(LIMITS), draw.randint(1, 4)):
            space, unit, whole = LIMITS[key]
            total = draw.choice(launches)["totals"][space]
            cost, ideal = total[unit], total["ideal_" + unit]
            if whole:
                limits[key] = draw.choice([max(0, cost - 1), cost, cost + 1, 0, 2 ** 64 - 1])
            else:
                limits[key] = max(1, draw.choice([cost / max(ideal, 1), (cost - 0.5) / max(ideal, 1), 1, 1.0, 1.05, 1e300]))
        made[pattern(draw)] = limits
    return made


def over(budgets: dict, launches: list[dict]) -> set:
    """(title, unit, counted) of what is over; (pattern, None, None) where a budget names no kernel."""
    found = set()
    for name, limits in budgets.items():
        literal = "".join(f"[{c}]" if c in "[?" else c for c in name)
        rows = [(short, row["totals"]) for short, row in zip(NAMES, launches)
                if fnmatch.fnmatchcase(short, literal) or fnmatch.fnmatchcase(row["kernel"], literal)]
        if not rows:
            found.add((name, None, None))
        for short, totals in rows:
            for key, limit in limits.items():
                space, unit, whole = LIMITS[key]
                most = limit if whole else math.floor(limit * totals[space]["ideal_" + unit] + 1e-9)
                if totals[space][unit] > most:
                    found.add((short, unit, totals[space][unit]))
    return found


def reported(result: dict) -> tuple:
    title, _, text = result["message"]["text"].rpartition(": ")
    for unit in ("sectors", "wavefronts"):
        number, found, _ = text.partition(" " + unit)
        if found:
            return title, unit, int(number.replace(" ", ""))
    return title.removesuffix(": The budget names a kernel that the program did not launch"), None, None


def broken(draw: random.Random) -> tuple[str, bytes]:
    """A budget file with one thing wrong."""
    value = draw.choice([b"-1", b"1.5", b"1e400", b"-0.5", b"18446744073709551616", b'"1"', b"null", b"[1]", b"{}", b"true", b"NaN"])
    kinds = {
        "cut": lambda: VALID[:draw.randrange(1, len(VALID))], "value": lambda: VALID.replace(b"100", value),
        "key": lambda: VALID.replace(b"sectors", draw.choice([b"sector", b"Sectors", b"", b"requests"])),
        "twice": lambda: VALID.replace(b'"nothing"', b'"turn*"'), "limit twice": lambda: VALID.replace(b"wavefronts_per_ideal", b"sectors"),
        "no limit": lambda: b'{"turn": {}}',
        "no object": lambda: draw.choice([b"", b"[]", b"{}", b"3", b"null", b'{"turn": 3}', b'{"turn": [1]}', b"\xff\xfe", b"\0"]),
        "deep": lambda: b'{"turn": {"sectors": ' + b"[" * 70 + b"]" * 70 + b"}}",
        "behind": lambda: VALID + draw.choice([b"x", b"{}", VALID]),
        "multiple": lambda: VALID.replace(b"1.5", draw.choice([b"0.9", b"0", b"-3", b'"2"', b"1e999", b"false"]))}
    kind = draw.choice(list(kinds))
    return kind, kinds[kind]()


class Drawn(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)

    def run_lab(self, *words: str) -> tuple[int, list[dict], str]:
        sarif = self.at / "lab.sarif"
        sarif.unlink(missing_ok=True)
        done = subprocess.run([os.environ["LAB_PROGRAM"], "run", "--sarif", "lab.sarif", *words], cwd=self.at, capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, LAB_ROOT=str(ROOT), LAB_LANG="en"))
        self.assertTrue(sarif.exists(), done.stderr)
        log = json.loads(sarif.read_text(encoding="utf-8"))
        self.assertEqual(schemas.rejected(schemas.SARIF, log), [])
        return done.returncode, log["runs"][0]["results"], done.stderr

    def test_budgets(self) -> None:
        draw = draws.drawn("budgets")
        (self.at / "program.cu").write_text(KERNELS + MAIN, encoding="utf-8")
        self.assertEqual(self.run_lab("--json", "counted.json", "program.cu")[:2], (0, []))
        launches = json.loads((self.at / "counted.json").read_text(encoding="utf-8"))
        self.assertEqual(len(launches), len(NAMES))
        for _ in range(draws.draws_of_run(12)):
            chosen, own = budget(draw, launches), draw.choice([0, 0, 3])
            (self.at / "b.json").write_text(json.dumps(chosen), encoding="utf-8")
            with self.subTest(budget=chosen, own=own):
                code, results, _ = self.run_lab("--budget", "b.json", "program.cu", "--", str(own))
                wanted = over(chosen, launches)
                self.assertEqual(set(map(reported, results)), wanted)
                self.assertEqual(code, own or (1 if wanted else 0))
        for _ in range(draws.draws_of_run(12)):
            kind, file = broken(draw)
            (self.at / "b.json").write_bytes(file)
            with self.subTest(kind=kind, file=file):
                code, results, said = self.run_lab("--budget", "b.json", "program.cu")
                self.assertEqual((code, [one["ruleId"] for one in results]), (2, ["bad-budget"]), said)
                self.assertIn("b.json", said)

    def test_programs_and_names(self) -> None:
        """Whatever is wrong and whatever the file is called: a log that the schema takes, which names that file and a line of it."""
        draw = draws.drawn("programs with findings")
        wrongs = {"none": ("", ""), "bounds": ("nothing<<<1, 1>>>()", "behind<<<1, 1>>>(p)"), "race": ("  __syncthreads();\n", ""),
                  "compile": ("cudaFree(p)", "cudaFree(q)"), "link": ("__device__ int next(int x) { return x + 1; }", "__device__ int next(int x);"),
                  "header": ("#include <cstdlib>", "#include <no_such_header.h>"), "dies": ("cudaFree(p);", "std::abort();"),
                  "nothing": (KERNELS + MAIN, "")}
        for _ in range(draws.draws_of_run(2)):
            folder = self.at / draw.choice([".", "a b", "é%20", "内核", "x#y?z"])
            folder.mkdir(exist_ok=True)
            file = folder / (draw.choice(["k", "my kernel", "50%", "ü", "转置", "a+b", "it's"]) + ".cu")
            kind = draw.choice(list(wrongs))
            file.write_text((KERNELS + MAIN).replace(*wrongs[kind]), encoding="utf-8")
            name = str(file.relative_to(self.at))
            with self.subTest(kind=kind, name=name):
                code, results, said = self.run_lab("--strict", name)
                self.assertEqual((code == 0, results == []), (kind == "none", kind in ("none", "dies")), said)
                for result in results:
                    place = result["locations"][0]["physicalLocation"]
                    self.assertEqual(urllib.parse.unquote(place["artifactLocation"]["uri"]), name)
                    self.assertLessEqual(place["region"]["startLine"], max(1, file.read_text(encoding="utf-8").count("\n")))


if __name__ == "__main__":
    unittest.main()
