"""The fast transpose of common/fast through `lab run`: awkward shapes and drawn layouts, every bit; and copies of it with one fault each, which
must be found.

Enters: the built `lab` (LAB_PROGRAM), and which program: awkward, drawn, cast, in_place, epilogue (one GPU) or split (three).
Leaves: exit 0, 1 with what is wrong, 77 without nvcc. The seed of drawn layouts changes with every run and is printed; LAB_SEED
repeats it. Faulty copies meet the layouts of KEPT: three of them, all with LAB_DRAWS=10.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.drawn.draws import sample_of_run, seed_of_run  # noqa: E402

LAB = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
NO_COMPILER = 3

# What is wrong, the file, what stands there, what the faulty copy has.
FAULTY = {"awkward": [
    ("no barrier between the tile's stores and its loads", "ragged.cuh", "  __syncthreads();\n", ""),
    ("the rows of the next block's first sector are not read", "ragged.cuh", "constexpr int kRead = T::kRows + kHaloRows<T>;\n  return c.rows",
     "constexpr int kRead = T::kRows;\n  return c.rows"),
    ("rows below the last one are not of the next column", "ragged.cuh", "kWhole || y < rows ? own : below", "own"),
    ("rows of the next column are kept where those of this one would be", "ragged.cuh", "at + moved_on(job))", "at)"),
    ("rows below a tile are not read", "ragged.cuh", "(p.exists && y < all && (kSafe", "(p.exists && y < rows && (kSafe"),
    ("pieces that stick out of `in` are left out", "ragged.cuh", "!kSafe && y < all &&", "false && y < all &&"),
    ("a last piece of a row of `out` is stored whole", "job.cuh", "if (left >= kPiece / kSize) {", "if (left >= 1) {"),
    ("pieces past the end of `in` are read", "job.cuh", "&& from + kPiece <= job.in_end", ""),
    ("lanes begin at different words, and nothing puts them in order", "ragged.cuh", "if constexpr (kRotated) rotate(words, j);", ""),
    ("lanes do not wait for each other's pieces", "planes.cuh", "  __syncwarp();\n", ""),
    ("bytes of a word are taken in pairs", "planes.cuh", "0x5410", "0x1054"),
    ("the piece of the lane above is taken as one's own", "planes.cuh", "__shfl_down_sync(~0u, piece.x, 1)", "piece.x"),
    ("the last lane takes the piece of the first", "planes.cuh", "if (threadIdx.x % 32 == 31) high", "if (false) high"),
    ("what lies before the first piece of `out` is not copied", "words.cuh", "} else if (begin < end) {", "} else if (false) {"),
    ("strides of a batch are not followed", "job.cuh", "c.in += at * job.in_stride[i]", "c.in += 0"),
    ("kernels do not wait for the one before", "job.cuh", 'asm volatile("griddepcontrol.wait;" ::: "memory");', ""),
], "split": [
    ("tiles for other GPUs stay", "split.cuh", "return {to < split.gpus.d ? to : to - split.gpus.d, tile};", "return {split.self, tile};"),
    ("each part begins with the first column", "split.cuh", "static_cast<const char*>(in) + split.cols[g] * element_bytes",
     "static_cast<const char*>(in)"),
    ("rows of the next GPU are read", "split.cuh", "(parts[0].rows - 1) * parts[0].in_pitch", "(parts[0].rows + 7) * parts[0].in_pitch"),
], "drawn": [
    ("no barrier between a box's loads and its stores", "box.cuh", "  __syncthreads();\n", ""),
    ("the rest of the last sector is not read", "box_plan.cuh", "box.halo = 1, box.load[out.last()] += int32_t(up(kSector, unit));", "box.halo = 1;"),
    ("parts of pieces at the ends of runs are not written", "box.cuh", "else if (ahead < span)", "else if (false)"),
    ("a plan is taken as it is for addresses that lie otherwise", "transpose.cuh", "if (fast::alike(l, layout_)) return", "return"),
    ("a second line of a run is taken for the first", "box.cuh", "uint32_t(i - kElems)", "uint32_t(i - kElems) % box.inner.d"),
    ("a thread takes the pattern of its piece before", "box.cuh", "if (r != loaded) Pattern", "if (loaded < 0) Pattern"),
    ("a run that lies outside is written", "box.cuh", "exists ? uint32_t(at) : RunStart::kNone", "uint32_t(at)"),
    ("pieces are kept where they are not looked for", "box.cuh", " ^ uint32_t(at ^ swizzled(at, shift))", ""),
    ("pieces of a step lie where those of the step before do", "box.cuh", "write(shared + on,", "write(shared,"),
    ("a lane takes its own piece for the next lane's", "words.cuh", "from_next_lane(low[k])", "low[k]"),
    ("rows go on as the first ones do, where they go through several dimensions", "ragged.cuh", "folded(job, c.row0, y) +", ""),
    ("they are kept as if they did", "ragged.cuh", "row_at<T>(job, y) + skip", "row_at<T>(job, y)"),
    ("places of rows are looked for where none is left free", "ragged.cuh", "col * T::kSize + places[slot_of(y", "col * T::kSize + places[(y"),
    ("pieces of them past the end of `in` are read", "ragged.cuh", " && row + width + kPiece <= job.in_end", ""),
    ("dimensions of boxes beyond the fourth are left out", "box.cuh", "lane = 8; lane > 0", "lane = 2; lane > 0"),
    ("rows of few columns stay in the order of their lane", "narrow.cuh", "rotate(words, x / kIn);", ""),
    ("rows of few columns are taken to lie one behind the other", "narrow.cuh", "pitch = int(job.in_pitch)", "pitch = cols * kSize"),
    ("a sector behind the tile is taken to be past the end", "box.cuh", "const int32_t near = tile + kSector;", "const int32_t near = tile;"),
    ("pieces on their way are not waited for", "box.cuh", 'asm volatile("cp.async.wait_all;" ::: "memory");', ""),
], "cast": [
    ("no barrier between a tile's loads and its stores", "cast.cuh", "  __syncthreads();\n  if (cast.out) write_cast", "  if (cast.out) write_cast"),
    ("the rest of a column's last sector is not read", "cast.cuh", "cut(cast.out_t, rows) ? kSector - 1 : 0", "cut(cast.out_t, rows) ? 0 : 0"),
    ("the rest of a last sector is not written", "cast.cuh", "own + int(-(size_t(to) + size_t(own)) % kSector)", "own"),
    ("NaN is left out of the largest magnitude", "cast.cuh", "max.NaN.f32", "max.f32"),
    ("a number in GPU memory is not multiplied by", "cast.cuh", "cast.scale_at ? *cast.scale_at : cast.scale", "cast.scale"),
    ("the last elements of a run are stored as whole words", "cast.cuh", "e >= 0 && e + kElems <= cast.job.cols &&", "e >= 0 &&"),
    ("ties are rounded up", "fp8.cuh", " - 1 + (number >> cut & 1)", ""),
    ("what is too large is not cut off", "fp8.cuh", "if (magnitude > Format::kLargest) magnitude = Format::kLargest;", ""),
    ("two numbers change places", "fp8.cuh", '"f"(high), "f"(low)', '"f"(low), "f"(high)'),
], "in_place": [
    ("two tiles share their memory", "swap.cuh", "tile + job.starts", "tile"),
    ("the other tile of a pair stays", "swap.cuh", "if (two) write_turned<T>(other, above, job);", ""),
    ("pieces of a row are read past its tile", "swap.cuh", "const bool whole = at >= 0 && c.cols >= T::kCols;", "const bool whole = at >= 0;"),
    ("elements behind the last piece are taken for those before the first", "swap.cuh", ": T::kCols - skip + x", ": x"),
    ("a panel is written before all have read it", "pages.cuh", "while (seen(&job.done[before]) < job.parts.d)", "while (false)"),
    ("a panel is not waited for that shares its rows", "pages.cuh", "before = order < 2 ? 0 : order - 2", "before = order"),
    ("the end of all is written before the last rows are read", "pages.cuh", "order == (kBack ? 0 : job.panels - 1)", "false"),
    ("blocks begin in the order of their numbers, and pages begin alike", "pages.cuh", "return past == 0 ? 0 : job.page - int32_t(past);", "return 0;"),
    ("first rows of the next column are looked for behind the last row", "pages.cuh", "(y < left ? 0 : more)", "0"),
    ("first rows of columns do not come back", "in_place.cuh", "plan.saved > 0 && kBack)", "false)"),
    ("a page is carried off before another has what lay there", "pages.cuh", "while (!(seen(&job.taken", "while (false && !(seen(&job.taken"),
    ("a page that another took is carried on", "pages.cuh", "goes_on = !asked_before(at);", "asked_before(at), goes_on = at != first;"),
    ("pieces on their way are not waited for", "pages.cuh", "  wait_for_pieces();\n", ""),
    ("words of rows that begin anywhere", "in_place.cuh", "job.words = job.rest == 0 &&", "job.words = job.rest == 0 || "),
], "epilogue": [
    ("the element is stored as it was", "epilogue.cuh", "return Out(go(element));", "return Out(element);"),
    ("the rest of a last piece is stored whole", "epilogue.cuh", "if (left >= kElems) {", "if (left >= 1) {"),
    ("what the output holds is not looked at", "epilogue.cuh", "made = *results;", "made = {};"),
    ("single elements are not computed", "epilogue.cuh", "*at = result(*reinterpret_cast<const In*>(from), at);",
     "*at = Out(*reinterpret_cast<const In*>(from));"),
    ("tiles begin in the output where they do in the input", "job.cuh", "job.out + col0 * job.out_pitch + row0 * kOut",
     "job.out + col0 * job.out_pitch + row0 * kSize"),
    ("shares are counted in elements of the input", "ragged.cuh", "% T::kShare) / T::kOut;", "% T::kShare) / T::kSize;"),
    ("strides of a batch are not followed", "epilogue.cuh", "batch.in_stride * kIn}", "0}"),
]}
# The simulated GPUs that a program meets; an A100 has no instruction that makes 8-bit numbers.
GPUS: dict[str, list[list[str]]] = {"split": [["--gpus", "3"]], "cast": [[], ["--gpu", "a100"]]}
# Faulty copies are compiled for few types: each fault is in what all of them share.
FAULTY_FLAGS = {"epilogue": ["-DFEW_TYPES"]}
# Layouts and the seed; a faulty copy meets the next ones where the ones before miss it.
# 3: threads that need several patterns; 8: rows through several dimensions that end where `in` does.
KEPT = {"drawn": [["20", "14"], ["60", "3"], ["60", "8", "0"]], "cast": [["40", "6"]], "in_place": [["20", "1"]],
                                     "epilogue": [["2", "1"]]}


def run(program: str, gpu: list[str], include: Path, json_file: Path, arguments: list[str]) -> tuple[subprocess.CompletedProcess, list]:
    flags = FAULTY_FLAGS.get(program, []) if include != ROOT else []
    done = subprocess.run([LAB, "run", *gpu, "--quiet", "--json", str(json_file), "-std=c++17", f"-I{include}", *flags,
                           str(ROOT / f"tests/fast/{program}.cu"), "--", *arguments],
                          capture_output=True, text=True, errors="replace", timeout=900)
    launches = json.loads(json_file.read_text()) if json_file.exists() else []
    races = [line for line in done.stderr.splitlines() if "stream-race" in line]  # between launches
    return done, [fault for launch in launches for fault in launch["faults"]] + races


def is_found(program: str, gpu: list[str], include: Path, json_file: Path, arguments: list[str]) -> bool:
    done, faults = run(program, gpu, include, json_file, arguments)
    return done.returncode != 0 or bool(faults)


def main() -> int:
    program, wrong = sys.argv[1], 0
    gpus = GPUS.get(program, [[]])
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        seed = str(seed_of_run("layouts for lab::permute"))
        fresh, kept = (["30", seed], KEPT[program]) if program in KEPT else ([], [[]])
        for gpu in gpus:
            done, faults = run(program, gpu, ROOT, scratch / "right.json", fresh)
            if done.returncode == NO_COMPILER:
                return 77
            if done.returncode != 0 or faults or ", 0 wrong" not in done.stdout:
                print(f"{program}: exit {done.returncode}, faults {faults}\n{done.stdout}{done.stderr}")
                return 1
            print(done.stdout, end="")
        for _, file, text, _ in FAULTY[program]:
            if text not in (ROOT / "common/fast" / file).read_text():
                print(f"{file} no longer has: {text}")
                return 1
        # Each is compiled for ten seconds and more.
        for number, (what, file, text, faulty) in enumerate(sample_of_run("faulty copies", FAULTY[program], 3)):
            copy = scratch / str(number)
            shutil.copytree(ROOT / "common/fast", copy / "common/fast")
            source = (copy / "common/fast" / file).read_text()
            (copy / "common/fast" / file).write_text(source.replace(text, faulty))
            if not any(is_found(program, gpus[0], copy, scratch / f"{number}.json", layouts) for layouts in kept):
                print(f"not found: {what}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
