"""What counts as the right name of what bounds a launch (tools/golden/limiters.py), on made-up counters.

Enters: nothing. Leaves: one unittest verdict. The comparison with a GPU is in docs/limits.md, which tools/time_model.py --check writes anew."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "golden"))
import limiters  # noqa: E402


def names(**busy):
    return limiters.right_names({part: 0.0 for part in limiters.PARTS} | busy)


class RightNames(unittest.TestCase):
    def test_the_busiest(self):
        self.assertEqual(names(dram=90, l2=50), {"dram"})
        self.assertEqual(names(dram=90, l2=91, l1=79), {"l2"})
        self.assertEqual(names(dram=60), {"dram"})

    def test_what_it_waits_for_when_nothing_is_busy(self):
        self.assertEqual(names(dram=59, issue=45), {"waits", "starts", "launch"})

    def test_of_each_part_the_busiest_unit_counts(self):
        row = {unit: "10" for units in limiters.PARTS.values() for unit in units} | {limiters.PARTS["l2"][1]: "70"}
        self.assertEqual(limiters.busy_parts(row), {"dram": 10, "l2": 70, "atomics": 10, "l1": 10, "issue": 10})


if __name__ == "__main__":
    unittest.main()
