"""What a student owns is safe: reset, predict, hints and the progress file, on good days and bad ones.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import unittest

from sandbox import PROGRAM, SOURCE, Clone


class OtherWays(unittest.TestCase):
    """Right kernels that look like none of the solutions pass too."""

    def test_they_pass(self):
        kernels = sorted((SOURCE / "tests/cli/other_ways").glob("*.cu"))
        self.assertGreater(len(kernels), 3)
        for kernel in kernels:
            with self.subTest(kernel=kernel.name), Clone() as clone:
                code, got = clone.json("check", str(int(kernel.name[:2])), "--kernel", str(kernel))
                wrong = [case for case in got["cases"] if not case["passed"]]
                self.assertEqual((code, wrong), (0, []))


class Reset(unittest.TestCase):
    def test_the_skeletons_are_what_the_course_hands_out(self):
        def blob(path):
            for ref in ("@{upstream}", "HEAD"):  # a student's own commits are on top of upstream
                done = subprocess.run(["git", "rev-parse", "-q", "--verify", f"{ref}:{path}"], cwd=SOURCE, capture_output=True,
                                      text=True)
                if done.returncode == 0:
                    return done.stdout.strip()
            return None

        try:
            here = blob("README.md") is not None
        except FileNotFoundError:
            here = False
        if not here:
            self.skipTest("no git history here")
        for skeleton in sorted(SOURCE.glob("solutions/*/skeleton.cu")):
            name = skeleton.parent.name
            with self.subTest(chapter=name):
                self.assertEqual(blob(f"chapters/{name}/transpose.cu"), blob(f"solutions/{name}/skeleton.cu"),
                                 f"copy chapters/{name}/transpose.cu to solutions/{name}/skeleton.cu and commit both")
        self.assertEqual(len(list(SOURCE.glob("solutions/*/skeleton.cu"))), len(list(SOURCE.glob("chapters/*/transpose.cu"))))

    def test_the_old_text_is_kept_under_a_free_name(self):
        with Clone() as clone:
            for text, copy in (("first\n", "transpose.cu.bak"), ("second\n", "transpose.cu.bak.2"), ("\xff\0third", "transpose.cu.bak.3")):
                clone.kernel().write_bytes(text.encode("latin-1"))
                code, got = clone.json("reset", "5")
                self.assertEqual((code, got["changed"], got["copy"]), (0, True, f"chapters/05_padding/{copy}"))
                self.assertEqual(clone.kernel().with_name(copy).read_bytes(), text.encode("latin-1"))
                self.assertEqual(clone.kernel().read_text(), clone.skeleton())
            self.assertEqual((clone.kernel().with_name("transpose.cu.bak")).read_text(), "first\n")

    def test_nothing_to_do(self):
        with Clone() as clone:
            code, got = clone.json("reset", "padding")
            self.assertEqual((code, got["changed"], got["copy"]), (0, False, None))
            self.assertEqual([p.name for p in clone.kernel().parent.glob("*.bak*")], [])
            clone.kernel().unlink()
            self.assertEqual(clone.json("reset", "5")[1]["changed"], True)
            self.assertEqual(clone.kernel().read_text(), clone.skeleton())

    def test_a_link_stays_a_link(self):
        with Clone() as clone:
            elsewhere = clone.root / "mine.cu"
            elsewhere.write_text("mine\n")
            clone.kernel().unlink()
            clone.kernel().symlink_to(elsewhere)
            self.assertEqual(clone.lab("reset", "5")[0], 0)
            self.assertTrue(clone.kernel().is_symlink())
            self.assertEqual(elsewhere.read_text(), clone.skeleton())
            self.assertEqual((clone.root / "mine.cu.bak").read_text(), "mine\n")

    def test_no_copy_no_reset(self):
        with Clone() as clone:
            clone.kernel().write_text("mine\n")
            clone.kernel().parent.chmod(0o555)
            try:
                if os.access(clone.kernel().parent, os.W_OK):
                    self.skipTest("root may write everywhere")
                code, _, err = clone.lab("reset", "5")
                self.assertEqual((code, clone.kernel().read_text()), (3, "mine\n"))
                self.assertIn("copy", err)
            finally:
                clone.kernel().parent.chmod(0o755)

    def test_bad_names(self):
        with Clone() as clone:
            for args in (["reset"], ["reset", "42"], ["reset", "5", "6"]):
                self.assertEqual(clone.lab(*args)[0], 2, args)

    def test_a_shape_that_no_grid_holds_is_no_verdict(self):
        """Along both axes: the solution of 01 walks columns by x, that of 15 rows."""
        with Clone() as clone:
            for chapter, rows, cols, most in (("1", "524281", "1", "524280 rows"), ("15", "4", "4194244", "4194240 columns")):
                code, out, err = clone.lab("check", chapter, "--solution", "--rows", rows, "--cols", cols)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(most, err)

    def test_reset_opens_the_chapter_again(self):
        """It is done again, with its hints from the first on; what was passed stays passed."""
        first = "01_naive"
        with Clone() as clone:
            clone.kernel(first).write_text(clone.solution(first))
            self.assertEqual(clone.lab("check", "1")[0], 0)
            self.assertIn("passed", clone.lab("hint", "1")[1])
            clone.lab("reset", "1")
            got = clone.json("progress")[1]
            self.assertEqual((got["current"], got["chapters"][0]["passed"]), (first, True))
            self.assertIn("1 of 3", clone.lab("hint", "1")[1])
            self.assertEqual(clone.lab("solution", "1")[0], 0)

    def test_points_in_chinese(self):
        with Clone() as clone:
            out = clone.lab("--lang", "zh", "progress")[1]
            self.assertRegex(out, r"01_naive +未通过 +0 / 11 ")

    def test_a_pass_is_never_lost(self):
        """An experiment after a pass costs nothing, and its own failure gets its hint."""
        with Clone() as clone:
            clone.kernel().write_text(clone.solution())
            self.assertEqual(clone.lab("check", "5")[0], 0)
            clone.kernel().write_text(clone.skeleton())
            self.assertEqual(clone.lab("check", "5")[0], 1)
            entry = clone.json("progress")[1]["chapters"][4]
            self.assertEqual((entry["passed"], entry["points"]), (True, 13))
            self.assertEqual(clone.lab("solution", "5")[0], 0)
            self.assertIn("bank-conflict", clone.lab("hint", "5")[1])


class ElsewhereToo(unittest.TestCase):
    """What was reached on one machine is taken to another, and nothing is lost on either."""

    def reached(self, clone):
        return {c["chapter"]: (c["passed"], c["points"], c["hints"]) for c in clone.json("progress")[1]["chapters"]}

    def test_both_are_kept(self):
        with Clone() as here, Clone() as there:
            here.kernel("02_coalescing").write_text(here.solution("02_coalescing"))
            here.lab("check", "2")
            here.lab("hint", "5")
            there.kernel().write_text(there.solution())
            there.lab("check", "5")
            there.lab("hint", "1")
            mine = self.reached(here)
            file = here.root / "mine.json"
            code, _, err = here.lab("progress", "--export", str(file))
            self.assertEqual(code, 0)
            self.assertIn("mine.json", err)
            theirs = self.reached(there)
            self.assertEqual(there.lab("progress", "--import", str(file))[0], 0)
            both = self.reached(there)
            for chapter in mine:
                self.assertEqual(both[chapter], tuple(max(pair) for pair in zip(mine[chapter], theirs[chapter])), chapter)
            self.assertTrue(both["02_coalescing"][0] and both["05_padding"][0])
            there.lab("progress", "--import", str(file))
            self.assertEqual(self.reached(there), both)
            self.assertEqual(self.reached(here), mine)

    def test_a_first_guess_stays_the_first(self):
        load = "shared_load_wavefronts_per_request"
        with Clone() as here, Clone() as there:
            for clone, guess in ((here, 7), (there, 9)):
                clone.lab("predict", "5", "--set", f"{load}={guess}")
            here.lab("progress", "--export", str(here.root / "p.json"))
            there.lab("progress", "--import", str(here.root / "p.json"))
            guesses = json.loads((there.root / ".lab/progress.json").read_text())["chapters"]["05_padding"]["first_guesses"]
            self.assertEqual(guesses[load], 9)

    def test_what_is_no_progress_changes_nothing(self):
        with Clone() as clone:
            clone.kernel().write_text(clone.solution())
            clone.lab("check", "5")
            before = (clone.root / ".lab/progress.json").read_bytes()
            for text in ("", "no JSON", "[]", '{"chapters": []}', "[" * 100000):
                (clone.root / "x.json").write_text(text)
                code, _, err = clone.lab("progress", "--import", "x.json")
                self.assertEqual(code, 2, text[:20])
                self.assertIn("--export", err)
            self.assertEqual(clone.lab("progress", "--import", "nowhere.json")[0], 2)
            self.assertEqual(clone.lab("progress", "--export", str(clone.kernel() / "x.json"))[0], 3)
            self.assertEqual((clone.root / ".lab/progress.json").read_bytes(), before)


class Predict(unittest.TestCase):
    LOAD, STORE = "shared_load_wavefronts_per_request", "shared_store_wavefronts_per_request"

    def test_numbers_stay_hidden_until_there_is_an_answer(self):
        with Clone() as clone:
            code, got = clone.json("predict", "5")
            self.assertEqual(code, 1)
            self.assertEqual([q["name"] for q in got["questions"]], [self.LOAD, self.STORE])
            for question in got["questions"]:
                self.assertEqual([question[k] for k in ("answer", "counted", "right", "why")], [None, None, None, ""])
            out = clone.lab("predict", "5")[1]
            self.assertIn("no answer yet", out)
            self.assertNotIn("counted:", out)

    def test_an_answer_is_written_and_counted_with_a_reason(self):
        with Clone() as clone:
            clone.kernel().write_text(re.sub(r"per_request = \d", "per_request = 0", clone.solution()))
            before = clone.kernel().read_text()
            code, got = clone.json("predict", "5", "--set", f"{self.LOAD}=2", "--set", f"{self.STORE}=1")
            self.assertEqual(code, 1)
            load, store = got["questions"]
            self.assertEqual((load["answer"], load["counted"], load["right"]), (2, 2, True))
            self.assertEqual((store["answer"], store["counted"], store["right"]), (1, 4, False))
            self.assertIn("bank", store["why"])
            self.assertEqual(clone.kernel().with_name("transpose.cu.bak").read_text(), before)
            self.assertEqual(clone.lab("predict", "5", "--set", f"{self.STORE}=4")[0], 0)
            self.assertEqual(clone.lab("check", "5")[0], 0)
            self.assertEqual(clone.kernel().with_name("transpose.cu.bak").read_text(), before)

    def copies(self, clone):
        return sorted(path.name for path in clone.kernel().parent.glob("*.bak*"))

    def test_copies_do_not_pile_up(self):
        """A second answer needs no second copy: all but the numbers is kept already. What would be lost is copied."""
        with Clone() as clone:
            for guess in range(1, 6):
                clone.lab("predict", "5", "--set", f"{self.LOAD}={guess}")
            self.assertEqual(self.copies(clone), ["transpose.cu.bak"])
            for _ in range(3):
                self.assertEqual(clone.lab("reset", "5")[0], 0)
                clone.kernel().write_text("mine\n")
            clone.lab("reset", "5")
            self.assertEqual(self.copies(clone), ["transpose.cu.bak", "transpose.cu.bak.2", "transpose.cu.bak.3"])
            clone.kernel().write_text(clone.skeleton() + "// a thought\n")
            clone.lab("predict", "5", "--set", f"{self.LOAD}=9")
            self.assertIn("a thought", clone.kernel().with_name("transpose.cu.bak.4").read_text())

    def test_several_answers_behind_one_set(self):
        with Clone() as clone:
            for args in (["5", "--set", f"{self.LOAD}=3", f"{self.STORE}=4"], ["--set", f"{self.LOAD}=3", f"{self.STORE}=4", "5"],
                         ["5", "--set", f"{self.LOAD}=3", "--set", f"{self.STORE}=4"]):
                with self.subTest(args=args):
                    clone.kernel().write_text(clone.skeleton())
                    _, got = clone.json("predict", *args)
                    self.assertEqual([question["answer"] for question in got["questions"]], [3, 4])
            code, _, err = clone.lab("predict", "5", "--set", f"{self.LOAD}=3", "four")
            self.assertEqual(code, 2)
            self.assertIn("four", err)

    def test_before_the_results_are_right(self):
        with Clone() as clone:
            code, got = clone.json("predict", "1", "--set", "global_load_sectors_per_request=4")
            self.assertEqual(code, 1)
            first = got["questions"][0]
            self.assertEqual((first["answer"], first["counted"]), (4, None))
            clone.kernel("01_naive").write_text("PREDICTIONS = { .global_load_sectors = 1 }; this is no C++\n")
            code, got = clone.json("predict", "1")
            self.assertEqual((code, got["compiled"]), (1, False))

    def test_before_the_goals_are_reached(self):
        """The lesson asks about the finished kernel: what the skeleton counts says nothing about the answer."""
        with Clone() as clone:
            _, got = clone.json("predict", "5", "--set", f"{self.LOAD}=1")
            self.assertEqual([got["questions"][0][key] for key in ("answer", "counted", "right")], [1, None, None])
            out = clone.lab("predict", "5")[1]
            self.assertNotIn("✗", out)
            self.assertIn("compared when", out)

    def test_large_first_guesses_are_read_back(self):
        chapter = "01_naive"
        with Clone() as clone:
            clone.kernel(chapter).write_text(clone.solution(chapter))
            for _ in range(3):
                self.assertEqual(clone.lab("check", "1")[0], 0)
                self.assertEqual(clone.json("progress")[1]["chapters"][0]["points"], 11)

    def test_a_guess_below_zero_is_a_guess(self):
        """Else it would show the count, and leave the first guess free."""
        with Clone() as clone:
            clone.kernel().write_text(re.sub(r"per_request = \d", "per_request = -1", clone.solution()))
            clone.lab("check", "5")
            clone.kernel().write_text(clone.solution())
            code, out, _ = clone.lab("check", "5")
            self.assertEqual(code, 0)
            self.assertIn("your first guess was -1", out)

    def test_fields_stand_in_their_order(self):
        """C++ takes no others."""
        with Clone() as clone:
            text = clone.solution().replace(f"    .{self.STORE} = 4,\n", "")
            clone.kernel().write_text(text)
            code, got = clone.json("predict", "5", "--set", f"{self.STORE}=4")
            self.assertEqual((code, got["compiled"]), (0, True))

    def test_the_place_of_an_answer(self):
        with Clone() as clone:
            kernel = clone.root / "k.cu"
            for block, wanted in (
                ("PREDICTIONS = {.%s=0};" % self.LOAD, "PREDICTIONS = {.%s=7};" % self.LOAD),
                ("PREDICTIONS = {};", "PREDICTIONS = {\n    .%s = 7,};" % self.LOAD),
                ("// PREDICTIONS = {.%s = 1};\nPREDICTIONS = {\n  .%s = 2 * 3,  // six\n};" % (self.LOAD, self.LOAD),
                 "// PREDICTIONS = {.%s = 1};\nPREDICTIONS = {\n  .%s = 7,  // six\n};" % (self.LOAD, self.LOAD)),
            ):
                with self.subTest(block=block):
                    kernel.write_text(block + "\n")
                    clone.lab("predict", "5", "--kernel", str(kernel), "--set", f"{self.LOAD}=7")
                    self.assertEqual(kernel.read_text(), wanted + "\n")

    def test_bad_input(self):
        with Clone() as clone:
            before = clone.kernel().read_text()
            for args, words in ((["--set", "x"], "NAME=NUMBER"), (["--set", f"{self.LOAD}=zero"], "NAME=NUMBER"),
                                (["--set", f"{self.LOAD}=-1"], "NAME=NUMBER"), (["--set", "global_load_sectors=4"], self.LOAD)):
                code, out, err = clone.lab("predict", "5", *args)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(words, err)
            self.assertEqual(clone.kernel().read_text(), before)
            empty = clone.root / "none.cu"
            empty.write_text("int x;\n")
            code, _, err = clone.lab("predict", "5", "--kernel", str(empty), "--set", f"{self.LOAD}=1")
            self.assertEqual(code, 2)
            self.assertIn("PREDICTIONS", err)

    def test_a_chapter_without_questions(self):
        with Clone() as clone:
            self.assertIn("asks for no numbers", clone.lab("predict", "7")[1])

    def test_at_a_terminal_it_asks(self):
        with Clone() as clone:
            ours, theirs = pty.openpty()
            process = subprocess.Popen([PROGRAM, "predict", "5"], stdin=theirs, stdout=theirs, stderr=theirs, env=clone.env)
            os.close(theirs)
            os.write(ours, b"many\n32\n\n")
            text = b""
            try:
                while chunk := os.read(ours, 4096):
                    text += chunk
            except OSError:  # how a terminal says that the other end is closed
                pass
            process.wait(timeout=60)
            self.assertIn(b"A whole number from 1 on", text)
            self.assertIn(f".{self.LOAD} = 32,", clone.kernel().read_text())
            self.assertIn(f".{self.STORE} = 0,", clone.kernel().read_text())


class Hints(unittest.TestCase):
    def test_what_fits_the_last_check_comes_first(self):
        with Clone() as clone:
            clone.lab("check", "5")
            levels = [[h["level"] for h in clone.json("hint", "5")[1]["hints"]] for _ in range(6)]
            self.assertEqual(levels, [[0], [1], [2], [3], [4], [4]])
            first = clone.json("hint", "5", "--all")[1]["hints"]
            self.assertIn("你上次检查", json.loads(clone.lab("--lang", "zh", "hint", "5", "--all", "--json")[1])["hints"][0]["title"])
            self.assertEqual([h["level"] for h in first], [0, 1, 2, 3, 4])
            self.assertIn("bank-conflict", first[0]["title"])
            # Another mistake: its hint comes first again.
            clone.kernel().write_text(clone.skeleton().replace("__syncthreads();", ""))
            clone.lab("check", "5")
            titles = [clone.json("hint", "5")[1]["hints"][0]["title"] for _ in range(2)]
            self.assertIn("shared-race", titles[0])
            self.assertTrue(titles[1].startswith("Hint 4"), titles)

    def test_without_a_check_and_after_a_pass(self):
        with Clone() as clone:
            self.assertEqual(clone.json("hint", "5")[1]["hints"][0]["level"], 1)
            clone.lab("check", "5")
            clone.kernel().write_text(clone.solution())
            self.assertEqual(clone.lab("check", "5")[0], 0)
            self.assertEqual(clone.json("hint", "5")[1]["hints"][0]["level"], 2)


class ProgressFile(unittest.TestCase):
    def test_garbage_counts_as_nothing_reached(self):
        with Clone() as clone:
            path = clone.root / ".lab" / "progress.json"
            path.parent.mkdir()
            for text in ("", "{", "null", "[]", "\0\xff" * 100, '{"chapters": 5}', '{"chapters": {"01_naive": 3}}',
                         '{"chapters": {"01_naive": {"passed": "yes", "points": 1e99, "hints": -5, "line": "x", "diagnosis": ["a"]}}}',
                         '{"chapters": {"01_naive": {"hints": 99999999999999999999, "diagnosis": "\\u001b[31m", "points": -1}}}',
                         "[" * 100000):
                with self.subTest(text=text[:40]):
                    path.write_bytes(text.encode("latin-1"))
                    code, got = clone.json("progress")
                    self.assertEqual((code, got["current"]), (0, "01_naive"))
                    self.assertFalse(got["chapters"][0]["passed"])
                    for args in ((), ("hint", "1"), ("hint", "1", "--all"), ("list",)):
                        code, out, _ = clone.lab(*args)
                        self.assertEqual(code, 0)
                        self.assertNotIn("\x1b", out)

    def test_a_file_that_makes_no_sense_is_kept_before_it_is_written_over(self):
        with Clone() as clone:
            path = clone.root / ".lab" / "progress.json"
            path.parent.mkdir()
            path.write_text('{"chapters": {"01_naive": {"passed": tru')
            clone.lab("hint", "1")
            self.assertEqual((path.parent / "progress.json.bak").read_text(), '{"chapters": {"01_naive": {"passed": tru')
            self.assertEqual(json.loads(path.read_text())["chapters"]["01_naive"]["hints"], 1)

    def test_hand_edits_count(self):
        with Clone() as clone:
            path = clone.root / ".lab" / "progress.json"
            path.parent.mkdir()
            path.write_text('{"chapters": {"01_naive": {"passed": true}, "99_unknown": {"passed": true}}}')
            self.assertEqual(clone.json("progress")[1]["current"], "02_coalescing")
            clone.lab("hint", "2")
            self.assertTrue(json.loads(path.read_text())["chapters"]["01_naive"]["passed"])

    def test_deletion(self):
        with Clone() as clone:
            clone.kernel("01_naive").write_text(clone.solution("01_naive"))
            self.assertEqual(clone.lab("check")[0], 0)
            self.assertEqual(clone.json("progress")[1]["current"], "02_coalescing")
            (clone.root / ".lab" / "progress.json").unlink()
            self.assertEqual(clone.json("progress")[1]["current"], "01_naive")
            self.assertEqual(clone.lab("check")[0], 0)

    def test_a_place_that_cannot_be_written_costs_no_verdict(self):
        with Clone() as clone:
            (clone.root / ".lab").write_text("a file where a folder should be\n")
            clone.kernel("01_naive").write_text(clone.solution("01_naive"))
            self.assertEqual(clone.lab("check", "1")[0], 0)
            self.assertEqual(clone.lab("hint", "1")[0], 0)
            self.assertEqual((clone.root / ".lab").read_text(), "a file where a folder should be\n")

    def test_two_at_once_leave_a_whole_file(self):
        with Clone() as clone:
            running = [subprocess.Popen([PROGRAM, "hint", str(1 + i % 9)], env=clone.env, stdout=subprocess.DEVNULL)
                       for i in range(18)]
            self.assertEqual([p.wait(timeout=60) for p in running], [0] * 18)
            json.loads((clone.root / ".lab" / "progress.json").read_text())
            self.assertEqual([p.name for p in (clone.root / ".lab").iterdir()], ["progress.json"])


class Terminal(unittest.TestCase):
    def at_a_terminal(self, clone, *args, columns=60, until=None):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                                   env=dict(clone.env, TERM="xterm"), start_new_session=True)
        os.close(theirs)
        text = b""
        try:
            while chunk := os.read(ours, 4096):
                text += chunk
                if until and until in text:
                    os.killpg(process.pid, signal.SIGTERM)
                    break
        except OSError:  # the other end is closed
            pass
        process.wait(timeout=60)
        os.close(ours)
        return text.decode(errors="replace")

    def test_long_messages_break_between_words(self):
        with Clone() as clone:
            clone.kernel().write_text(clone.solution().replace("__syncthreads();", ""))
            out = re.sub("\x1b[^mK]*[mK]|\r", "", self.at_a_terminal(clone, "check", "5"))
            plain = clone.lab("check", "5")[1]
            message = next(line.strip() for line in plain.split("\n") if "with no barrier between" in line)
            self.assertGreater(len(message), 80)
            self.assertNotIn(message, out)
            self.assertIn(message, re.sub(r"\s+", " ", out))
            lines = [line for line in out.split("\n") if line.startswith("      ") and line.strip() in message]
            self.assertGreater(len(lines), 1)
            self.assertLessEqual(max(map(len, lines)), 60)

    def test_long_work_says_so_at_a_terminal(self):
        with Clone() as clone:
            clone.env["LAB_ROOT"] = str(SOURCE)
            out = self.at_a_terminal(clone, "verify", until=b"verifying the course")
            self.assertIn("verifying the course", out)

    def test_work_in_parts_says_how_long_it_will_take(self):
        """Only at a terminal; wiped at the end, so that the table stands alone."""
        words = ["bench", "--device", "sim", "--chapters", "1-9", "--sizes", "4096,1000x3000"]
        with Clone() as clone:
            out = self.at_a_terminal(clone, *words, columns=100)
            self.assertRegex(out, r"\d+ of 18 done · \d+ s · about \d+ (s|min) left\x1b|\d+ of 18 done · \d+ s · about \d+ (s|min) left\r")
            self.assertEqual(out[out.rindex("\r\x1b[K"):].count(" of 18 done"), 0)
            code, _, err = clone.lab(*words[:4], "1", "--sizes", "64")
            self.assertEqual((code, err), (0, ""))

    def test_the_end_of_the_course(self):
        with Clone() as clone:
            (clone.root / ".lab").mkdir()
            names = [p.parent.name for p in clone.root.glob("solutions/*/skeleton.cu")]
            (clone.root / ".lab" / "progress.json").write_text(json.dumps({"chapters": {n: {"passed": True} for n in names}}))
            out = clone.lab()[1]
            self.assertIn(f"{len(names)} of {len(names)}", out)
            self.assertIn("the end of the course", out)


class InAFolder(unittest.TestCase):
    def test_a_chapters_folder_means_that_chapter(self):
        with Clone() as clone:
            for folder, chapter in (("chapters/05_padding", "05_padding"), (".", "01_naive"), ("chapters", "01_naive")):
                here = str(clone.root / folder)
                for args in (["check", "--json"], ["hint", "--json"], ["predict", "--json"], ["watch", "--times", "1", "--json"]):
                    with self.subTest(folder=folder, args=args):
                        done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, env=clone.env, cwd=here, timeout=240)
                        self.assertEqual(json.loads(done.stdout)["chapter"], chapter, done.stderr)
            done = subprocess.run([PROGRAM, "show"], capture_output=True, text=True, env=clone.env, cwd=clone.root / "chapters/05_padding")
            self.assertIn("05_padding", done.stdout + done.stderr)


class KernelFiles(unittest.TestCase):
    def test_no_command_writes_to_a_kernel_that_was_not_told_to(self):
        with Clone() as clone:
            files = sorted(clone.root.glob("chapters/*/transpose.cu"))
            before = [(f.read_bytes(), f.stat().st_mtime_ns) for f in files]
            for args in ("check 5", "check 1 --json", "watch 5 --times 1", "predict 5", "hint 5 --all", "show 5", "diff 4 5",
                         "solution 5 --spoil", "progress", "list", "profile chapters/05_padding/transpose.cu --rows 64 --cols 64",
                         "reset 3"):
                clone.lab(*args.split())
            self.assertEqual([(f.read_bytes(), f.stat().st_mtime_ns) for f in files], before)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
