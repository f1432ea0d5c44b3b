"""`lab grade --slurm` with stand-ins for sbatch, squeue and sacct: what goes wrong on clusters, and what an instructor reads then.

Enters: LAB_PROGRAM, LAB_ROOT. Leaves: one unittest verdict. The stand-in for sbatch runs the shards of the job script at once, those
that a test wants, on "nodes" that a test may spoil; the other two print what a file of the test says."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import classes

SBATCH = r"""#!/bin/sh
echo call >>"$FAKE/calls"
if [ -f "$FAKE/refusal" ]; then cat "$FAKE/refusal" >&2; exit 1; fi
if [ -f "$FAKE/dies-before" ]; then kill -KILL $PPID; sleep 5; fi
name=$(sed -n 's/^#SBATCH --job-name=//p' "$2")
count=$(sed -n 's/^#SBATCH --array=1-//p' "$2")
echo "$name" >"$FAKE/name"
if [ -f "$FAKE/dies-after" ]; then echo "77|1|PENDING|Priority|" >"$FAKE/queue"; kill -KILL $PPID; sleep 5; fi
sed -f "$FAKE/spoil" "$2" >"$FAKE/job.sh"
for task in $(cat "$FAKE/tasks" 2>/dev/null || seq "$count"); do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_JOB_ID=77 SLURMD_NODENAME=node$task sh "$FAKE/job.sh"
  echo "77_$task|$?" >>"$FAKE/ends"
