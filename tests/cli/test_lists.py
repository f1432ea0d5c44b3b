"""Facts that other places repeat: each list beside its source.

Enters: LAB_PROGRAM, the built program; docs/, data/, python/. Leaves: one unittest verdict. A row that is added in one place fails here
until it stands in the other."""
import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAB = os.environ["LAB_PROGRAM"]
GPUS = {path.stem for path in (ROOT / "data/gpus").glob("*.toml")}


def said(*words: str) -> str:
    done = subprocess.run([LAB, "--lang", "en", *words], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "400"})
    return done.stdout


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def options_in_help(text: str) -> set[str]:
    return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.M)) - {"--help"}


class Run(unittest.TestCase):
    def test_its_page_has_each_option(self) -> None:
        rows = set(re.findall(r"^\| `(--[a-z-]+)[^`]*` \|", read("docs/run.md"), re.M))
        self.assertEqual(rows, options_in_help(said("run", "--help")))

    def test_shells_complete_each_option(self) -> None:
        for shell in ("bash", "zsh", "fish"):
            script = said("completion", shell)
            for option in options_in_help(said("run", "--help")):
                self.assertIn(option if shell != "fish" else f"-l {option[2:]}", script, shell)


class Gpus(unittest.TestCase):
    """data/gpus has them; the build takes each, and pages that list some list all."""

    def test_the_build_takes_each(self) -> None:
        self.assertEqual(set(re.findall(r"data/gpus/(\w+)\.toml", read("common/gpu/device/meson.build"))), GPUS)

    def test_help_names_each(self) -> None:
        for words in (("run",), ("inspect", "limits")):
            named = re.search(r"--gpu \w+:\{([^}]*)\}", said(*words, "--help"))
            self.assertEqual(set(named[1].split(",")) if named else set(), GPUS, words)

    def test_pages_list_all_or_one(self) -> None:
        """In one sentence or row: the H200 and the H100 were measured, so those two may stand alone."""
        for page in sorted(ROOT.glob("docs/*.md")):
            for line in page.read_text(encoding="utf-8").split("\n"):
                named = {gpu for gpu in GPUS if re.search(rf"`{gpu}`", line)}
                if len(named) > 2:
                    self.assertEqual(named, GPUS, f"{page.name}: {line[:100]}")


# Where the code of a message stands in the source: given to it, or the first literal of a statement that fails.
CODES = (r'\bcode = (?:[^;"]*\? )?"([a-z-]+)"', r'\? "[a-z]+-[a-z]+" : "([a-z]+-[a-z]+)"', r'\? "([a-z]+-[a-z]+)" : "[a-z]+-[a-z]+"',
         r'\b(?:about|that|exactly|at_most|within|found|for_all_sizes|error_answer|RequestError)\([^;"]*"([a-z]+(?:-[a-z]+)*)"',
         r'not_judged\([^;]*?"[a-z]+",\s*"([a-z-]+)"', r'(?:mismatch = |refuse\(result, )\{"([a-z-]+)"', r'return "([a-z]+(?:-[a-z]+)+)";',
         r'constexpr const char\* k\w+ = "([a-z]+-[a-z-]+)"',
         r'\{"([a-z]+(?:-[a-z]+)+)", k[A-Z]\w+\}', r'"\{\}: \{\}", std::string\("([a-z]+)"\)')
UNEXPLAINED = {"bad-budget", "bad-request", "environment", "error", "failed", "none", "not-judged-yet"}


class Codes(unittest.TestCase):
    def test_each_is_explained(self) -> None:
        files = [file for folder in ("common", "tests/chapters") for end in ("cpp", "h") for file in (ROOT / folder).rglob(f"*.{end}")]
        text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.name != "explain.cpp")
        codes = {code for pattern in CODES for code in re.findall(pattern, text)} - UNEXPLAINED
        asked = "".join(json.dumps({"op": "explain", "code": code}) + "\n" for code in sorted(codes))
        done = subprocess.run([LAB, "judge", "--stdin", "--no-sandbox"], input=asked, capture_output=True, text=True, check=True)
        self.assertEqual([line for line in done.stdout.splitlines() if "meaning" not in json.loads(line)], [])
        self.assertGreater(len(codes), 80)


class Packages(unittest.TestCase):
    def test_the_pip_package_has_each_module(self) -> None:
        listed = re.search(r"foreach module : \[(.*?)\]", read("python/meson.build"), re.S)
        modules = set(re.findall(r"'(\w+)'", listed[1])) if listed else set()
        self.assertEqual(modules, {path.stem for path in (ROOT / "python/transpose_lab").glob("*.py")})


if __name__ == "__main__":
    unittest.main()
