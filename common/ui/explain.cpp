// What each diagnosis and fault means, and what to do.
#include "common/ui/explain.h"

#include <algorithm>

namespace lab::report {
namespace {

constexpr Explanation kExplanations[] = {
    {"ambiguous-kernel", "Several files of the submission may be the kernel of this chapter.",
     "Hand in one of them under the chapter's name, such as 05_padding.cu."},
    {"another-seat", "The answers are to the questions of another seat than the roster has for this person.",
     "Write your own seat's number into SEAT, and answer the tables that were given to it."},
    {"async-early",
     "A thread touched shared memory that a copy of the TMA unit still moved, or no thread waited for the "
     "copy.",
     "Wait for the phase of the mbarrier that counts its bytes, with the right parity (0 for the first "
     "phase); behind a bulk store wait with cp.async.bulk.wait_group.read 0, then __syncthreads(), before "
     "the tile is written again.",
     "Wait for the phase of the mbarrier that counts its bytes, with the right parity (0 for the "
     "first phase); behind a bulk store wait with cp.async.bulk.wait_group.read 0, then "
     "__syncthreads(), before that shared memory is written again."},
    {"bad-ptx", "The compiled kernel is not PTX that the simulator can read, or a kernel is missing in it.",
     "Write the kernel that the message names. If it is inline assembly, look at the PTX line that the "
     "message names. If neither, please report it with the file."},
    {"bank-conflict",
     "Lanes of one request want different words that lie in the same bank, so the request takes several "
     "wavefronts.",
     "Bank = (address / 4) mod 32. Change where elements are kept, by padding or by a permutation, until the "
     "lanes meet different banks. `./lab banks` draws any access."},
    {"barrier-divergence", "Some threads of a block wait at __syncthreads() and others never come there.",
     "Move the barrier out of the if or loop that not all threads take: every thread of the block must reach "
     "the same barrier. Guard the accesses, not the barrier."},
    {"breaks-chunk",
     "The formula moves elements of one chunk apart, so a wide access would no longer find them side by "
     "side.",
     "Permute whole chunks: work on col / chunk_elems, and keep col % chunk_elems as it is."},
    {"budget-exceeded", "The kernel executed far more instructions than this matrix can need.",
     "A loop does not end: look at its condition and its step, above all where threads lie outside of the "
     "matrix.",
     "A loop does not end, or makes far more rounds than there is work: look at its condition and its step."},
    {"changed-idea", "The kernel makes other requests than the one that was to be fixed.",
     "Fix the kernel that was there, and keep its idea: the same accesses, the same width, through the same "
     "memory."},
    {"check", "The check itself made a statement about the kernel that does not hold.",
     "Read its words; the lesson says what is asked."},
    {"checked-nothing", "A case of the check ran and checked nothing. That never counts as a pass.",
     "Please report it: it is a mistake of the course."},
    {"compiler-limit", "The compiler needed more time, memory or output than it may have.",
     "Look for endless templates, constexpr loops, unrolling or huge tables."},
    {"crosses-twice", "More bytes go over the links between GPUs than have to.",
     "Read `in` from the own GPU's memory alone, and write each element of `out` once, where it belongs."},
    {"deadlock", "Threads wait for each other and none can go on.",
     "Look at what each group of threads waits for; the message names the lines."},
    {"devices-disagree", "The simulator and the GPU come to different results, and no fault explains it.",
     "Run both: --device sim and --device gpu. If the kernel depends on the order of blocks or warps, that "
     "is the mistake. Else please report it with the file: one of the devices is wrong."},
    {"does-not-compile", "The compiler refused the file.",
     "Start with its first message; later ones often follow from it."},
    {"few-bytes-in-flight",
     "Too little of global memory has been asked for at each moment: memory is idle while threads wait.",
     "Let each thread ask for all that it needs before it uses the first of it: a loop over loads, then a "
     "loop over stores. More bytes a load, and more blocks on a multiprocessor, help as well. `./lab limits` "
     "shows what is on its way."},
    {"few-matrices", "Some elements go around the matrix instructions.",
     "Let ldmatrix or stmatrix, with .trans, move every block of 8 × 8 elements of the tile."},
    {"few-remote", "Less goes from block to block than a tile that they share needs.",
     "Give each block of the cluster an equal share of the rows of `out`, and store each element to the tile "
     "of the block that writes it."},
    {"finding-missing", "The file does not say yet what is wrong with this kernel.",
     "Write it into FINDING_OF(…) above the kernel, from what you read. It runs after that."},
    {"finding-wrong", "What FINDING_OF(…) says is not what is wrong with this kernel.",
     "Name the line where something must change, not the one where it shows; the lesson lists the causes."},
    {"global-race",
     "Two threads touch one word of global memory, one of them writes, and nothing orders them.",
     "Inside a block: __syncthreads() between them. Between blocks no barrier helps: give each block its own "
     "elements, use an atomic, split the kernel in two launches, or pass a flag with __threadfence() on both "
     "sides."},
    {"host-buffer", "A copy takes more bytes than the buffer of the host has, or one that is gone.",
     "The size of a copy is in bytes, elements times sizeof. What a graph copies lives as long as the "
     "graph."},
    {"host-race", "The host touches managed or pinned memory that the GPU may still be using.",
     "Wait first: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize."},
    {"idle-blocks", "Blocks of the launch write nothing: the grid is larger than the matrix needs.",
     "The grid has a block for each .tile of the launch shape: say there how many rows and columns one block "
     "covers."},
    {"idle-threads", "Many warps of the launch do next to nothing.",
     "Make .block of the launch shape smaller, or give every warp its share of the tile."},
    {"in-turn", "Warps or blocks move their parts one after the other, though nothing asks for an order.",
     "Let warps wait at barriers alone, give each block a tile of its own, and take out the flag that hands "
     "the turn on."},
    {"include-refused", "The kernel includes a file that a judged kernel may not read.",
     "Include common/kernel/ and the compiler's own headers; put everything else into the file itself."},
    {"index-overflow", "An index was computed in 32 bits and the matrix has more elements than that.",
     "Make one factor 64 bits wide before the multiplication: size_t row = …; then row * cols."},
    {"input-changed", "The kernel wrote to `in`.", "Write to `out` only; `in` is const for a reason."},
    {"invalid-launch", "The launch shape cannot be launched, or it does not fit the kernel.",
     "A block has 1 to 1024 threads, a tile at least one element each way; the parameters are out, in, rows, "
     "cols.",
     "A block has 1 to 1024 threads; the launch gives the kernel its parameters, in their order and "
     "of their types."},
    {"judge-crashed", "The process that judged the kernel ended without an answer.",
     "That is a mistake of the lab, not of the kernel. Please report it with the file."},
    {"judge-memory", "Judging the kernel took more memory than it may.",
     "Look for huge shared or local arrays; the verdict says nothing about the results."},
    {"judge-timeout", "Judging the kernel took more processor time than it may.",
     "Look for loops that do far more work than the matrix needs.",
     "Look for loops that do far more work than the arrays need."},
    {"leak", "Memory was allocated and never freed before the program ended.",
     "Call cudaFree for every cudaMalloc, cudaFreeHost for pinned memory, free for what a kernel got from "
     "malloc."},
    {"leaves-row", "The formula sends an element outside of its row, or two elements to one place.",
     "XOR with a number that depends on the row alone and is smaller than the count of chunks in a row, a "
     "power of two."},
    {"link-rests", "The links between GPUs have much to do at one time and little at another.",
     "Let blocks that start one after the other send to different GPUs, and each GPU begin with another one: "
     "(self + block) % count."},
    {"many-instructions", "The warps issue more instructions than the idea of the chapter needs.",
     "Look for work that is done element by element and could be done by whole packs, or by the hardware."},
    {"many-waits", "Warps stand at barriers and fences, or sleep, more often than moving the data takes.",
     "A barrier between the stores to a tile and the loads from it is enough, and one before it is used "
     "again. Take fences, sleeps, other barriers and calls of printf and malloc out."},
    {"misaligned", "A wide access starts at an address that is no multiple of its size.",
     "A float4 needs a multiple of 16 bytes. Rows start there only if their length in bytes is a multiple of "
     "16: test that, and go the scalar way otherwise."},
    {"missing-syncwarp",
     "Two lanes of one warp touch one shared address, one of them writes, and nothing orders them.",
     "Put __syncwarp() between the write and the read. Lanes of a warp do not run in step."},
    {"narrow-access", "Each lane moves fewer bytes per request than the chapter asks for.",
     "Move 16 bytes per lane: one float4 instead of four floats, where the address allows it. If the line "
     "stores a float4 already, the compiler has taken it apart, to share a store with a branch that stores "
     "single floats: __stcg(reinterpret_cast<float4*>(p), v) stays whole."},
    {"never-written", "An element of `out` still holds what it held before the kernel ran.",
     "Count who should write it: is the grid large enough for the ragged edge, is the guard too strict, are "
     "rows and cols swapped in it?"},
    {"no-entry", "The file has no kernel that the check can find by its name.",
     "Write extern \"C\" before __global__, so that C++ leaves the name `transpose` as it is."},
    {"no-kernel", "The submission has no kernel for this chapter.",
     "Hand in chapters/NN_name/transpose.cu, or a file named after the chapter."},
    {"no-peer-access", "A kernel used the memory of another GPU, to which its own has no peer access.",
     "Call cudaSetDevice(own) and cudaDeviceEnablePeerAccess(other, 0) before the launch, once each way; "
     "cudaDeviceCanAccessPeer says whether the pair can."},
    {"not-a-kernel", "The file that was handed in is no kernel file: empty, binary or too large.",
     "Hand in the .cu file itself, as text."},
    {"not-async", "Data comes through registers, where the chapter asks for cp.async.",
     "Copy from `in` to shared memory with lab::copy_async of common/kernel/async_copy.cuh, commit, and wait "
     "before you read."},
    {"not-exchanged",
     "Elements do not go from thread to thread through shared memory, as the idea of the chapter is.",
     "Store what you load from `in` into the tile, __syncthreads(), then load from the tile what another "
     "thread stored, and write that to `out`."},
    {"not-in-flight", "Copies are awaited too soon after their start: nothing else happens meanwhile.",
     "Start the copy of a tile two tiles before it is needed: several stages in shared memory, one group per "
     "tile, and a wait that leaves the newest groups on their way."},
    {"not-reached", "The case did not run, because results are not right yet.",
     "Make the first failing case pass."},
    {"not-used",
     "The kernel never touches the memory that the chapter is about, or not in the way that it is about.",
     "Stage the tile in a __shared__ array: write to it, __syncthreads(), read from it. From chapter 11 on "
     "the check names the instruction that is missing."},
    {"order-decides", "The result depends on the order in which blocks or warps take their turns.",
     "CUDA leaves that order open. Wait for what another block or warp writes: by a barrier, or by a loop "
     "that reads a flag until it is set; or compute it anew."},
    {"other-path", "Memory is touched on further paths than loads and stores, and they cost something too.",
     "Look for atomics, asynchronous copies, local arrays and memory beside `in` and `out`: every byte that "
     "moves counts."},
    {"others-element", "A GPU wrote an element of `out` that another GPU writes.",
     "A GPU has the rows first_row(self) to first_row(self + 1) - 1 of `in`: guard the store with the end of "
     "these, not with rows."},
    {"out-of-bounds", "A thread accessed memory outside of its buffer or array.",
     "Guard the access with row < rows && col < cols, with the coordinates of the matrix that is accessed: "
     "`out` has cols rows.",
     "Compare the index with the number of elements of that buffer before the access: the last block "
     "usually has threads beyond the end."},
    {"outside-written", "Memory beside `out` was changed.", "See `./lab explain out-of-bounds`."},
    {"over-budget", "A launch counted more than its budget allows.",
     "Look at the line that costs most: ./lab run --lines lists them all. If the cost is meant, raise the "
     "budget."},
    {"overlapping-copy", "A copy within a GPU's memory writes what it still reads.",
     "Copy by way of a second buffer, or in a kernel that reads all before it writes."},
    {"padding-written", "The kernel wrote behind the end of a row of `out`, where the pitch leaves a gap.",
     "A row of `out` has `rows` elements, whatever its pitch is."},
    {"peer-gone",
     "A block touched the shared memory of a block of its cluster that has exited, that may not have begun, "
     "or that does not exist.",
     "Let every block call cluster.sync() before the first and after the last access to another block, and "
     "take ranks below the number of blocks of the cluster."},
    {"poisoned-global", "The kernel read memory that was never written.",
     "`out` holds nothing before the kernel writes it; is an index computed for the wrong matrix?",
     "Write it first: in this kernel or an earlier one, by a copy or by cudaMemset. Or is the index "
     "computed for another buffer?"},
    {"prediction-missing", "PREDICTIONS has no answer yet.",
     "Work the number out on paper first, write it beside the kernel, then run the check."},
    {"prediction-wrong", "The number that you predicted is not the number that was counted.",
     "Both are shown; find the step where they part. `./lab sectors` and `./lab banks` count single "
     "requests."},
    {"proxy-fence",
     "The TMA unit may not see what threads wrote to shared memory, or an mbarrier that they initialised.",
     "Let each writing thread execute fence.proxy.async.shared::cta before the barrier that comes before the "
     "copy; behind the initialisation of an mbarrier fence.mbarrier_init.release.cluster does as well."},
    {"repeated-access", "The kernel touches elements more often than once.",
     "Read each element once, write each element once."},
    {"scattered-blocks", "Blocks that start together write to places that lie far apart.",
     "Let blockIdx.x count tiles in the order in which they lie in `out`: .block_x_walks = kRows, with row0 "
     "from blockIdx.x and col0 from blockIdx.y."},
    {"second-launch", "A second launch comes out wrong: the first one has left something in device memory.",
     "Let the last block put back what blocks count: atomicInc(&count, blocks - 1) wraps round by itself."},
    {"shared-race", "Two threads touch one shared address, one of them writes, and no barrier lies between.",
     "Put __syncthreads() between the stores to the tile and the loads from it. It may come out right by "
     "luck; on another day it does not.",
     "Put __syncthreads() between the stores and the loads of other threads. It may come out right "
     "by luck; on another day it does not."},
    {"short-packets", "The link carries packets that hold less than a line of 128 bytes.",
     "Let the lanes of a warp store 128 bytes side by side, from a multiple of 128 on: a packet has 16 bytes "
     "of protocol whatever it holds."},
    {"short-runs", "The rows that a warp reads and writes are as short as registers alone would leave them.",
     "Let a warp read along rows of `in`, and let it take rows of `out` from the tile: lanes side by side in "
     "both."},
    {"small-copy",
     "A copy of the TMA unit moves fewer bytes than the chapter asks for, so there are too many of them.",
     "Ask for the whole tile at once: make .box of the tensor map as large as the tile."},
    {"source-refused",
     "The file has something that a judged kernel may not have: #line, a link, more than 256 KiB.",
     "The message names the line. Take it out."},
    {"stack-overflow", "Calls went deeper than the stack of a thread.",
     "Look for recursion that does not end, or for large local arrays."},
    {"stream-race",
     "Work on two streams touches the same memory, one writes, and nothing orders them; or a kernel that may "
     "begin while the one before it still runs (programmatic stream serialization) touches that one's data "
     "before it waits.",
     "Record an event behind the first (cudaEventRecord) and let the second's stream wait for it "
     "(cudaStreamWaitEvent), or use one stream. A kernel that begins early calls "
     "cudaGridDependencySynchronize() (griddepcontrol.wait) before it touches what the one before it reads "
     "or writes."},
    {"too-many-requests", "The kernel makes more requests than this needs.",
     "Let each lane move more bytes, and let every lane of the warp work."},
    {"too-many-sectors", "All requests together touch more 32-byte sectors than the work needs.",
     "Compare the requests with elements / 32 in `./lab profile`: where there are more, elements are moved "
     "again; where there are as many, lanes are apart, or begin inside a sector."},
    {"too-much-memory", "The __device__ and __constant__ variables of the file do not fit.",
     "The message names the largest one: make it smaller. Matrices come to a kernel as pointers.",
     "The message names the largest one: make it smaller, or pass the data by a pointer."},
    {"too-much-shared", "A block takes more shared memory than the idea, or the GPU, allows.",
     "Look at the size of each __shared__ array, padding included.",
     "Look at the size of each __shared__ array, and at the dynamic shared memory of the launch."},
    {"trap", "The kernel stopped itself: a trap, or an assert that failed.", "The message names the line."},
    {"uncoalesced",
     "Neighbouring lanes are apart: a request touches more 32-byte sectors than its bytes would fill.",
     "Let neighbouring lanes touch neighbouring addresses. `./lab sectors` draws any access."},
    {"uninitialised-copy", "A copy takes memory to the host that was never written.",
     "Write all that is read back, in the kernel or by cudaMemset, or copy less."},
    {"uninitialised-local", "A thread reads a variable or array of its own that it has not written.",
     "Give it a value first: an array of a thread starts with none."},
    {"uninitialised-shared", "A thread read shared memory that no thread of the block had written.",
     "Who should have written it? At the ragged edge the guard of the store and the guard of the load must "
     "agree. Or a barrier is missing.",
     "Who should have written it? The guard of the store and the guard of the load must agree. Or a "
     "barrier is missing."},
    {"unsupported", "The kernel uses an instruction that the simulator does not know.",
     "Nothing was skipped: the launch did not run. Write that line another way, or run it on a GPU."},
    {"unused-shared", "A block has shared memory that it never stores to.",
     "Without padding each word of the tile holds an element."},
    {"warp-sync", "A warp operation names lanes that do not take part, or reads from one that is absent.",
     "The mask must name exactly the lanes that reach the operation."},
    {"whole-matrix", "Each thread goes over the whole matrix, so a thread's work grows with the matrix.",
     "Take the loops over rows and columns away: a thread has one element, or its share of a tile, and "
     "finds it by blockIdx and threadIdx."},
    {"write-to-const", "The kernel wrote to memory that is constant for it, such as `in`.", "Write to `out`.",
     "Write to a buffer that is no const of the kernel."},
    {"wrong-element", "An element of `out` holds another value than the transpose has there.",
     "The message says which element of `in` stands there and where it belongs: compare the index of the "
     "store with that."},
};
static_assert(std::is_sorted(std::begin(kExplanations), std::end(kExplanations),
                             [](const Explanation& a, const Explanation& b) { return a.code < b.code; }));

}  // namespace

std::span<const Explanation> all_explanations() { return kExplanations; }

const Explanation* find_explanation(std::string_view code) {
  const auto found = std::find_if(std::begin(kExplanations), std::end(kExplanations),
                                  [code](const Explanation& e) { return e.code == code; });
  return found == std::end(kExplanations) ? nullptr : &*found;
}

std::string_view remedy_for(std::string_view code, KernelOf kernel) {
  const Explanation* known = find_explanation(code);
  if (known == nullptr) return {};
  return kernel == KernelOf::Any && !known->anywhere.empty() ? known->anywhere : known->remedy;
}

}  // namespace lab::report
