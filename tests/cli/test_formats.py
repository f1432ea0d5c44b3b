"""`lab check --format`: what editors, GitHub and readers of SARIF get is what the card says.

Enters: LAB_PROGRAM, the built program; a seed, printed (LAB_SEED repeats it). Leaves: one unittest verdict."""
import json
import re
import sys
import unittest
import urllib.parse

from sandbox import SOURCE, Clone

sys.path[:0] = [str(SOURCE / "tests/drawn")]
import draws  # noqa: E402
import schemas  # noqa: E402

LINE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):1: (?P<level>error|warning): (?P<text>.*) \[(?P<code>[\w-]+)\]")
COMMAND = re.compile(r"::(?P<level>error|warning) file=(?P<file>[^,:]+),line=(?P<line>\d+),title=(?P<title>[^,:]*)::(?P<text>.*)")
KERNELS = sorted(file.stem for file in (SOURCE / "tests/mutants/course").glob("*.cu") if "_page_" not in file.stem)


def unescaped(text):
    return re.sub("%([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), text)


class Formats(unittest.TestCase):
    def setUp(self):
        self.clone = Clone()
        self.addCleanup(self.clone.folder.cleanup)

    def both(self, *words):
        """What --json says, and the places of the three formats."""
        code, card = self.clone.json("check", *words)
        texts = {}
        for name in ("lines", "github", "sarif"):
            got, texts[name], err = self.clone.lab("check", *words, "--format", name)
            self.assertEqual((got, err), (code, ""))
        lines = [LINE.fullmatch(line) for line in texts["lines"].splitlines()]
        commands = [COMMAND.fullmatch(line) for line in texts["github"].splitlines()]
        self.assertNotIn(None, lines)
        self.assertNotIn(None, commands)
        log = json.loads(texts["sarif"])
        self.valid(log)
        return card, lines, commands, log["runs"][0]

    def valid(self, log):
        self.assertEqual(schemas.rejected(schemas.SARIF, log), [])
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        run = log["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        for result in run["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertIn(result["level"], ("error", "warning"))
            place = result["locations"][0]["physicalLocation"]
            self.assertGreaterEqual(place["region"]["startLine"], 1)
            self.assertRegex(place["artifactLocation"]["uri"], r"^(file://)?[\w%./~-]+$")

    def test_all_say_what_the_card_says(self):
        for mutant in ["05_wrong_prediction", *draws.drawn("mutants in formats").sample(KERNELS, draws.draws_of_run(4))]:
            with self.subTest(kernel=mutant):
                name = next((SOURCE / "chapters").glob(mutant[:2] + "_*")).name
                self.clone.kernel(name).write_text((SOURCE / f"tests/mutants/course/{mutant}.cu").read_text())
                card, lines, commands, run = self.both(mutant[:2])
                if not any(case["reached"] for case in card["cases"]):
                    self.assertEqual({line["code"] for line in lines}, {"does-not-compile"})
                    continue
                reasons = [(case, reason) for case in card["cases"] if not case["passed"] and case["reached"] for reason in case["reasons"]]
                self.assertEqual([len(lines), len(commands), len(run["results"])], [len(reasons)] * 3)
                self.assertGreater(len(reasons), 0)
                for (case, reason), line, command, result in zip(reasons, lines, commands, run["results"]):
                    level = "warning" if case["kind"] == "prediction" else "error"
                    file, at = f"chapters/{name}/transpose.cu", reason.get("line", 1)
                    self.assertEqual((line["file"], int(line["line"]), line["level"], line["code"]), (file, at, level, reason["code"]))
                    self.assertEqual((command["file"], int(command["line"]), command["level"]), (file, at, level))
                    place = result["locations"][0]["physicalLocation"]
                    self.assertEqual((place["artifactLocation"]["uri"], place["region"]["startLine"], result["level"], result["ruleId"]),
                                     (file, at, level, reason["code"]))
                    no_addresses = [re.sub("0x[0-9a-f]+", "0x", text) for text in
                                    (reason["message"], unescaped(command["text"]), result["message"]["text"], line["text"])]
                    self.assertTrue(no_addresses[1].startswith(no_addresses[0]))
                    self.assertIn(no_addresses[0], no_addresses[2])
                    self.assertIn(no_addresses[0].replace("\n", " "), no_addresses[3])

    def test_a_pass_says_nothing(self):
        card, lines, commands, run = self.both("5", "--solution")
        self.assertEqual((card["passed"], lines, commands, run["results"]), (True, [], [], []))

    def test_each_error_of_the_compiler_has_its_place(self):
        self.clone.kernel().write_text(self.clone.skeleton() + "\nint a = nothing1;\nint b = nothing2;\n")
        last = len(self.clone.kernel().read_text().split("\n"))
        _, lines, commands, run = self.both("5")
        self.assertEqual([(line["file"], int(line["line"]), line["code"]) for line in lines],
                         [("chapters/05_padding/transpose.cu", last - 2, "does-not-compile"),
                          ("chapters/05_padding/transpose.cu", last - 1, "does-not-compile")])
        self.assertEqual([len(commands), len(run["results"])], [2, 2])
        self.assertIn("nothing1", commands[0]["text"])

    def test_names_of_files_are_escaped(self):
        kernel = self.clone.root / "mein, 50% transposé.cu"
        kernel.write_text(self.clone.skeleton())
        _, out, _ = self.clone.lab("check", "5", "--kernel", str(kernel), "--format", "github")
        first = COMMAND.fullmatch(out.splitlines()[0])
        self.assertEqual(urllib.parse.unquote(first["file"]), kernel.name)
        log = json.loads(self.clone.lab("check", "5", "--kernel", str(kernel), "--format", "sarif")[1])
        self.valid(log)
        uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertEqual(urllib.parse.unquote(uri), kernel.name)

    def test_json_is_json_and_others_are_named(self):
        card = json.loads(self.clone.lab("check", "5", "--format", "json")[1])
        self.assertEqual((card["chapter"], card["cases"]), ("05_padding", self.clone.json("check", "5")[1]["cases"]))
        for words in (["--format", "xml"], ["--json", "--format", "sarif"]):
            self.assertEqual(self.clone.lab("check", "5", *words)[0], 2)


if __name__ == "__main__":
    unittest.main()
