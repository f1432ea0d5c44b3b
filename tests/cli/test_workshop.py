"""`lab doctor --workshop` on this machine, well and spoilt, and `lab doctor --room` over records of many laptops.

Enters: LAB_PROGRAM. Leaves: unittest's verdict. Records of the room are made up from one that this machine wrote."""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LAB = os.environ.get("LAB_PROGRAM", "build/common/cli/lab")


def run(*words, **variables):
    environment = {**os.environ, "LAB_LANG": "en", "LC_ALL": "C.UTF-8", **variables}
    done = subprocess.run([LAB, *words], capture_output=True, text=True, env=environment, timeout=250)
    return done.returncode, done.stdout, done.stderr


class Laptop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.code, out, cls.err = run("doctor", "--workshop", "--json")
        cls.laptop = json.loads(out)
        cls.rows = {row["name"]: row for row in cls.laptop["rows"]}

    def test_rows(self):
        self.assertLessEqual({"system", "processor", "memory", "disk", "clock", "terminal", "letters", "course", "program",
                              "saving files"}, set(self.rows))
        for row in self.rows.values():
            self.assertIn(row["state"], ("good", "mind", "bad"))
            self.assertTrue(row["found"], row)
            self.assertEqual(bool(row["advice"]), row["state"] != "good", row)

    def test_verdict_follows_from_rows(self):
        bad = [row for row in self.rows.values() if row["state"] == "bad"]
        self.assertEqual(self.laptop["ready"], not bad)
        self.assertEqual(self.code, 3 if bad else 0)

    def test_kernels_were_judged(self):
        found = [row for name, row in self.rows.items() if name.startswith("kernel compiler ")]
        if not found:
            self.skipTest("no kernel compiler here: ./lab setup installs one")
        self.assertIn("compiled and judged in", found[0]["found"])
        self.assertGreater(self.laptop["edit_to_verdict_seconds"], 0.05)
        self.assertRegex(self.laptop["fingerprint"], r"^[0-9a-f]{64}$")

    def test_no_compiler(self):
        code, out, _ = run("doctor", "--workshop", LAB_NVRTC="/nowhere/nvrtc", LAB_NVCC="/nowhere/nvcc", LAB_CLANG="/nowhere/clang++")
        self.assertEqual(code, 3)
        self.assertIn("NOT READY", out)
        self.assertIn("./lab setup", out)

    def test_compiler_that_does_not_work(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = pathlib.Path(folder, "clang++")
            fake.write_text("#!/bin/sh\ncase $* in *--version*) echo 'Debian clang version 14.0.6' ;; *) exit 1 ;; esac\n")
            fake.chmod(0o755)
            code, out, _ = run("doctor", "--workshop", LAB_NVRTC="/nowhere/nvrtc", LAB_NVCC="/nowhere/nvcc", LAB_CLANG=str(fake))
        self.assertEqual(code, 3)
        self.assertIn("a kernel does not compile", out)

    def test_letters(self):
        _, out, _ = run("doctor", "--workshop", LC_ALL="C", LAB_NVRTC="/nowhere/nvrtc", LAB_NVCC="/nowhere/nvcc", LAB_CLANG="/nowhere/clang++")
        self.assertIn("no UTF-8: C", out)

    def test_nothing_stays_behind(self):
        left = [path for path in (pathlib.Path(__file__).parents[2] / "chapters").iterdir() if path.name.startswith(".laptop")]
        self.assertEqual(left, [])

    def test_chinese(self):
        code, out, _ = run("doctor", "--workshop", "--lang", "zh", LAB_NVRTC="/nowhere/nvrtc", LAB_NVCC="/nowhere/nvcc", LAB_CLANG="/nowhere/clang++")
        self.assertEqual(code, 3)
        self.assertIn("没有准备好", out)


class Room(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.good = json.loads(run("doctor", "--workshop", "--json")[1])
        for row in cls.good["rows"]:
            row.update(state="good", advice="")
        cls.good.update(ready=True, fingerprint="ab" * 32)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def put(self, name, *objects):
        text = "".join((json.dumps(o) if not isinstance(o, str) else o) + "\n" for o in objects)
        pathlib.Path(self.folder.name, name).write_text(text)

    def spoilt(self, **changes):
        return {**copy.deepcopy(self.good), **changes}

    def room(self):
        code, out, err = run("doctor", "--room", self.folder.name, "--json")
        self.assertTrue(out, err)
        room = json.loads(out)
        return code, room, {seat["name"]: seat for seat in room["list"]}

    def test_thirty_ready(self):
        for k in range(30):
            self.put(f"seat{k:02}.json", self.good)
        code, room, _ = self.room()
        self.assertEqual((code, room["laptops"], room["ready"]), (0, 30, 30))
        self.assertIn("All 30 laptops are ready.", run("doctor", "--room", self.folder.name)[1])

    def test_who_and_why(self):
        for k in range(3):
            self.put(f"seat{k}.json", self.good)
        bad = self.spoilt()
        bad["rows"][2].update(state="bad", found="0.1 of 4.0 GiB are free")
        self.put("ann.json", bad)
        self.put("bob.json", self.spoilt(fingerprint="cd" * 32))
        self.put("cleo.json", "{ half a")
        self.put("dora.json", "")
        code, room, seats = self.room()
        self.assertEqual((code, room["laptops"], room["ready"]), (3, 7, 3))
        self.assertEqual([seat["ready"] for seat in room["list"]], [False] * 4 + [True] * 3)
        self.assertEqual(seats["ann"]["bad"], ["memory: 0.1 of 4.0 GiB are free"])
        self.assertEqual(seats["bob"]["bad"], ["version cdcdcdcd, most have abababab"])
        self.assertIn("no record", seats["cleo"]["bad"][0])
        self.assertIn("no record", seats["dora"]["bad"][0])
        code, out, _ = run("doctor", "--room", self.folder.name)
        self.assertEqual(code, 3)
        self.assertIn("3 of 7 laptops are ready", out)
        self.assertIn("memory: 0.1 of 4.0 GiB are free", out)

    def test_many_in_one_file(self):
        self.put("room.jsonl", self.spoilt(host="one"), self.spoilt(host="two"), self.spoilt(host="two", when="2027-01-01T00:00:00Z"))
        _, _, seats = self.room()
        self.assertEqual(set(seats), {"one", "two"})
        self.assertEqual(seats["two"]["when"], "2027-01-01T00:00:00Z")

    def test_strange_records_are_not_ready(self):
        for k, thing in enumerate([1, [], None, {}, self.spoilt(rows=[]), self.spoilt(rows=[1]), self.spoilt(rows="x"),
                                   self.spoilt(format="other"), self.spoilt(rows=[{"name": 1, "state": 2}]), "[" * 100000]):
            self.put(f"{k}.json", thing)
        code, room, _ = self.room()
        self.assertEqual((code, room["ready"], room["laptops"]), (3, 0, 10))

    def test_no_escapes_reach_the_terminal(self):
        self.put("a.json", self.spoilt(rows=[{"name": "x", "state": "bad", "found": "\u001b[2J", "advice": ""}]))
        self.assertNotIn("\x1b[2J", run("doctor", "--room", self.folder.name)[1])

    def test_usage(self):
        self.assertEqual(run("doctor", "--room", self.folder.name)[0], 2)  # empty
        self.assertEqual(run("doctor", "--room", "/nowhere")[0], 2)
        self.assertEqual(run("doctor", "--workshop", "--room", self.folder.name)[0], 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
