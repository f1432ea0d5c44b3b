"""What counts as the right name of what bounds a launch (tools/golden/limiters.py), on made-up counters.

Enters: nothing. Leaves: one unittest verdict. The comparison with a GPU is in docs/limits.md, which tools/time_model.py --check writes anew."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "golden"))
import limiters  # noqa: E402


def names(microseconds=100.0, **busy):
    return limiters.right_names({part: 0.0 for part in limiters.PARTS} | busy, microseconds * 1e-6, 5e-6)


class RightNames(unittest.TestCase):
    def test_the_busiest_and_what_is_within_ten_points(self):
        self.assertEqual(names(dram=90, l2=50), {"dram"})
        self.assertEqual(names(dram=90, l2=81, l1=79), {"dram", "l2"})

    def test_waiting_when_nothing_is_busy(self):
        self.assertEqual(names(dram=49, issue=45), {"waits"})
        self.assertEqual(names(dram=55, issue=40), {"waits", "dram"})  # between 50 and 60 both
        self.assertEqual(names(dram=60), {"dram"})

    def test_a_short_launch_is_bound_by_itself(self):
        self.assertEqual(names(5.5, dram=90), {"launch"})
        self.assertEqual(names(5.9, dram=90), {"launch", "dram"})
        self.assertEqual(names(6.1, dram=90), {"dram"})

    def test_multiprocessors_that_have_no_block_do_not_count(self):
        row = {unit: "10" for units in limiters.PARTS.values() for unit in units} | {"nanoseconds": "100000"}
        few, all_of_them = (limiters.busy_parts(row, {"blocks": blocks, "busiest_float_sector": 0}) for blocks in (33, 132))
        self.assertAlmostEqual(few["l1"], 4 * all_of_them["l1"])
        self.assertEqual(few["dram"], all_of_them["dram"])

    def test_floats_added_to_one_word_fill_less_of_the_counter(self):
        row = {unit: "30" for units in limiters.PARTS.values() for unit in units} | {"nanoseconds": "100000"}
        floats, integers = (limiters.busy_parts(row, {"blocks": 132, "busiest_float_sector": count}) for count in (1000, 0))
        self.assertGreater(floats["atomics"], 85)
        self.assertLess(integers["atomics"], 40)


if __name__ == "__main__":
    unittest.main()
