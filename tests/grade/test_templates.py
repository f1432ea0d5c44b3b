"""The templates of examples/classroom: their YAML is read, and their commands run in a student's clone.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. What a machine of GitHub or GitLab would do is played here: the
course is a folder whose `lab` is the built program, and `gh` and `curl` write down what they were asked to send."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

try:
    import yaml
except ImportError:
    raise SystemExit(77) from None  # skipped: nothing reads YAML here

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "examples/classroom"
# What the platforms set themselves.
GITHUB = {"GITHUB_REPOSITORY", "GITHUB_SHA"}
GITLAB = {"CI_API_V4_URL", "CI_PROJECT_ID", "CI_COMMIT_SHA"}
TOLD_IN_ITS_HEAD = {"COURSE_URL", "COURSE_REF", "CARD_TOKEN"}
# A program that keeps its words, and the file that it was to send.
RECORDER = """#!/bin/bash
printf '%s\\n' "$@" >>"$SENT/$(basename "$0")"
for word; do case $word in *=@*) cat "${word#*=@}" >>"$SENT/body" ;; *'=<'*) cat "${word#*=<}" >>"$SENT/body" ;; esac; done
"""


def template(name):
    return yaml.safe_load((TEMPLATES / name).read_text())


def github_commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


class Templates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        for name in ("bin", "sent", "course"):
            (self.at / name).mkdir()
        self.program("course/lab", '#!/bin/bash\ncase $1 in setup) exit 0 ;; esac\nexec "$LAB_PROGRAM" "$@"\n')
        for name in ("gh", "curl"):
            self.program(f"bin/{name}", RECORDER)
        for name in ("sudo", "apt-get"):  # bring what is here already
            self.program(f"bin/{name}", "#!/bin/bash\n")

    def program(self, name, text):
        path = self.at / name
        path.write_text(text)
        path.chmod(0o755)

    def student(self, folder):
        """A clone after chapter 05: one passed, one as it was handed out."""
        shutil.copytree(ROOT / "chapters", folder / "chapters", ignore=shutil.ignore_patterns("*.bak*"))
        for chapter, text in (("04_shared_tile", "skeleton.cu"), ("05_padding", "transpose.cu")):
            shutil.copy(ROOT / f"solutions/{chapter}/{text}", folder / f"chapters/{chapter}/transpose.cu")

    def shell(self, commands, **variables):
        env = dict(os.environ, PATH=f"{self.at}/bin:{os.environ['PATH']}", SENT=str(self.at / "sent"), CHAPTERS="4,5", **variables)
        for command in commands:
            done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=self.at, env=env, capture_output=True, text=True,
                                  timeout=300)
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")

    def sent(self, name):
        path = self.at / "sent" / name
        return path.read_text() if path.exists() else ""

    def is_the_card(self, text):
        self.assertRegex(text, r"\| 04\\_shared\\_tile \| 0 \|")
        self.assertRegex(text, r"\| 05\\_padding \| 13 \| 13 \| passed \|")
        self.assertTrue((self.at / "grades/junit.xml").exists())

    def test_github(self):
        job = template("github.yml")["jobs"]["card"]
        (self.at / "submission").mkdir()
        self.student(self.at / "submission")
        self.shell(github_commands(job), GITHUB_REPOSITORY="class/ada", GITHUB_SHA="1234abcd")
        self.assertEqual(self.sent("gh").split("\n")[:2], ["api", "repos/class/ada/commits/1234abcd/comments"])
        self.is_the_card(self.sent("body"))

    def gitlab(self, **variables):
        job = template("gitlab.yml")["card"]
        self.student(self.at)
        git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        for words in (["init", "-q"], ["add", "chapters"], ["commit", "-q", "-m", "05"]):
            subprocess.run([*git, *words], cwd=self.at, check=True)
        self.shell([*job["before_script"], *job["script"]], CI_API_V4_URL="https://git.example.org/api/v4", CI_PROJECT_ID="7",
                   CI_COMMIT_SHA="1234abcd", COURSE_URL="unused", COURSE_REF="v1", **variables)

    def test_gitlab(self):
        self.gitlab(CARD_TOKEN="secret")
        self.assertIn("https://git.example.org/api/v4/projects/7/repository/commits/1234abcd/comments\n", self.sent("curl"))
        self.assertIn("PRIVATE-TOKEN: secret\n", self.sent("curl"))
        self.is_the_card(self.sent("body"))

    def test_gitlab_without_a_token_sends_nothing(self):
        self.gitlab(CARD_TOKEN="")
        self.assertEqual(self.sent("curl"), "")
        self.is_the_card((self.at / "grades/github-summary.md").read_text())

    def test_each_variable_is_set_somewhere(self):
        github = template("github.yml")["jobs"]["card"]
        gitlab = template("gitlab.yml")["card"]
        own = set(github["env"]) | {name for step in github["steps"] for name in step.get("env", {})}
        for commands, known in ((github_commands(github), own | GITHUB),
                                (gitlab["before_script"] + gitlab["script"], set(gitlab["variables"]) | GITLAB | TOLD_IN_ITS_HEAD)):
            used = set(re.findall(r"\$\{?([A-Z][A-Z0-9_]*)", "\n".join(commands)))
            self.assertGreater(len(used), 2)
            self.assertEqual(used - known, set())

    def test_the_grader_is_not_the_students(self):
        for name in ("github.yml", "gitlab.yml"):
            for command in re.findall(r"(\S*lab) (?:setup|grade)", (TEMPLATES / name).read_text()):
                self.assertEqual(command, "course/lab")


if __name__ == "__main__":
    unittest.main()
