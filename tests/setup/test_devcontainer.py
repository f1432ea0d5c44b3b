"""The devcontainer: what editors read is what it should be, and packages are named in one place only.

Enters: the project. Leaves: unittest's verdict. Without a container engine the container itself is not built here."""
import json
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / ".devcontainer/Dockerfile").read_text()
CONTAINER = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())


class Devcontainer(unittest.TestCase):
    def test_builds_from_the_dockerfile_beside_it(self):
        self.assertTrue((ROOT / ".devcontainer" / CONTAINER["build"]["dockerfile"]).is_file())
        self.assertRegex(DOCKERFILE, r"(?m)^FROM debian:12$")

    def test_setup_installs_the_rest(self):
        self.assertEqual(CONTAINER["postCreateCommand"], "./lab setup")

    def test_no_second_list_of_packages(self):
        ours = subprocess.run(["sh", "-c", f". '{ROOT}/tools/setup/needs.sh'; packages_for nvcc; packages_for clang"],
                              capture_output=True, text=True, check=True).stdout.split()
        self.assertGreater(len(ours), 10)
        installed = re.search(r"apt-get install -y --no-install-recommends ([a-z0-9 .+-]+)", DOCKERFILE)[1].split()
        self.assertEqual(set(ours) & set(installed), set())

    def test_the_user_may_install(self):
        user = CONTAINER["remoteUser"]
        self.assertIn(f"useradd --create-home --shell /bin/bash {user}", DOCKERFILE)
        self.assertIn(f"{user} ALL=(ALL) NOPASSWD: ALL", DOCKERFILE)

    def test_the_editor_reads_kernels_with_clangd(self):
        clangd = json.loads((ROOT / ".vscode/extensions.json").read_text())["recommendations"]
        self.assertEqual(clangd, ["llvm-vs-code-extensions.vscode-clangd"])
        inside = CONTAINER["customizations"]["vscode"]
        self.assertEqual(inside["extensions"], [*clangd, "NVIDIA.nsight-vscode-edition"])
        self.assertEqual(inside["settings"]["C_Cpp.intelliSenseEngine"], "disabled")  # whatever installs it
        self.assertRegex(DOCKERFILE, r"apt-get install [a-z0-9 .+-]*\bclangd\b")

    def test_gpu_is_no_condition(self):
        self.assertEqual(CONTAINER["hostRequirements"]["gpu"], "optional")


if __name__ == "__main__":
    unittest.main()
