"""What is tracked is the project's own: no compiled code, no archive of somebody else's, nothing large.

Enters: the project's folder. Leaves: exit 1 with the files; 77, skipped, where there is no git."""
import pathlib
import subprocess
import sys

LARGEST_BYTES = 3 << 20  # tests/golden/forms.bin has 2.5 MB
COMPILED = {b"\x7fELF": "compiled code", b"!<arch>": "a library", b"PK\x03\x04": "an archive", b"\xfd7zX": "an archive", b"\x1f\x8b": "an archive"}

root = pathlib.Path(sys.argv[1])
listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=False)
if listed.returncode != 0:
    sys.exit(77)
wrong = []
for name in filter(None, listed.stdout.decode().split("\0")):
    path = root / name
    if path.is_symlink() or not path.is_file():
        continue
    with path.open("rb") as file:
        begins = file.read(8)
    kind = next((what for mark, what in COMPILED.items() if begins.startswith(mark)), "")
    if kind or path.stat().st_size > LARGEST_BYTES:
        wrong.append(f"{name}: {kind or 'large'}, {path.stat().st_size} bytes")
if wrong:
    sys.exit("tracked, and not to be: " + "; ".join(wrong) + ". Run: git rm --cached FILE")
