"""A class as it comes in: 60 submissions of chapter 05, with every oddity that an instructor met, and hostile kernels.

Enters: the project. Leaves: submission folders, submitted.csv, a rubric; expected.tsv says what each must get."""
import io
import os
import pathlib
import tarfile
import zipfile

import hostile_kernels

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUBRIC = """key = "a class of sixty"
[late]
deadline = 2027-03-01T23:59:00+01:00
grace_minutes = 10
percent_per_day = 20
last_day = 3
extensions = { with_more_time = 2027-03-05T23:59:00+01:00, nobody = 2027-03-05T23:59:00+01:00 }
["05_padding"]
conflict-free = { points = 4, start = 32 }
"""
# student → (file, time): what the platform says.
HAND_INS = [
    ("on_time", "05_padding.cu", "2027-03-01T22:00:00Z"), ("in_grace", "05_padding.cu", "2027-03-02T00:05:00+01:00"),
    ("one_day_late", "05_padding.cu", "2027-03-02 15:00 +0100"), ("too_late", "", "2027-03-09T00:00:00Z"),
    ("late_folder", "05_padding.cu", "2027-03-01T10:00:00Z"), ("late_folder", "late/05_padding.cu", "2027-03-02T10:00:00Z"),
    ("second_copy", "05_padding.cu", "2027-03-01T10:00:00Z"), ("second_copy", "second_copy/05_padding (1).cu", "2027-03-01T11:00:00Z"),
    ("twice_listed", "twice_listed", "2027-03-01T10:00:00Z"), ("twice_listed", "twice_listed.zip", "2027-03-01T12:00:00Z"),
    ("absent", "05_padding.cu", "2027-03-01T10:00:00Z"),
    ("ZOE\u0308", "", "2027-03-02T10:00:00Z"), ("listed_otherwise", "work.zip", "2027-03-02T10:00:00Z"),
    ("renamed", "hw_5.cu", "2027-03-02T10:00:00Z"), ("with_more_time", "", "2027-03-04T10:00:00Z"),
]


def kernel(place):
    return (ROOT / place).read_bytes()


def put(folder, name, content):
    path = pathlib.Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def put_zip(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)


def make(folder):
    """Writes class/, rubric.toml and class/submitted.csv."""
    students = pathlib.Path(folder, "class")
    right, skeleton = kernel("solutions/05_padding/transpose.cu"), kernel("solutions/05_padding/skeleton.cu")
    for name, (text, _) in hostile_kernels.KERNELS.items():
        put(students, f"hostile_{name}/05_padding.cu", text.encode())
    for name in ("on_time", "in_grace", "one_day_late", "too_late", "with_more_time"):
        put(students, f"{name}/05_padding.cu", right)
    for name in ("late_folder", "late_folder_unlisted"):
        put(students, f"{name}/05_padding.cu", skeleton)
        put(students, f"{name}/late/05_padding.cu", right)
    for name in ("second_copy", "second_copy_unlisted"):
        put(students, f"{name}/05_padding.cu", skeleton)
        put(students, f"{name}/05_padding (1).cu", right)
    for name in ("twice_listed", "twice"):
        put(students, f"{name}/05_padding.cu", skeleton)
        put_zip(students / f"{name}.zip", [("05_padding.cu", right)])
    text = right.decode()
    put(students, "utf16_le/05_padding.cu", b"\xff\xfe" + text.encode("utf-16-le"))
    put(students, "utf16_be/05_padding.cu", b"\xfe\xff" + text.encode("utf-16-be"))
    put(students, "utf16_no_mark/05_padding.cu", text.replace("×", "x").encode("utf-16-le"))
    put(students, "utf8_mark/05_padding.cu", b"\xef\xbb\xbf" + right)
    put(students, "five_megabytes/05_padding.cu", right + b"// " + b"x" * (5 << 20))
    put(students, "final/final_FINAL.cu", right)
    put(students, "final/notes.txt", b"see final")
    put(students, "as_text/05_padding.cu.txt", right)
    inner = io.BytesIO()
    put_zip(inner, [("05_padding.cu", right)])
    put_zip(students / "zip_in_zip.zip", [("work/inner.zip", inner.getvalue())])
    os.symlink(students / "on_time", students / "a_link")
    put(students, "file_link/README.txt", b"x")
    os.symlink("/etc/passwd", students / "file_link/05_padding.cu")
    put(students, "other_chapter/06_xor_swizzle/transpose.cu", kernel("solutions/06_xor_swizzle/skeleton.cu"))
    put(students, "other_unnamed/transpose.cu", kernel("solutions/06_xor_swizzle/skeleton.cu"))
    put(students, "nothing/README.md", b"sorry")
    (students / "empty_folder").mkdir()
    put(students, "empty_file/05_padding.cu", b"")
    put(students, "binary/05_padding.cu", bytes(range(256)) * 4)
    put(students, "broken/05_padding.cu", text.replace("__syncthreads();", "__syncthread();").encode())
    put(students, "includes_solution/05_padding.cu", b'#include "../../solutions/05_padding/transpose.cu"\n')
    put(students, "=cmd|x/05_padding.cu", right)
    put(students, "Zoë Ω/Padding/kernel.cu", right)
    put(students, "clone/chapters/05_padding/transpose.cu", right)
    put(students, "clone/solutions/05_padding/transpose.cu", b"never looked at")
    put(students, "untouched/ch5/transpose.cu", skeleton)
    put(students, "renamed/hw_05.cu", right.replace(b"tile[", b"brick["))
    for mutant in ("two_columns", "no_padding", "one_more_row", "much_padding", "conflict_on_store"):
        put(students, f"{mutant}/05_padding.cu", kernel(f"tests/mutants/course/05_{mutant}.cu"))
    put(students, "reads_twice/05_padding.cu", text.replace(
        "out[col * rows + row] = tile[threadIdx.x][x];",
        "{ volatile float* t = &tile[threadIdx.x][x]; float a = *t, b = *t; out[col * rows + row] = a == b ? a : b; }").encode())
    with tarfile.open(students / "tarred.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("05_padding.cu")
        info.size = len(right)
        archive.addfile(info, io.BytesIO(right))
    put_zip(students / "bomb.zip", [("05_padding.cu", b"/" * (80 << 20))])
    put(students, "lines_of_old_macs/05_padding.cu", right.replace(b"\n", b"\r"))
    put_zip(students / "other_letters.zip", [("文件夹/05_padding.cu", right)])
    put(students, "another_archive.rar", b"Rar!\x1a\x07\x01\x00" + bytes(64))
    put(students, "TWICE_LISTED/05_padding.cu", right)
    put(students, "clone_bare/HEAD", b"ref: refs/heads/main\n")
    for part in ("objects/pack", "refs/heads"):
        (students / "clone_bare" / part).mkdir(parents=True)
    put(students, "clone_branch/.git/HEAD", b"ref: refs/heads/work\n")
    put(students, "clone_branch/README.md", b"see the branch")
    put(students, "clone_submodule/.gitmodules", b'[submodule "work"]\n')
    (students / "clone_submodule/work").mkdir()
    put(students, "Zo\u00eb/05_padding.cu", right)
    (students / "listed_otherwise").mkdir()
    put_zip(students / "listed_otherwise/work.zip", [("05_padding.cu", right)])
    put(students, "garbage.zip", b"PK\3\4 and then nothing")
    rows = "student,file,time\r\n" + "".join(f"{student},{file},{time}\r\n" for student, file, time in HAND_INS)
    put(students, "submitted.csv", rows.encode())
    put(folder, "rubric.toml", RUBRIC.encode())
    return students
