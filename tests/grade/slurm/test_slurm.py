"""`lab grade --slurm` against a real slurmctld and two real slurmd on loopback.

Enters: LAB_PROGRAM, LAB_ROOT. Leaves: one unittest verdict; 77 and a sentence where no cluster can be started. Checked: shards judge
apart and give the bytes of a single run, also after one was cancelled half-way; what is damaged or was judged by other tools does not
count, and the reason is said."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import classes
import cluster

SLURM = None


def setUpModule():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # unittest's cleanups run


class OnTheCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="lab slurm'd ")
        cls.students = os.path.join(cls.temporary.name, "the class")
        cls.single = os.path.join(cls.temporary.name, "single")
        classes.make_class(cls.students, different=2)
        code, _, errors = classes.grade(cls.students, cls.single)
        assert (code, errors) == (0, ""), errors

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.out = os.path.join(self.temporary.name, "out %A $HOME " + self._testMethodName)

    def slurm(self, *arguments):
        code, text, errors = classes.grade(self.students, self.out, "--json", *arguments, env={"SLURM_CONF": SLURM.environment["SLURM_CONF"]})
        return code, json.loads(text) if text else None, errors

    def until(self, reached, seconds=60):
        deadline = time.monotonic() + seconds
        while not reached():
            self.assertLess(time.monotonic(), deadline, SLURM.logs())
            time.sleep(0.05)

    def until_over(self, job):
        self.until(lambda: SLURM.call("squeue", "-h", "-j", job).strip() in ("", "slurm_load_jobs error: Invalid job id specified"))

    def assert_same(self):
        wrong, count = classes.differing(self.single, self.out)
        self.assertEqual(wrong, [])
        self.assertGreater(count, 20)

    def test_cancelled_half_way_then_the_same_bytes(self):
        code, reply, errors = self.slurm("--slurm", "--shards", "2", "--partition", "teach", "--time", "10")
        self.assertEqual((code, errors), (0, ""))
        job = reply["slurm"]["job"]
        self.assertEqual((reply["slurm"]["action"], reply["slurm"]["shards"]["all"], reply["grade"]), ("submitted", 2, None))
        shards = classes.plan(self.out)["shards"]
        self.assertEqual([len(s) for s in shards], [3, 3])
        code, reply, _ = self.slurm("--slurm")
        self.assertEqual((code, reply["slurm"]["action"]), (1, "waiting"))
        # A kernel leaves two files, by PTX and by text: with more than one each, both shards are under way.
        self.until(lambda: len(classes.judgements(self.out)) >= 3)
        SLURM.call("scancel", f"{job}_2")
        self.until_over(job)
        code, reply, _ = self.slurm("--collect")
        self.assertEqual((code, reply["slurm"]["action"]), (1, "failed"))
        self.assertEqual(reply["slurm"]["shards"], {"all": 2, "done": 1, "running": 0, "waiting": 0, "failed": 1})
        failure = reply["slurm"]["failures"][0]
        self.assertEqual((failure["shard"], failure["code"], failure["mend"]), (2, "cancelled", False))
        self.assertIn(failure["node"], cluster.NODES)
        missing = reply["slurm"]["kernels"]["open"]
        self.assertIn(missing, (1, 2, 3))
        self.assertFalse(os.path.exists(os.path.join(self.out, "grades.csv")))
        code, reply, errors = self.slurm("--slurm", "--wait")
        self.assertEqual((code, reply["slurm"]["action"]), (0, "collected"), errors)
        again = classes.plan(self.out, 2)["shards"]
        self.assertEqual(sum(map(len, again)), missing)  # that, and nothing else
        texts = {k["submission"] for k in shards[1]}
        self.assertLessEqual({k["submission"] for s in again for k in s}, texts)
        self.assert_same()
        code, reply, _ = self.slurm("--slurm")
        self.assertEqual((code, reply["slurm"]["action"]), (0, "collected"))
        self.check_damaged()

    def check_damaged(self):
        """A judgement with a changed byte, and one that is another kernel's: neither counts."""
        store = [p for p in classes.judgements(self.out) if b'"state"' in p.read_bytes()]
        honest = {p: p.read_bytes() for p in store}
        for path in store:
            path.write_bytes(honest[path].replace(b'"passed":true', b'"passed":false'))
            self.assertNotEqual(path.read_bytes(), honest[path])
        code, reply, errors = self.slurm("--collect")
        self.assertEqual(code, 1)
        self.assertEqual(len(reply["slurm"]["damaged"]), 6)
        self.assertIn("its fingerprint does not fit it", errors)
        self.assertEqual(reply["slurm"]["failures"][0]["code"], "lost")
        for i, path in enumerate(store):
            path.write_bytes(honest[store[i - 1]])
        code, reply, _ = self.slurm("--collect")
        self.assertEqual((code, len(reply["slurm"]["damaged"])), (1, 6))
        for path in store:
            path.write_bytes(honest[path])
        self.assertEqual(self.slurm("--collect")[0], 0)

    def test_other_checks_on_the_node(self):
        """The plan asks for checks that the node's program was not built from: it judges nothing, and says why."""
        code, reply, errors = self.slurm("--slurm", "--shards", "1", "--sbatch", "--hold")
        self.assertEqual((code, errors), (0, ""))
        code, waiting, _ = classes.grade(self.students, self.out, "--slurm", env={"SLURM_CONF": SLURM.environment["SLURM_CONF"]})
        self.assertEqual(code, 1)
        self.assertIn("JobHeld", waiting)
        path = pathlib.Path(self.out, "slurm/run-1/plan.json")
        honest = path.read_text()
        path.write_text(honest.replace(classes.plan(self.out)["hashes"]["checks"], "0" * 64))
        SLURM.call("scontrol", "release", reply["slurm"]["job"])
        self.until_over(reply["slurm"]["job"])
        path.write_text(honest)
        self.assertEqual(classes.judgements(self.out), [])
        code, reply, errors = self.slurm("--slurm")
        self.assertEqual((code, reply["slurm"]["action"]), (3, "failed"), errors)
        failure = reply["slurm"]["failures"][0]
        self.assertEqual((failure["code"], failure["mend"]), ("other-tools", True))
        self.assertIn("Fingerprint `checks` differs", failure["message"])

    def test_folder_that_nodes_do_not_see(self):
        code, reply, errors = self.slurm("--slurm", "--shards", "2", "--sbatch", "--hold")
        self.assertEqual((code, errors), (0, ""))
        os.rename(self.out, self.out + " elsewhere")
        SLURM.call("scontrol", "release", reply["slurm"]["job"])
        self.until_over(reply["slurm"]["job"])
        os.rename(self.out + " elsewhere", self.out)
        code, reply, _ = self.slurm("--slurm")
        self.assertEqual(code, 3)
        self.assertEqual([f["code"] for f in reply["slurm"]["failures"]], ["out-not-shared"] * 2)

    def test_two_at_once(self):
        arguments = [classes.PROGRAM, "grade", self.students, "--out", self.out, "--chapters", "5,6", "--slurm", "--sbatch", "--hold"]
        both = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=SLURM.environment) for _ in range(2)]
        ends = [(p.communicate(timeout=100), p.returncode) for p in both]
        codes = sorted(code for _, code in ends)
        self.assertIn(codes, ([0, 1], [0, 3]), ends)  # the second one sees a lock, or a job that waits
        job = [text.split()[1] for (text, _), code in ends if code == 0][0]
        self.assertFalse(os.path.exists(os.path.join(self.out, "slurm/run-2")))
        SLURM.call("scancel", job)
        self.until_over(job)
        code, reply, _ = self.slurm("--collect")
        self.assertEqual((code, reply["slurm"]["failures"][0]["code"]), (1, "cancelled"))

    def test_what_sbatch_refuses(self):
        code, reply, errors = self.slurm("--slurm", "--partition", "nowhere")
        self.assertEqual((code, reply), (3, None))
        self.assertIn("Slurm did not take the job", errors)
        self.assertIn("nvalid partition", errors)
        self.assertFalse(os.path.exists(os.path.join(self.out, "slurm/run-1")))


def main():
    global SLURM
    lacks = classes.what_lacks()
    if lacks:
        print("skipped: " + lacks)
        return 77
    try:
        SLURM = cluster.Cluster()
    except cluster.NoCluster as reason:
        print(f"skipped: {reason}")
        return 77
    try:
        return 0 if unittest.main(verbosity=1, exit=False).result.wasSuccessful() else 1
    finally:
        SLURM.close()


if __name__ == "__main__":
    sys.exit(main())
