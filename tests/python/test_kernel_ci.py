"""The action and the templates of examples/kernel_ci: their YAML is read, and their commands run on the example, as it is and with mistakes.

Enters: LAB_PROGRAM; nvcc. Leaves: one unittest verdict."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    raise SystemExit(77) from None  # skipped: nothing reads YAML here
if not shutil.which("nvcc"):
    raise SystemExit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/drawn")]
import schemas  # noqa: E402

EXAMPLE = ROOT / "examples/kernel_ci"
NO_PADDING = ("[kTile][kTile + 1]", "[kTile][kTile]")
NO_BARRIER = ("  __syncthreads();\n", "")
OUT_OF_BOUNDS = ("if (row < rows && col < cols) out[", "out[rows + ")
MISTAKES = [(NO_PADDING, "over-budget", "tile[x][y]"), (NO_BARRIER, "shared-race", "tile["), (OUT_OF_BOUNDS, "out-of-bounds", "out[")]
BUDGETS = [('{"no_such_kernel": {"sectors": 1}}', 1), ('{"transpose*": {"sectors": 300000}}', 0), ('{"transpose*": {"sectors": 100000}}', 1)]
NO_BUDGETS = ["", "[]", "{}", '{"a": 1}', '{"a": {}}', '{"a": {"sector": 1}}', '{"a": {"sectors": -1}}', '{"a": {"sectors": 1.5}}',
              '{"a": {"sectors_per_ideal": 0.9}}']


class KernelCi(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        for file in EXAMPLE.iterdir():
            shutil.copy(file, self.at)
        (self.at / "transpose-lab").mkdir()
        (self.at / "transpose-lab/lab").symlink_to(os.environ["LAB_PROGRAM"])
        self.env = dict(os.environ, LAB_ROOT=str(ROOT), GITHUB_ACTION_PATH=str(self.at / "transpose-lab"), GITHUB_STEP_SUMMARY=str(self.at / "summary"))

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.at / file).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (self.at / file).write_text(text.replace(old, new), encoding="utf-8")

    def gitlab(self) -> tuple[int, list[dict]]:
        job = yaml.safe_load((EXAMPLE / "gitlab.yml").read_text(encoding="utf-8"))["kernels"]
        return self.results(" && ".join(job["script"]))

    def action(self) -> tuple[int, list[dict]]:
        asked = yaml.safe_load((EXAMPLE / "github.yml").read_text(encoding="utf-8"))["jobs"]["kernels"]["steps"][1]["with"]
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        given = {name: asked.get(name, row.get("default", "")) for name, row in action["inputs"].items()}
        step = action["runs"]["steps"][-1]
        self.env |= {name: given[word.split(".")[1].rstrip(" }")] for name, word in step["env"].items()}
        return self.results(step["run"])

    def results(self, script: str) -> tuple[int, list[dict]]:
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.at, env=self.env, capture_output=True, text=True, timeout=300)
        sarif = self.at / "lab.sarif"
        self.assertTrue(sarif.exists(), done.stdout + done.stderr)
        log = json.loads(sarif.read_text(encoding="utf-8"))
        self.assertEqual(schemas.rejected(schemas.SARIF, log), [])
        return done.returncode, log["runs"][0]["results"]

    @unittest.skipUnless(importlib.util.find_spec("check_jsonschema"), "no check-jsonschema (./lab test --full installs it)")
    def test_files_are_what_their_readers_expect(self) -> None:
        """As GitHub and GitLab publish it; without a key that each needs, they are not."""
        for kind, file, needed in (("github-actions", ROOT / "action.yml", "runs"), ("github-workflows", EXAMPLE / "github.yml", "jobs"),
                                   ("github-workflows", ROOT / ".github/workflows/ci.yml", "jobs"),
                                   ("github-workflows", ROOT / ".github/workflows/release.yml", "jobs"), ("gitlab-ci", EXAMPLE / "gitlab.yml", "script")):
            text = file.read_text(encoding="utf-8")
            for changed, exit_code in ((text, 0), (text.replace(f"{needed}:", f"{needed}_:"), 1)):
                (self.at / "checked.yml").write_text(changed, encoding="utf-8")
                done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{kind}", "checked.yml"],
                                      cwd=self.at, capture_output=True, text=True)
                self.assertEqual(done.returncode, exit_code, f"{kind}: {done.stdout}")

    def test_as_it_is(self) -> None:
        self.assertEqual(self.gitlab(), (0, []))
        self.assertEqual(self.action(), (0, []))
        summary = (self.at / "summary").read_text(encoding="utf-8")
        before, table, after = summary.split("~~~~~")  # a fence around it, or its columns would be one paragraph
        self.assertIn("transpose_tile", table)
        self.assertEqual((before.count("exit 0"), after.strip()), (1, ""))

    def test_a_program_that_prints_much(self) -> None:
        """GitHub takes no summary of more than 1 MiB. Files of the repository stay."""
        self.change("transpose.cu", "int main() {", 'int main() {\n  for (int line = 0; line < 200000; ++line) printf("line %d\\n", line);')
        (self.at / "lab-run.txt").write_text("mine")
        self.assertEqual(self.action(), (0, []))
        summary = (self.at / "summary").read_text(encoding="utf-8")
        self.assertLess(len(summary), 1 << 20)
        self.assertIn("transpose_tile", summary)
        self.assertEqual((self.at / "lab-run.txt").read_text(), "mine")

    def test_an_access_without_a_line(self) -> None:
        """nvcc makes one store of two that a condition chooses from, and gives it line 0, which no editor has."""
        self.change("transpose.cu", "out[col * rows + row] = in[row * cols + col];",
                    'asm volatile(".loc 1 0 0\\n st.global.f32 [%0], %1;" ::"l"(out + col * rows + row), "f"(in[row * cols + col]) : "memory");')
        self.assertEqual(self.action(), (0, []))
        summary = (self.at / "summary").read_text(encoding="utf-8")
        self.assertRegex(summary, r"transpose_naive +transpose\.cu +global store")

    def test_mistakes(self) -> None:
        """Each is named by its code, at a line that has to do with it."""
        for (old, new), code, words in MISTAKES:
            with self.subTest(code):
                shutil.copy(EXAMPLE / "transpose.cu", self.at)
                self.change("transpose.cu", old, new)
                exit_code, results = self.action()
                self.assertNotEqual(exit_code, 0)
                first = next(one for one in results if one["ruleId"] == code)
                place = first["locations"][0]["physicalLocation"]
                self.assertEqual(place["artifactLocation"]["uri"], "transpose.cu")
                line = (self.at / "transpose.cu").read_text(encoding="utf-8").splitlines()[place["region"]["startLine"] - 1]
                self.assertIn(words, line)

    def test_budgets_that_say_nothing(self) -> None:
        run = "transpose-lab/lab run --budget budget.json --sarif lab.sarif transpose.cu"
        for budget, exit_code in BUDGETS:
            (self.at / "budget.json").write_text(budget, encoding="utf-8")
            got, results = self.results(run)
            self.assertEqual((got, len(results)), (exit_code, exit_code), budget)
        for budget in NO_BUDGETS:
            (self.at / "budget.json").write_text(budget, encoding="utf-8")
            (self.at / "lab.sarif").unlink(missing_ok=True)
            got, results = self.results(run)
            self.assertEqual((got, [one["ruleId"] for one in results]), (2, ["bad-budget"]), budget)
            self.assertEqual(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "budget.json")


if __name__ == "__main__":
    unittest.main()
