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
# A program that keeps its words, and the file that it was to send; it fails where there is none.
RECORDER = """#!/bin/bash
set -e
printf '%s\\n' "$@" >>"$SENT/$(basename "$0")"
for word; do case $word in *=@*) cat "${word#*=@}" >>"$SENT/body" ;; *'=<'*) cat "${word#*=<}" >>"$SENT/body" ;; esac; done
"""


def template(name):
    return yaml.safe_load((TEMPLATES / name).read_text())


def github_commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def gitlab_commands(job):
    return [*job["before_script"], *job["script"]]


class StepFailed(Exception):
    """A command of a template ended with another code than 0: the platform stops there, and shows a red job."""

    def __init__(self, command, said):
        super().__init__(f"{command}\n{said}")
        self.command = command


def as_it_is(text):
    return text


class Templates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        self.tidy()

    def tidy(self):
        """The machine as a job finds it."""
        for path in self.at.iterdir():
            shutil.rmtree(path)
        for name in ("bin", "sent", "course"):
            (self.at / name).mkdir()
        self.program("course/lab", '#!/bin/bash\ncase $1 in setup) exit 0 ;; esac\nexec "$LAB_PROGRAM" "$@"\n')
        for name in ("gh", "curl"):
            self.program(f"bin/{name}", RECORDER)
        for name in ("sudo", "apt-get"):  # install what is here already
            self.program(f"bin/{name}", "#!/bin/bash\n")

    def program(self, name, text):
        path = self.at / name
        path.write_text(text)
        path.chmod(0o755)

    def student(self, folder, change):
        """A clone after chapter 05: one passed, or what `change` makes of it; one as it was handed out."""
        shutil.copytree(ROOT / "chapters", folder / "chapters", ignore=shutil.ignore_patterns("*.bak*"))
        for chapter, text in (("04_shared_tile", "skeleton.cu"), ("05_padding", "transpose.cu")):
            shutil.copy(ROOT / f"solutions/{chapter}/{text}", folder / f"chapters/{chapter}/transpose.cu")
        kernel = folder / "chapters/05_padding/transpose.cu"
        kernel.write_text(change(kernel.read_text()))

    def shell(self, commands, **variables):
        env = dict(os.environ, PATH=f"{self.at}/bin:{os.environ['PATH']}", SENT=str(self.at / "sent"), CHAPTERS="4,5", **variables)
        for command in commands:
            done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=self.at, env=env, capture_output=True, text=True,
                                  timeout=300)
            if done.returncode != 0:
                raise StepFailed(command, done.stdout + done.stderr)

    def sent(self, name):
        path = self.at / "sent" / name
        return path.read_text() if path.exists() else ""

    def is_the_card(self, text):
        self.assertRegex(text, r"\| 04\\_shared\\_tile \| 0 \|")
        self.assertRegex(text, r"\| 05\\_padding \| 13 \| 13 \| passed \|")
        self.assertTrue((self.at / "grades/junit.xml").exists())

    def github(self, change=as_it_is, commands=None):
        (self.at / "submission").mkdir()
        self.student(self.at / "submission", change)
        self.shell(commands or github_commands(template("github.yml")["jobs"]["card"]), GITHUB_REPOSITORY="class/ada",
                   GITHUB_SHA="1234abcd")

    def gitlab(self, change=as_it_is, commands=None, token="secret"):
        self.student(self.at, change)
        git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        for words in (["init", "-q"], ["add", "chapters"], ["commit", "-q", "-m", "05"]):
            subprocess.run([*git, *words], cwd=self.at, check=True)
        self.shell(commands or gitlab_commands(template("gitlab.yml")["card"]), CI_API_V4_URL="https://git.example.org/api/v4",
                   CI_PROJECT_ID="7", CI_COMMIT_SHA="1234abcd", COURSE_URL="unused", COURSE_REF="v1", CARD_TOKEN=token)

    def test_github(self):
        self.github()
        self.assertEqual(self.sent("gh").split("\n")[:2], ["api", "repos/class/ada/commits/1234abcd/comments"])
        self.is_the_card(self.sent("body"))

    def test_gitlab(self):
        self.gitlab()
        self.assertIn("https://git.example.org/api/v4/projects/7/repository/commits/1234abcd/comments\n", self.sent("curl"))
        self.assertIn("PRIVATE-TOKEN: secret\n", self.sent("curl"))
        self.is_the_card(self.sent("body"))

    def test_gitlab_without_a_token_sends_nothing(self):
        self.gitlab(token="")
        self.assertEqual(self.sent("curl"), "")
        self.is_the_card((self.at / "grades/github-summary.md").read_text())

    def is_the_card_of_a_failure(self, diagnosis):
        """The job is green all the same: a red one is for a course that does not work."""
        self.assertRegex(self.sent("body").replace("\\", ""), rf"\| 05_padding \| \d+ \| 13 \| .*{diagnosis}")
        self.assertNotRegex(self.sent("body"), r"\| passed \|")
        self.assertIn("<failure", (self.at / "grades/junit.xml").read_text())

    def test_github_of_a_kernel_with_a_race(self):
        self.github(lambda text: text.replace("__syncthreads();", ""))
        self.is_the_card_of_a_failure("with no barrier between: put")

    def test_gitlab_of_a_kernel_that_does_not_compile(self):
        self.gitlab(lambda text: text.replace("threadIdx.x", "thredIdx.x"))
        self.is_the_card_of_a_failure("The kernel does not compile; .*thredIdx")

    def test_a_broken_step_stops_the_job(self):
        """A course that cannot be set up or cannot grade, a card that cannot be sent: never a green job."""
        broken = "#!/bin/bash\nexit 9\n"
        cannot_grade = "#!/bin/bash\n[ $1 != grade ]\n"
        for play, name, text in ((self.github, "course/lab", broken), (self.github, "course/lab", cannot_grade),
                                 (self.github, "bin/gh", broken),
                                 (self.gitlab, "course/lab", broken), (self.gitlab, "course/lab", cannot_grade),
                                 (self.gitlab, "bin/apt-get", broken), (self.gitlab, "bin/curl", broken)):
            with self.subTest(play=play.__name__, broken=name):
                self.tidy()
                self.program(name, text)
                with self.assertRaises(StepFailed) as stopped:
                    play()
                self.assertIn(pathlib.Path(name).name, stopped.exception.command)

    def test_a_misspelt_step_is_noticed(self):
        """A template with another option, folder or file fails here, and not first in a class."""
        github = github_commands(template("github.yml")["jobs"]["card"])
        gitlab = gitlab_commands(template("gitlab.yml")["card"])
        for play, commands, old, new in ((self.github, github, "--one submission", "--one submision"),
                                         (self.github, github, "--format github", "--formats github"),
                                         (self.github, github, "github-summary.md", "summary.md"),
                                         (self.gitlab, gitlab, "mkdir submission && ", ""),
                                         (self.gitlab, gitlab, "--out grades", "--out grade"),
                                         (self.gitlab, gitlab, "<grades/github-summary.md", "<grades/summary.md"),
                                         (self.gitlab, gitlab, "course/lab setup", "curse/lab setup")):
            with self.subTest(play=play.__name__, new=new):
                self.tidy()
                wrong = [command.replace(old, new) for command in commands]
                self.assertNotEqual(wrong, commands)
                with self.assertRaises(StepFailed):
                    play(commands=wrong)

    def test_each_variable_is_set_somewhere(self):
        github = template("github.yml")["jobs"]["card"]
        gitlab = template("gitlab.yml")["card"]
        own = set(github["env"]) | {name for step in github["steps"] for name in step.get("env", {})}
        for commands, known in ((github_commands(github), own | GITHUB),
                                (gitlab_commands(gitlab), set(gitlab["variables"]) | GITLAB | TOLD_IN_ITS_HEAD)):
            used = set(re.findall(r"\$\{?([A-Z][A-Z0-9_]*)", "\n".join(commands)))
            self.assertGreater(len(used), 2)
            self.assertEqual(used - known, set())

    def test_the_grader_is_not_the_students(self):
        for name in ("github.yml", "gitlab.yml"):
            for command in re.findall(r"(\S*lab) (?:setup|grade)", (TEMPLATES / name).read_text()):
                self.assertEqual(command, "course/lab")


if __name__ == "__main__":
    unittest.main()
