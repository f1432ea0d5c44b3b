"""The repository's address: every file names the one of pyproject.toml, and one command changes all of them.

Enters: git. Leaves: one unittest verdict."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
if not (ROOT / ".git").exists():  # an archive: nothing says which files are the project's
    raise SystemExit(77)


def address(tree: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, tree / "tools/address", *words], capture_output=True, text=True)


class Address(unittest.TestCase):
    def test_it_is_written_once(self) -> None:
        self.assertIn(address(ROOT, "--check").returncode, (0, 1))

    def test_a_new_one_reaches_every_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            listed = ["git", "-C", ROOT, "ls-files", "-z", "*.md", "*.toml", "*.yml", "*.cff", "tools/address", "notebooks"]
            tracked = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0")
            for name in filter(None, tracked):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, tree / name)
            subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
            subprocess.run(["git", "add", "."], cwd=tree, check=True)
            self.assertEqual(address(tree, "ada/transpose-lab").returncode, 0)
            done = address(tree, "--check")
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertIn("git clone https://github.com/ada/transpose-lab ", (tree / "README.md").read_text(encoding="utf-8"))
            readme = tree / "README.zh.md"
            readme.write_text(readme.read_text(encoding="utf-8").replace("github.com/ada/", "github.com/bob/", 1), encoding="utf-8")
            done = address(tree, "--check")
            self.assertEqual(done.returncode, 2)
            self.assertIn("README.zh.md", done.stdout)
            for wrong in ("ada", "ada/other", "ada b/transpose-lab"):
                self.assertEqual(address(tree, wrong).returncode, 2)


if __name__ == "__main__":
    unittest.main()