done
echo "sbatch: a warning of this site"
echo "77;teaching"
"""
SQUEUE = r"""#!/bin/sh
if [ -f "$FAKE/silence" ]; then echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; fi
case "$*" in *--name="$(cat "$FAKE/name")"*) cat "$FAKE/queue" 2>/dev/null ;; esac
exit 0
"""
SACCT = r"""#!/bin/sh
[ -f "$FAKE/sacct" ] || { echo "Slurm accounting storage is disabled" >&2; exit 1; }
cat "$FAKE/sacct"
"""
SCONTROL = r"""#!/bin/sh
[ -f "$FAKE/scontrol" ] && exec cat "$FAKE/scontrol"
exit 1
"""

# Four million of them, none deep: any compiler needs many seconds.
MANY_TEMPLATES = """template <int a, int b, int c, int d, bool end = (a == 0 || b == 0 || c == 0 || d == 0)> struct S;
template <int a, int b, int c, int d> struct S<a, b, c, d, true> { static constexpr unsigned v = 1; };
template <int a, int b, int c, int d> struct S<a, b, c, d, false> {
  static constexpr unsigned v = S<a - 1, b, c, d>::v + S<a, b - 1, c, d>::v + S<a, b, c - 1, d>::v + S<a, b, c, d - 1>::v;
};
constexpr unsigned x = S<45, 45, 45, 45>::v;
"""


class Fake(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="lab o'slurm ")
        self.addCleanup(temporary.cleanup)
        self.students, self.out, self.fake = (os.path.join(temporary.name, n) for n in ("the class", "out $x", "fake"))
        os.makedirs(os.path.join(self.fake, "bin"))
        for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE), ("sacct", SACCT), ("scontrol", SCONTROL)):
            path = pathlib.Path(self.fake, "bin", name)
            path.write_text(text)
            path.chmod(0o755)
        self.say("spoil", "")
        self.say("name", "none")
        # Four texts that no compiler takes: judged in a moment, and each with words of its own.
        for number, name in enumerate(classes.NAMES[:2]):
            for chapter in ("05_padding", "06_xor_swizzle"):
                classes.put(self.students, f"{name}/{chapter}.cu", f"student {number} of {chapter}\n")

    def say(self, name, text):
        pathlib.Path(self.fake, name).write_text(text)

    def unsay(self, name):
        os.remove(os.path.join(self.fake, name))

    def calls(self):
        path = pathlib.Path(self.fake, "calls")
        return path.read_text().count("call") if path.exists() else 0

    def grade(self, *arguments, out=None, **env):
        env = dict(env, FAKE=self.fake, PATH=os.path.join(self.fake, "bin") + ":" + os.environ["PATH"])
        return classes.grade(self.students, out or self.out, *arguments, env=env)

    def slurm(self, *arguments, **env):
        code, text, errors = self.grade("--slurm", "--json", *arguments, **env)
        return code, json.loads(text) if text else None, errors

    def failed(self, code, needs_fix):
        """The next call says that one shard of two failed so; whether it submits again follows from `mend`."""
        got, text, _ = self.grade("--collect")
        self.assertEqual(got, 3 if needs_fix else 1)
        got, reply, _ = self.slurm("--collect")
        self.assertEqual(got, 3 if needs_fix else 1)
        self.assertEqual([(f["code"], f["mend"]) for f in reply["slurm"]["failures"]], [(code, needs_fix)])
        self.assertIn(reply["slurm"]["failures"][0]["message"], text)
        return reply["slurm"]["failures"][0]

    def assert_same(self, also=()):
        single = self.out + " single"
        self.assertEqual(self.grade(out=single)[0], 0)
        wrong, count = classes.differing(single, self.out)
        self.assertEqual(wrong, list(also))
        self.assertGreater(count, 10)


class GoesWell(Fake):
    def test_submit_and_collect(self):
        code, text, errors = self.grade("--slurm", "--shards", "3", "-j", "2", "--account", "cs101", "--sbatch", "--qos=teach --nice")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("job 77 submitted: 3 shards for 4 kernels", text)
        command = text.splitlines()[-1].strip()
        self.assertTrue(command.startswith("./lab grade "), text)
        words = subprocess.run(["sh", "-c", f"printf '%s\\n' {command[6:]}"], capture_output=True, text=True).stdout.splitlines()
        self.assertEqual(words[:4], ["grade", self.students, "--out", self.out])  # it can be copied, whatever the names are
        script = pathlib.Path(self.out, "slurm/run-1/job.sh").read_text()
        for line in ("--array=1-3", "--cpus-per-task=2", "--account=cs101", "--qos=teach --nice"):
            self.assertIn(f"#SBATCH {line}\n", script)
        code, text, errors = self.grade("--slurm")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("2 submissions, 4 kernels, 4 different", text)
        self.assert_same()
        self.assertEqual(self.calls(), 1)

    def test_wait(self):
        code, reply, _ = self.slurm("--wait")
        self.assertEqual((code, reply["slurm"]["action"], reply["slurm"]["job"]), (0, "collected", "77"))
        self.assertEqual((reply["grade"]["complete"], reply["grade"]["kernels"]), (True, 4))

    def test_more_shards_than_kernels(self):
        self.assertEqual(self.slurm("--shards", "900")[1]["slurm"]["shards"]["all"], 4)

    def test_dry_run(self):
        code, text, errors = self.grade("--slurm", "--dry-run", "--partition", "teach", PATH=os.environ["PATH"], NVCC_CCBIN="g++-12")
        self.assertEqual(code, 0)
        self.assertIn("export NVCC_CCBIN=g++-12\n", text, "what decides how a kernel is compiled goes to the nodes")
        self.assertIn("#SBATCH --partition=teach\n", text)
        self.assertIn("1 shards for 4 kernels", errors)
        self.assertFalse(os.path.exists(self.out))
        self.assertEqual(subprocess.run(["sh", "-n"], input=text.encode()).returncode, 0)
        self.assertEqual(self.slurm("--dry-run", "--partition", "teach")[1]["slurm"]["action"], "dry-run")

    def test_waiting_says_why(self):
        self.say("tasks", "1")
        self.slurm("--shards", "2")
        self.say("queue", "77|2|PENDING|ReqNodeNotAvail, UnavailableNodes:node7|\n")
        code, text, _ = self.grade("--slurm")
        self.assertEqual(code, 1)
        self.assertIn("job 77: 1 of 2 shards done, 0 running, 1 waiting, 0 failed; 2 of 4 kernels judged", text)
        self.assertIn("ReqNodeNotAvail", text)
        self.assertIn("作业 77", self.grade("--slurm", LAB_LANG="zh")[1])
        self.assertEqual(self.calls(), 1)

    def test_what_limits_ended_counts_and_can_be_tried_again(self):
        classes.put(self.students, "slow/05_padding.cu", MANY_TEMPLATES)
        env = {"LAB_COMPILE_SECONDS": "1"}
        code, reply, _ = self.slurm("--wait", **env)
        record = json.loads(pathlib.Path(self.out, "records/slow/05_padding.json").read_text())
        if record["state"] != "limit":
            self.skipTest("this compiler gives up before a second has passed")
        self.assertEqual(self.grade("--slurm", **env)[0], 0)
        self.assertEqual(self.calls(), 1)
        self.say("tasks", "")
        self.assertEqual(self.slurm("--resubmit", **env)[1]["slurm"]["action"], "submitted")
        self.assertEqual(self.slurm("--collect", **env)[1]["slurm"]["kernels"]["open"], 1)  # the old answer is void
        self.assertEqual([[k["student"] for k in s] for s in classes.plan(self.out, 2)["shards"]], [["slow"]])


class GoesWrong(Fake):
    def test_no_slurm_here(self):
        programs = {name: shutil.which(os.environ.get(name) or program) or "" for name, program in
                    (("LAB_NVCC", "nvcc"), ("LAB_CLANG", "clang++"))}
        code, text, errors = classes.grade(self.students, self.out, "--slurm", env=dict({k: v for k, v in programs.items() if v}, PATH="/nowhere"))
        self.assertEqual((code, text), (3, ""))
        self.assertIn("no sbatch on PATH", errors)
        self.assertIn("--dry-run", errors)

    def test_bad_commands(self):
        for arguments, words in ((["--collect"], "Nothing was ever submitted"), (["--slurm", "--fresh"], "new folder"),
                                 (["--slurm", "--partition", "a b"], "blanks"), (["--slurm", "--time", "1\n#SBATCH --array=1-9"], "blanks"),
                                 (["--slurm", "--sbatch", "--qos=x --array=1-9"], "--array is set by lab"), (["--slurm", "--sbatch", "a\nb"], "one line"),
                                 (["--slurm", "--shards", "0"], "--shards")):
            with self.subTest(arguments=arguments):
                code, text, errors = self.grade(*arguments)
                self.assertEqual((code, text), (2, ""))
                self.assertIn(words, errors)
        self.assertEqual(self.calls(), 0)

    def test_slurm_refuses(self):
        self.say("refusal", "sbatch: error: Batch job submission failed: Invalid account\n")
        code, _, errors = self.grade("--slurm")
        self.assertEqual(code, 3)
        self.assertIn("Slurm did not take the job: sbatch: error: Batch job submission failed: Invalid account", errors)
        self.unsay("refusal")
        self.assertEqual(self.slurm()[1]["slurm"]["action"], "submitted")
        self.assertTrue(os.path.exists(os.path.join(self.out, "slurm/run-1")))

    def test_controller_is_down(self):
        self.say("tasks", "1")
        self.slurm("--shards", "2")
        self.say("silence", "")
        code, _, errors = self.grade("--slurm")
        self.assertEqual(code, 3)
        self.assertIn("squeue does not answer", errors)
        self.assertEqual(self.calls(), 1)

    def test_ends_that_slurm_remembers(self):
        self.say("tasks", "1")
        self.slurm("--shards", "2")
        for line, code in (("77_2|TIMEOUT|0:0|node9", "time-limit"), ("77_2|NODE_FAIL|0:0|node9", "node-failed"),
                           ("77_2|OUT_OF_MEMORY|0:125|node9", "out-of-memory"), ("77_[2-5%1]|CANCELLED by 1000|0:0|None assigned", "cancelled")):
            self.say("sacct", "77_1|COMPLETED|0:0|node1\n" + line + "\n")
            failure = self.failed(code, needs_fix=False)
            self.assertEqual(failure["node"], "node9" if "node9" in line else "")
        self.say("sacct", "77_2|FAILED|41:0|node9\n")
        self.failed("out-not-shared", needs_fix=True)
        os.remove(os.path.join(self.fake, "sacct"))
        self.say("scontrol", "JobId=78 ArrayJobId=77 ArrayTaskId=2 JobState=NODE_FAIL Reason=NodeFail ExitCode=0:0 NodeList=node3\n")
        self.assertEqual(self.failed("node-failed", needs_fix=False)["node"], "node3")
        self.unsay("tasks")
        code, text, _ = self.grade("--slurm")  # again, and only what is missing
        self.assertEqual(code, 0)
        self.assertIn("Its node failed.", text)
        self.assertEqual(sum(map(len, classes.plan(self.out, 2)["shards"])), 2)
        self.assertEqual(self.grade("--slurm")[0], 0)
        self.assert_same()

    def test_a_task_that_was_cancelled_while_it_waited(self):
        self.say("tasks", "1")
        self.slurm("--shards", "2")
        self.failed("never-began", needs_fix=False)
        self.unsay("tasks")
        self.assertEqual(self.slurm("--wait")[0], 0)  # the same command: what is missing is submitted again
        self.assert_same()

    def test_no_trace(self):
        self.say("tasks", "")
        self.slurm("--shards", "1")
        self.failed("no-trace", needs_fix=True)
        self.assertEqual(self.slurm()[0], 3)
        self.assertEqual(self.calls(), 1)
        self.unsay("tasks")
        self.assertEqual(self.slurm("--resubmit", "--wait")[0], 0)

    def spoiled(self, sed, code, words):
        self.say("spoil", sed)
        self.slurm("--shards", "1")
        self.assertIn(words, self.failed(code, needs_fix=True)["message"])
        self.assertEqual(classes.judgements(self.out), [])
        self.assertEqual(self.slurm()[0], 3)
        self.assertEqual(self.calls(), 1)
        self.say("spoil", "")  # fixed
        self.assertEqual(self.slurm("--resubmit", "--wait")[0], 0)
        self.assert_same()

    def test_node_without_walls(self):
        self.spoiled("s|^shard=|export LAB_BWRAP=/nowhere/bwrap\\n&|", "no-sandbox", "bubblewrap")

    def test_node_without_the_lab(self):
        self.spoiled("s|^lab=.*|lab=/nowhere/lab|", "failed", "does not start here")

    def test_node_with_another_course(self):
        other = os.path.join(self.fake, "course")
        os.makedirs(os.path.join(other, "common"))
        for entry in list(classes.ROOT.iterdir()) + list((classes.ROOT / "common").iterdir()):
            if entry.name not in ("common", "kernel"):
                os.symlink(entry, os.path.join(other, entry.relative_to(classes.ROOT)))
        shutil.copytree(classes.ROOT / "common/kernel", os.path.join(other, "common/kernel"))
        with open(os.path.join(other, "common/kernel/lab.cuh"), "a") as file:
            file.write("// changed\n")
        self.spoiled(f"s|^export LAB_ROOT=.*|export LAB_ROOT=\"{other}\"|", "other-tools", "Fingerprint `headers` differs")

    def test_reports_that_do_not_fit(self):
        self.slurm("--shards", "1")
        report = pathlib.Path(self.out, "slurm/run-1/reports/1.json")
        honest = report.read_text()
        gone = classes.judgements(self.out)[0]
        gone.unlink()
        self.failed("lost", needs_fix=False)
        report.write_text(honest.replace(classes.plan(self.out)["hashes"]["checks"], "0" * 64))
        self.assertIn("fingerprint `checks` differs", self.failed("other-tools", needs_fix=True)["message"])
        for text in ("", "{", "[]", honest.replace('"shard": 1', '"shard": 2'), honest.replace("lab-grade-", "lab-grade-0")):
            report.write_text(text)
            self.failed("damaged-report", needs_fix=False)

    def test_damaged_plan(self):
        self.slurm("--shards", "1")
        plan = pathlib.Path(self.out, "slurm/run-1/plan.json")
        classes.judgements(self.out)[0].unlink()
        for text in ("", "{", "[]", plan.read_text().replace("05_padding", "05_other")):
            plan.write_text(text)
            code, _, errors = self.grade("--slurm")
            self.assertEqual(code, 2)
            self.assertIn("plan.json is damaged", errors)

    def test_submissions_changed_meanwhile(self):
        self.slurm("--shards", "1")
        before = hashlib.sha256(pathlib.Path(self.students, "ann/05_padding.cu").read_bytes()).hexdigest()
        classes.put(self.students, "ann/05_padding.cu", "another text\n")
        classes.put(self.students, "late/06_xor_swizzle.cu", "a late one\n")
        code, text, _ = self.grade("--collect")
        self.assertEqual(code, 1)
        self.assertIn("2 kernels are new or changed since job 77 was submitted: ann 05_padding, late 06_xor_swizzle", text)
        code, reply, _ = self.slurm("--wait")
        self.assertEqual(code, 0)
        self.assertEqual(sum(map(len, classes.plan(self.out, 2)["shards"])), 2)
        self.assert_same(also=[f"sources/{before}.cu"])  # the text that was handed in first stays at hand

    def test_cut_off_before_slurm_had_it(self):
        self.say("dies-before", "")
        self.assertEqual(self.grade("--slurm")[0], -9)
        self.assertTrue(os.path.exists(os.path.join(self.out, "slurm/run-1/plan.json")))
        self.unsay("dies-before")
        code, reply, errors = self.slurm()
        self.assertEqual((code, reply["slurm"]["action"]), (0, "submitted"))
        self.assertIn("ended before Slurm had the job", errors)
        self.assertEqual(self.slurm()[1]["slurm"]["action"], "collected")
        self.assertFalse(os.path.exists(os.path.join(self.out, "slurm/run-2")))

    def test_cut_off_after_slurm_had_it(self):
        self.say("dies-after", "")
        self.assertEqual(self.grade("--slurm")[0], -9)
        code, reply, _ = self.slurm()
        self.assertEqual((code, reply["slurm"]["action"], reply["slurm"]["job"]), (1, "waiting", "77"))
        self.assertEqual(self.calls(), 1)


if __name__ == "__main__":
    if classes.what_lacks():
        print("skipped: " + classes.what_lacks())
        sys.exit(77)
    unittest.main(verbosity=1)
