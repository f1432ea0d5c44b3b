// Transposes in place: the result lies where the matrix lay.
//
//   lab::transpose_in_place(matrix, n, n, stream);  // square: no workspace
//   void* memory;                                   // others: at most 1 % of the matrix, or 1 MiB
//   const int64_t bytes = lab::in_place_workspace_bytes(rows, cols, sizeof *matrix);
//   lab::transpose_in_place(matrix, rows, cols, stream, {memory, bytes});
//
// Built and queued as transpose.cuh says; a stream capture takes it too.
#pragma once

#include "common/fast/pages.cuh"
#include "common/fast/swap.cuh"
#include "common/fast/tiles.cuh"

namespace lab {

// Elements from row to row of a square matrix (others are dense), matrices, and elements from one to the
// next; 0: as dense as it can be.
struct InPlace {
  int64_t pitch = 0, count = 1, stride = 0;
};

namespace fast {

template <int kSize>
struct Squares {
  using Aligned = BySize<kSize, Square<1, 256, 512, 1>, Square<2, 256, 256, 3>, Square<4, 256, 256, 4>,
                         Square<8, 256, 256, 5>, Square<16, 512, 256, 4>>;
  using Any =
      BySize<kSize, Square<1, 128, 256, 4>, Square<2, 256, 512, 2>, Aligned, Square<8, 256, 128, 8>, Aligned>;
};

template <int kSize>
cudaError_t swap_square(const Matrices& m, cudaStream_t stream) {
  using T = Squares<kSize>;
  const bool aligned =
      multiple_of(kPiece, m.in, m.in_pitch, m.batch, &BatchDim::in_stride) && m.cols * kSize % kPiece == 0;
  return aligned ? launch_swap<typename T::Aligned, true>(m, stream)
                 : launch_swap<typename T::Any, false>(m, stream);
}

// How a rectangular matrix is turned.
struct PagesPlan {
  bool back;                       // it is wide
  PageJob job;                     // but for pointers
  int32_t bytes;                   // of a part of a page that is carried
  bool whole;                      // a page is a column, and so at its place after the first pass
  int64_t counters, taken, saved;  // bytes of the workspace
  [[nodiscard]] int64_t workspace() const { return counters + taken + saved; }
};

// Bytes: of a page, of a block's shared memory, of all that blocks of a panel have, of the least workspace.
struct PageLimits {
  int64_t page = kPageMove, tile = 68 << 10, panel = 8 << 20, workspace = 1 << 20;
};

inline int64_t page_pitch(int64_t bytes) { return (up(bytes, kPiece) | 1) * kPiece; }

// Bytes of a page: a kilobyte, more where there are few columns, less where a panel would be too large. Where
// none about as long divides the rows, the first `page` of them are kept, and may be 1 % of all.
inline int64_t page_bytes(int64_t rows, int64_t cols, int element, const PageLimits& limits) {
  // `share` bytes of each column, and two bits for each page.
  const double all = double(rows * cols * element),
               given = 0.98 * std::max(all / 100, double(limits.workspace));
  const auto share =
      int64_t((given + sqrt(std::max(given * given - all * double(cols), 0.0))) / double(2 * cols));
  const int64_t wide = limits.tile / cols / limits.page * limits.page;
  int64_t step = kPiece, most = least(least(limits.page, limits.panel / cols), rows * element);
  if (most > limits.page / 2 && limits.tile / cols >= limits.page / 2)  // one block has all columns
    most = least(most, limits.tile / cols);
  if (wide > limits.page && rows * element >= limits.page)
    step = limits.page, most = least(wide, rows * element);
  const int64_t kept = std::max(least(most, share) / step * step, int64_t(kPiece));
  for (int64_t bytes = most / step * step; bytes >= step && 2 * bytes > kept && 8 * bytes > most;
       bytes -= step)
    if (rows % (bytes / element) == 0) return bytes;
  return kept;
}

inline PagesPlan pages_plan(int64_t rows, int64_t cols, int element, const PageLimits& limits = {}) {
  PagesPlan plan{};
  PageJob& job = plan.job;
  plan.back = rows < cols;
  job.rows = plan.back ? cols : rows, job.cols = plan.back ? rows : cols, job.all = rows * cols;
  const int64_t column = job.rows * element, wide = limits.tile / page_pitch(column);
  plan.whole = wide >= job.cols || (job.all * element <= limits.panel && wide * element >= kSector);
  const int64_t bytes = plan.whole ? column : page_bytes(job.rows, job.cols, element, limits);
  job.page = int32_t(bytes / element), job.rest = int32_t(job.rows % job.page);
  job.panels = uint32_t(job.rows / job.page), job.pages = uint32_t(job.all / job.page);
  job.pitch = int32_t(page_pitch(bytes));
  // As many columns for each block, and whole warps along a row.
  const int64_t most = std::max(least(limits.tile / job.pitch, job.cols), int64_t(1)),
                each = up(job.cols, up(job.cols, most)), unit = each > 96 ? 32 : 8,
                padded = up(each, unit) * unit,
                width = padded <= most                    ? padded
                        : each == job.cols || most < unit ? each
                                                          : most / unit * unit;
  job.width = int32_t(width), job.parts = divide_by(uint32_t(up(job.cols, width)));
  const bool cut = job.all % job.page != 0 && shift_of(job, job.cols - 1) >= job.rest;
  job.placed = uint32_t(job.panels * job.cols - cut);
  job.moves = int32_t(up(bytes, kPageMove));
  const int64_t word = bytes % kPiece == 0 ? kPiece : element;  // that is carried
  while (!plan.whole && bytes % (job.moves * word) != 0) ++job.moves;
  plan.bytes = int32_t(bytes / job.moves);
  if (job.parts.d > 1 || job.rest > 0) plan.counters = up((job.panels + 2) * 4, kPiece) * kPiece;
  if (!plan.whole) plan.taken = up(int64_t(job.pages) * job.moves, 4 * kPiece) * kPiece;
  if (job.rest > 0) plan.saved = bytes * job.cols;
  return plan;
}

template <typename Kernel>
cudaError_t room_for(Kernel kernel, unsigned blocks, int bytes) {
  int device = 0, processors = 0, on_each = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = let_use(kernel, bytes);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel, kPageThreads, size_t(bytes));
  if (error != cudaSuccess) return error;
  return unsigned(processors * on_each) < blocks ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

template <int kSize, int kWord, bool kBack>
cudaError_t turn_pages(const PagesPlan& plan, PageJob job, unsigned matrices, cudaStream_t stream) {
  const int tile = job.width * job.pitch;
  const auto gather = gather_pages<kSize, kWord, kBack>;
  const auto moves = unsigned(up(int64_t(job.pages) * job.moves, kPageThreads / 32));
  const unsigned panels = job.panels + (job.rest > 0);
  cudaError_t error = job.ticket ? room_for(gather, job.parts.d * (job.rest > 0 ? 2 : 1), tile) : cudaSuccess;
  if (error == cudaSuccess && plan.counters + plan.taken > 0)
    error = cudaMemsetAsync(plan.counters > 0 ? job.ticket : job.taken, 0, size_t(plan.counters + plan.taken),
                            stream);
  if (error == cudaSuccess && plan.saved > 0 && !kBack)
    error = cudaMemcpyAsync(job.saved, job.matrix, size_t(plan.saved), cudaMemcpyDeviceToDevice, stream);
  const auto first = [&] {
    return launch(gather, matrices * panels * job.parts.d, kPageThreads, tile, job, stream);
  };
  const auto second = [&] {
    if (plan.whole) return cudaSuccess;
    return launch(move_pages<kWord, kBack>, moves < 1024 ? moves : 1024, kPageThreads, 0,
                  MoveJob{job, plan.bytes}, stream);
  };
  if (error == cudaSuccess) error = kBack ? second() : first();
  if (error == cudaSuccess) error = kBack ? first() : second();
  if (error == cudaSuccess && plan.saved > 0 && kBack)
    error = launch(restore_rows<kSize>, 256, kPageThreads, 0, job, stream);
  return error;
}

template <int kSize>
cudaError_t turn_pages(const PagesPlan& plan, PageJob job, unsigned matrices, cudaStream_t stream) {
  const auto address = int64_t(size_t(job.matrix)) | job.stride;
  job.words = job.rest == 0 && job.page % 4 == 0 && (address | job.cols * kSize | job.width * kSize) % 4 == 0;
  const bool words = address % kPiece == 0 && int64_t(job.page) * kSize % kPiece == 0;
  if (plan.back)
    return words ? turn_pages<kSize, kPiece, true>(plan, job, matrices, stream)
                 : turn_pages<kSize, kSize, true>(plan, job, matrices, stream);
  return words ? turn_pages<kSize, kPiece, false>(plan, job, matrices, stream)
               : turn_pages<kSize, kSize, false>(plan, job, matrices, stream);
}

inline cudaError_t turn_rectangles(char* matrix, const PagesPlan& plan, int element, const InPlace& in,
                                   Workspace workspace, cudaStream_t stream) {
  if (workspace.bytes < plan.workspace() || size_t(workspace.memory) % kPiece != 0)
    return cudaErrorInvalidValue;
  char* const memory = static_cast<char*>(workspace.memory);
  // Matrices of one block each are turned by one launch, others one after the other.
  const bool together = plan.workspace() == 0;
  const int64_t most = together ? kMostBlocks : 1;
  for (int64_t done = 0; done < in.count; done += most) {
    PageJob job = plan.job;
    job.matrix = matrix + done * in.stride * element;
    job.stride = together ? in.stride * element : 0;
    if (plan.counters > 0) job.ticket = reinterpret_cast<uint32_t*>(memory), job.done = job.ticket + 1;
    job.taken = reinterpret_cast<uint32_t*>(memory + plan.counters),
    job.saved = memory + plan.counters + plan.taken;
    const auto matrices = unsigned(least(in.count - done, most));
    const cudaError_t error = by_size(
        element, [&](auto size) { return turn_pages<decltype(size)::kSize>(plan, job, matrices, stream); });
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace fast

// Bytes of workspace for one matrix or a batch of them, at a multiple of 16: none for square ones and small
// ones. -1: no such matrix.
inline int64_t in_place_workspace_bytes(int64_t rows, int64_t cols, int element_bytes) {
  if (!fast::known(element_bytes) || rows < 0 || cols < 0) return -1;
  return rows < 2 || cols < 2 || rows == cols ? 0 : fast::pages_plan(rows, cols, element_bytes).workspace();
}

inline cudaError_t transpose_in_place(void* matrix, int64_t rows, int64_t cols, int element_bytes,
                                      cudaStream_t stream = nullptr, Workspace workspace = {},
                                      InPlace in = {}) {
  if (!fast::known(element_bytes) || rows < 0 || cols < 0 || in.count < 0) return cudaErrorInvalidValue;
  if (in.pitch == 0) in.pitch = cols;
  if (in.stride == 0) in.stride = rows * in.pitch;
  if (in.pitch < cols || (rows != cols && in.pitch != cols)) return cudaErrorInvalidPitchValue;
  if (rows != cols && in.stride < rows * cols) return cudaErrorInvalidValue;
  if (rows < 2 || cols < 2 || in.count == 0) return cudaSuccess;
  char* const at = static_cast<char*>(matrix);
  if (rows != cols)
    return fast::turn_rectangles(at, fast::pages_plan(rows, cols, element_bytes), element_bytes, in,
                                 workspace, stream);
  const int64_t pitch = in.pitch * element_bytes, stride = in.stride * element_bytes;
  const fast::Matrices m{
      at, at, rows, cols, pitch, pitch, {{1, 0, 0}, {1, 0, 0}, {in.count, stride, stride}}};
  return fast::by_size(element_bytes,
                       [&](auto size) { return fast::swap_square<decltype(size)::kSize>(m, stream); });
}

template <typename T>
cudaError_t transpose_in_place(T* matrix, int64_t rows, int64_t cols, cudaStream_t stream = nullptr,
                               Workspace workspace = {}, InPlace in = {}) {
  return transpose_in_place(matrix, rows, cols, int(sizeof(T)), stream, workspace, in);
}

}  // namespace lab
