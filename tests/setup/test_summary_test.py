"""tools/test_summary.py on logs that are good, bad, and none at all."""

import contextlib
import importlib.util
import io
import json
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "test_summary.py"
SPEC = importlib.util.spec_from_file_location("test_summary", TOOL)
summary = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(summary)


def doctest_line(passed, failed):
    return f"[doctest] test cases: {passed + failed} | {passed} passed | {failed} failed | 3 skipped\n"


class Summary(unittest.TestCase):
    def run_on(self, tests, status=0):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "testlog.json"
            path.write_text("".join(json.dumps(test) + "\n" for test in tests))
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                code = summary.main(str(path), status)
        return code, output.getvalue().splitlines()[-1]

    def test_cases_and_plain_programs_add_up(self):
        tests = [{"name": "a", "result": "OK", "stdout": doctest_line(21, 0)}, {"name": "b", "result": "OK"}]
        self.assertEqual(self.run_on(tests), (0, "22 passed, 0 failed"))

    def test_a_failed_case_fails_the_run(self):
        tests = [{"name": "a", "result": "FAIL", "stdout": doctest_line(20, 2)}]
        self.assertEqual(self.run_on(tests, 1), (1, "20 passed, 2 failed"))

    def test_a_crash_counts_although_no_case_failed(self):
        tests = [{"name": "a", "result": "FAIL", "stdout": "boom"}, {"name": "b", "result": "TIMEOUT"}, {"name": "c", "result": "OK"}]
        self.assertEqual(self.run_on(tests, 2), (1, "1 passed, 2 failed"))

    def test_skipped_ones_are_said(self):
        self.assertEqual(self.run_on([{"name": "a", "result": "SKIP"}, {"name": "b", "result": "OK"}]), (0, "1 passed, 0 failed, 1 skipped"))
        for ran, said in ((2, "1 passed, 0 failed, 1 skipped"), (3, "2 passed, 0 failed")):
            part = {"name": "c", "result": "OK", "stderr": f"ss\n---\nRan {ran} tests in 0.1s\n\nOK (skipped=2)\n"}
            self.assertEqual(self.run_on([part, {"name": "b", "result": "OK"}]), (0, said))

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(self.run_on([]), (1, "0 passed, 0 failed"))
        self.assertEqual(self.run_on([{"name": "a", "result": "SKIP"}])[0], 1)
        self.assertEqual(self.run_on([{"name": "a", "result": "OK", "stdout": doctest_line(0, 0)}])[0], 1)

    def test_mesons_own_failure_is_one(self):
        self.assertEqual(self.run_on([{"name": "a", "result": "OK"}], 1)[0], 1)

    def test_no_log_is_a_failure(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(summary.main("/no/such/log", 0), 1)


if __name__ == "__main__":
    unittest.main()
