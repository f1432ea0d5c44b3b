"""Drawn drafts of beginners: the first message names the place, says nothing untrue, and its `fix`, applied as data, helps.

Enters: LAB_PROGRAM, LAB_APPLY_EDITS, LAB_ROOT. Leaves: one unittest verdict. Each run draws a few drafts of every chapter; LAB_SEED repeats
a run, LAB_DRAWS=10 takes ten times as many. Shares of a large sample stand in docs/mistakes.md."""
import os
import pathlib
import random
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import beginners  # noqa: E402
from drawn import draws  # noqa: E402

CHAPTERS = range(1, 17)
LEAST_NAMED = 75  # per cent of the drafts of a run, where a large sample has more than 90


class Beginners(unittest.TestCase):
    def test_drawn_drafts_are_named_and_helped(self):
        draw = draws.drawn("beginners")
        each = draws.draws_of_run(2)
        drawn = [draw.choice(beginners.drafts(chapter, 100, draw)) for chapter in CHAPTERS for _ in range(each)]
        outcomes = [o for o in beginners.measured(drawn, os.cpu_count() or 1) if o.verdict != "silent"]
        self.assertGreater(len(outcomes), len(drawn) // 2)
        self.assertEqual([beginners.missed_row(o) for o in outcomes if o.verdict == "error" or o.false], [])
        self.assertEqual([beginners.missed_row(o) for o in outcomes if o.act == "rewrite" and o.advice != "better"], [])
        edits, named, *_ = beginners.figures(outcomes)
        self.assertGreaterEqual(100 * named, LEAST_NAMED * edits, [beginners.missed_row(o) for o in outcomes if o.verdict == "missed"])

    def test_a_barrier_that_is_asked_for_is_put_in_by_a_program(self):
        draw = random.Random(draws.seed_of_run("barriers"))
        for chapter in draw.sample([4, 5, 6, 7, 8, 9, 10], 2):
            text = beginners.solution(chapter)
            edit = draw.choice([edit for edit in beginners.edits_of(text)["missing barrier"] if "__syncthreads" in text[edit.begin:edit.end]])
            outcome = beginners.measured([beginners.made(chapter, text, (edit,))], 1)[0]
            self.assertEqual(outcome.advice, "better", outcome)

    def test_a_line_that_was_tried_makes_the_draft_right(self):
        """Where the message names the edit's own statement; an effect elsewhere may have no line, and never a wrong one.

        An array declared the other way round moves the right elements at a higher cost: what the cost lacks is the chapter's idea, and no line of
        it is written for the student."""
        draw = random.Random(draws.seed_of_run("tried"))
        for kind, chapters in (("missing ;", range(1, 17)), ("missing &", (1, 3, 8, 9)), ("swapped indices", (1, 4, 5)), ("guard one too far", (1, 4, 5, 6)),
                               ("wrong axis", (1, 4, 5, 6)), ("missing guard", (1, 4, 5)), ("early return", (4, 5, 6))):
            chapter = draw.choice(list(chapters))
            text = beginners.solution(chapter)
            edits = [edit for edit in beginners.edits_of(text).get(kind, []) if not self.keeps_results(kind, text, edit)]
            if not edits:
                continue
            for edit in draw.sample(edits, min(draws.draws_of_run(1), len(edits))):
                outcome = beginners.measured([beginners.made(chapter, text, (edit,))], 1)[0]
                with self.subTest(kind=kind, chapter=chapter):
                    if outcome.verdict == "statement" or outcome.act != "":
                        self.assertEqual((outcome.advice, outcome.act), ("better", "rewrite"), outcome)

    @staticmethod
    def keeps_results(kind, text, edit):
        """Whether the draft still moves the right elements: an early return from a store does, one that leaves the tile unfilled does not."""
        if kind == "early return":
            return "tile" not in text[edit.end:text.index(";", edit.end)].split("=")[0]
        return "__shared__" in text[text.rfind("\n", 0, edit.begin):edit.begin]

    def test_every_solution_gives_a_thousand_drafts(self):
        for chapter in CHAPTERS:
            drawn = beginners.drafts(chapter, 1000, random.Random(chapter))
            self.assertEqual(len({draft.text for draft in drawn}), 1000)
            self.assertEqual({len(draft.edits) for draft in drawn}, {1, 2, 3})

    def test_an_advice_that_helps_nothing_is_found(self):
        text = beginners.solution(4)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.cu"
            file.write_text(text.replace("__syncthreads();", ""), encoding="utf-8")
            verdict = beginners.checked(4, file)
            reason = beginners.first_failed(verdict)["reasons"][0]
            self.assertEqual(reason["code"], "shared-race")
            reason["fix"]["edits"] = [dict(reason["fix"]["edits"][0], code="__syncwarp();")]
            self.assertEqual(beginners.followed(4, file, verdict), "same")

    def test_an_untrue_sentence_is_found(self):
        edit = beginners.edits_of(beginners.solution(4))["swapped indices"][0]
        self.assertTrue(beginners.untrue((edit,), "put __syncthreads() between line 3 and line 4"))
        self.assertFalse(beginners.untrue((edit,), "row and column have not changed places"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
