"""The notebooks are what the lessons make, and every cell of them runs.

Enters: LAB_PROGRAM; nbclient and ipykernel for the second part. Leaves: one unittest verdict. In a chapter's notebook the skeleton stands: its card
is read, then the cell gets the solution and must pass. With LAB_NOTEBOOKS=FOLDER the executed notebooks are written there, to be looked at."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HAS = all(map(importlib.util.find_spec, ("nbclient", "nbformat", "ipykernel")))
KEPT = os.environ.get("LAB_NOTEBOOKS")


def output_of(cell) -> str:
    parts = []
    for output in cell.outputs:
        parts += [output.get("text", ""), *output.get("data", {}).values()]
    return "\n".join(part if isinstance(part, str) else str(part) for part in parts)


class Notebooks(unittest.TestCase):
    def test_made_from_the_lessons(self) -> None:
        done = subprocess.run([sys.executable, str(ROOT / "tools/notebooks.py"), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_chinese_notebook_has_chinese_cards(self) -> None:
        for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
            self.assertEqual("LAB_LANG', 'zh'" in file.read_text(encoding="utf-8"), ".zh." in file.name, file.name)

    @unittest.skipUnless(HAS, "no nbclient and ipykernel (./lab test --full installs them)")
    def test_every_cell_runs(self) -> None:
        for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
            with self.subTest(file.name):
                self.execute(file)

    def execute(self, file: pathlib.Path) -> None:
        import nbclient
        import nbformat
        notebook = nbformat.read(file, as_version=4)
        nbformat.validate(notebook)
        kernels = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.startswith("%%lab_check")]
        if not file.name.startswith("start"):
            self.assertEqual(len(kernels), 1)
            name = file.name.split(".")[0]
            solution = (ROOT / "solutions" / name / "transpose.cu").read_text(encoding="utf-8")
            solved = nbformat.v4.new_code_cell(kernels[0].source.split("\n")[0] + " --page\n" + solution)
            notebook.cells.insert(notebook.cells.index(kernels[0]) + 1, solved)
        os.environ["LAB_ROOT"] = str(ROOT)
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT / "notebooks")}}).execute()
        if KEPT:
            pathlib.Path(KEPT).mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, str(pathlib.Path(KEPT, file.name)))
        if file.name.startswith("start"):
            self.assertIn("True", "".join(map(output_of, [cell for cell in notebook.cells if cell.cell_type == "code"])))
            return
        self.assertNotIn("✓ passed", output_of(kernels[0]))
        self.assertIn("<iframe", output_of(solved))
        self.assertIn("PASS", output_of(solved).upper())


if __name__ == "__main__":
    unittest.main()
