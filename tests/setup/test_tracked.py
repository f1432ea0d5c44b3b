"""Nothing large is tracked, such as a library of the toolkit.

Enters: the project's folder. Leaves: exit 1 with the files; 77, skipped, where there is no git."""
import pathlib
import shutil
import subprocess
import sys

LARGEST_BYTES = 3 << 20  # tests/golden/forms.bin has 2.5 MB

if shutil.which("git") is None:
    sys.exit(77)
root = pathlib.Path(sys.argv[1])
listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=False)
if listed.returncode != 0:
    sys.exit(77)
wrong = []
for name in filter(None, listed.stdout.decode().split("\0")):
    path = root / name
    if path.is_symlink() or not path.is_file():
        continue
    size_bytes = path.stat().st_size
    if size_bytes > LARGEST_BYTES:
        wrong.append(f"{name}: {size_bytes} bytes")
if wrong:
    sys.exit("tracked, and not to be: " + "; ".join(wrong) + ". Run: git rm --cached FILE")
