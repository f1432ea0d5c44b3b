// A matrix as 8-bit floating point numbers, row by row, transposed or both, with one read of it; and the
// largest magnitude by the way.
//
//   lab::cast_transpose(out, out_t, in, rows, cols, scale, amax, stream);
//   // out[r][c] = out_t[c][r] = in[r][c] × scale, rounded; *amax = max(*amax, |in[r][c]|)
//
// `in` is float, __half or __nv_bfloat16; `out` and `out_t` are __nv_fp8_e4m3 or __nv_fp8_e5m2; all dense, in
// GPU memory, from any multiple of an element's size on. What is a null pointer is not wanted. fp8.cuh says
// how numbers are rounded. Built as transpose.cuh is.
#pragma once

#include <climits>
#include <cstddef>

#include "common/fast/box_plan.cuh"
#include "common/fast/fp8.cuh"
#include "common/fast/launch.cuh"

namespace lab {

// What elements are multiplied by: a number, or a float in GPU memory, read when the kernel runs; nullptr: 1.
struct Scale {
  float value = 1;
  const float* at = nullptr;
  Scale(float number) : value(number) {}
  Scale(const float* in_gpu_memory) : at(in_gpu_memory) {}
  Scale(std::nullptr_t) {}
};

namespace fast {

constexpr int kCastThreads = 256, kCastBlocks = 4, kCastItems = 5;
// Lanes along a row, rows of all threads.
constexpr int kCastLanes = 8, kCastLines = kCastThreads / kCastLanes;
constexpr int64_t kCastSide = 128;
static_assert(kCastLines % kSector == 0, "a thread's rows begin at the same place of a sector");

// A block keeps its tile in shared memory as bytes, row by row: element (y, x) lies at y × pitch + x, and
// `skew` further after 16 rows each. `pitch` is that of `out` modulo 16, so a piece of `out` is stored as it
// is read; the skew puts lanes that gather 16 rows each into different banks.
struct CastJob {
  Job job;           // in, in_begin, in_end, rows, cols
  char *out, *also;  // rows; also: where a matrix of one row or column is its own transpose
  char* out_t;
  int32_t tile_rows, tile_cols, load_rows, load_cols;  // load: more, where the rest of a sector of `out` is
  Divider across;                                      // tiles
  int32_t passes;                                      // of all lanes along a row that is read
  int32_t pitch, skew, shift;  // shift: where element (0, 0) of the matrix lies modulo 16
  const float* scale_at;
  float scale;
  unsigned* amax;
};

struct CastCorner {
  int64_t row, col;  // of the tile's first element
  int rows, cols;    // from it to the end of the matrix, or more than a tile has
  int phase;         // where it lies in shared memory
};

__device__ inline int cast_place(const CastJob& cast, int y, int x) {
  return y * cast.pitch + (y >> 4) * cast.skew + x;
}

// The larger magnitude; NaN, where either is.
__device__ inline float larger(float most, float value) {
#if __CUDA_ARCH__ >= 800
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(most), "f"(fabsf(value)));
  return larger;
#else
  return __uint_as_float(max(__float_as_uint(most), __float_as_uint(value) & 0x7fffffff));
#endif
}

// A piece of `in` as numbers: 4 floats, or 8 halves.
template <typename In>
using CastNumbers = uint32_t[4 / sizeof(In)];

template <typename In, typename Format>
__device__ inline void cast_piece(const uint4& piece, float scale, float& most, CastNumbers<In>& numbers) {
  constexpr int kEach = 4 / int(sizeof(In)), kElems = 4 * kEach;  // of a word, of a piece
  const uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
  float values[kElems];
#pragma unroll
  for (int w = 0; w < 4; ++w) widen(words[w], &values[w * kEach], In());
#pragma unroll
  for (float& value : values) most = larger(most, value), value *= scale;
#pragma unroll
  for (int e = 0; e < kElems; e += 4)
    numbers[e / 4] =
        narrowed<Format>(values[e], values[e + 1]) | narrowed<Format>(values[e + 2], values[e + 3]) << 16;
}
template <int kWords>
__device__ inline void keep_numbers(char* to, const uint32_t (&numbers)[kWords]) {
  if constexpr (kWords == 2)
    *reinterpret_cast<uint2*>(to) = {numbers[0], numbers[1]};
  else
    *reinterpret_cast<uint32_t*>(to) = numbers[0];
}
// Fills the tile, and returns the largest magnitude. A thread has pieces of every 32nd row, which begin
// alike.
template <typename In, typename Format>
__device__ inline float read_cast(char* tile, const CastCorner& c, const CastJob& cast, float scale) {
  constexpr int kSize = int(sizeof(In)), kElems = kPiece / kSize;
  const int rows = min(c.rows, cast.load_rows), cols = min(c.cols, cast.load_cols),
            y0 = threadIdx.x / kCastLanes;
  const int64_t pitch = cast.job.cols * kSize;
  const char *corner = cast.job.in + c.row * pitch + c.col * kSize, *row = corner + y0 * pitch;
  const bool whole =
      inside(corner - kPiece, cast.job) && inside(corner + (rows - 1) * pitch + cols * kSize, cast.job);
  const int skip = int(size_t(row) % kPiece) / kSize;
  float most = 0;
  int x = int(threadIdx.x % kCastLanes) * kElems - skip;
  for (int pass = 0; pass < cast.passes && x < cols; ++pass, x += kCastLanes * kElems)
    for (int first = y0; first < rows; first += kCastItems * kCastLines) {
      const char* from = row + (first - y0) * pitch + x * kSize;
      uint4 pieces[kCastItems];
#pragma unroll
      for (int n = 0; n < kCastItems; ++n, from += kCastLines * pitch)
        if (first + n * kCastLines < rows) pieces[n] = whole ? load_ragged(from) : load_piece(from, cast.job);
#pragma unroll
      for (int n = 0; n < kCastItems; ++n) {
        const int y = first + n * kCastLines;
        if (y >= rows) continue;
        CastNumbers<In> numbers;
        cast_piece<In, Format>(pieces[n], scale, most, numbers);
        keep_numbers(tile + c.phase + cast_place(cast, y, x), numbers);
      }
    }
  return most;
}

// Writes the tile's rows, or its columns as rows of `out`: whole sectors, and what is left at the ends of a
// row. A thread has a piece of every 32nd of them, which begin alike.
template <bool kColumns>
__device__ inline void write_cast(const char* tile, char* out, const CastCorner& c, const CastJob& cast) {
  const int64_t pitch = kColumns ? cast.job.rows : cast.job.cols;
  const int left = kColumns ? c.rows : c.cols, own = kColumns ? cast.tile_rows : cast.tile_cols,
            lines = kColumns ? min(c.cols, cast.tile_cols) : min(c.rows, cast.tile_rows);
  const bool first = (kColumns ? c.row : c.col) == 0;
  const int line0 = threadIdx.x / kCastLanes;
  char* const to = out + (kColumns ? c.col * pitch + c.row : c.row * pitch + c.col) + line0 * pitch;
  const int begin = first ? 0 : int(-size_t(to) % kSector),
            end = left <= own ? left : min(left, own + int(-(size_t(to) + size_t(own)) % kSector));
  const auto place = [&](int line, int e) {
    return c.phase + (kColumns ? cast_place(cast, e, line) : cast_place(cast, line, e));
  };
  for (int e = (first ? -int(size_t(to) % kPiece) : begin) + int(threadIdx.x % kCastLanes) * kPiece; e < end;
       e += kCastLanes * kPiece) {
    char* piece = to + e;
    if (e < begin || e + kPiece > end) {
      for (int line = line0; line < lines; line += kCastLines, piece += kCastLines * pitch)
        for (int k = e < begin ? begin - e : 0; k < kPiece && e + k < end; ++k)
          piece[k] = tile[place(line, e + k)];
    } else if (!kColumns && place(line0, e) % kPiece == 0) {
#pragma unroll 2
      for (int line = line0; line < lines; line += kCastLines, piece += kCastLines * pitch)
        *reinterpret_cast<uint4*>(piece) = *reinterpret_cast<const uint4*>(tile + place(line, e));
    } else {
      int at[kPiece];
#pragma unroll
      for (int k = 0; k < kPiece; ++k) at[k] = place(line0, e + k);
      const char* from = tile;
#pragma unroll 2
      for (int line = line0; line < lines; line += kCastLines, piece += kCastLines * pitch) {
        *reinterpret_cast<uint4*>(piece) = {gather<1>(from, at), gather<1>(from, at + 4),
                                            gather<1>(from, at + 8), gather<1>(from, at + 12)};
        from += kColumns ? kCastLines : cast_place(cast, kCastLines, 0);
      }
    }
  }
}

// The block's largest magnitude to *amax; every thread calls it.
__device__ inline void report_most(float most, unsigned* amax) {
  __shared__ unsigned most_of_warp[kCastThreads / 32];
  unsigned bits = __float_as_uint(most);  // in the order of numbers, with NaN behind them
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) bits = max(bits, __shfl_xor_sync(~0u, bits, lane));
  if (threadIdx.x % 32 == 0) most_of_warp[threadIdx.x / 32] = bits;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (const unsigned other : most_of_warp) bits = max(bits, other);
  atomicMax(amax, bits);
}

template <typename In, typename Format>
__global__ void __launch_bounds__(kCastThreads, kCastBlocks)
    cast_tiles(const __grid_constant__ CastJob cast) {
  extern __shared__ __align__(128) char tile[];
  wait_for_the_kernel_before();
  const uint32_t down = cast.across.quotient(blockIdx.x), across = blockIdx.x - down * cast.across.d;
  CastCorner c{int64_t(down) * cast.tile_rows, int64_t(across) * cast.tile_cols, 0, 0, 0};
  const int64_t rows = cast.job.rows - c.row, cols = cast.job.cols - c.col;
  c.rows = int(rows < INT_MAX ? rows : INT_MAX), c.cols = int(cols < INT_MAX ? cols : INT_MAX);
  c.phase = int((cast.shift + c.row * cast.job.cols + c.col) % kPiece);
  const float most = read_cast<In, Format>(tile, c, cast, cast.scale_at ? *cast.scale_at : cast.scale);
  if (cast.amax) report_most(most, cast.amax);
  __syncthreads();
  if (cast.out) write_cast<false>(tile, cast.out, c, cast);
  write_cast<true>(tile, cast.out_t, c, cast);
}

// Rows alone, or a matrix of one row or column, which is its own transpose: one run of elements. A thread
// converts aligned pieces of `in`.
template <typename In, typename Format>
__global__ void __launch_bounds__(kCastThreads) cast_run(const __grid_constant__ CastJob cast) {
  constexpr int kSize = int(sizeof(In)), kElems = kPiece / kSize;
  wait_for_the_kernel_before();
  const float scale = cast.scale_at ? *cast.scale_at : cast.scale;
  const char* begin = cast.job.in - size_t(cast.job.in) % kPiece;
  const int64_t skip = (cast.job.in - begin) / kSize,
                first = (int64_t(blockIdx.x) * kCastItems * kCastThreads + threadIdx.x) * kElems - skip;
  uint4 pieces[kCastItems];
  float most = 0;
#pragma unroll
  for (int n = 0; n < kCastItems; ++n) {
    const int64_t e = first + n * kCastThreads * kElems;
    if (e < cast.job.cols) pieces[n] = load_piece(cast.job.in + e * kSize, cast.job);
  }
#pragma unroll
  for (int n = 0; n < kCastItems; ++n) {
    const int64_t e = first + n * kCastThreads * kElems;
    if (e >= cast.job.cols) continue;
    CastNumbers<In> numbers;
    cast_piece<In, Format>(pieces[n], scale, most, numbers);
    for (char* const out : {cast.out, cast.also}) {
      if (!out) continue;
      if (e >= 0 && e + kElems <= cast.job.cols && size_t(out + e) % kElems == 0)
        keep_numbers(out + e, numbers);
      else
        for (int k = 0; k < kElems; ++k)
          if (e + k >= 0 && e + k < cast.job.cols) out[e + k] = char(numbers[k / 4] >> k % 4 * 8);
    }
  }
  if (cast.amax) report_most(most, cast.amax);
}

// The tile: 128 × 128; where a matrix has fewer rows or columns, more of the others. Its sides are multiples
// of a sector, or all there is. Of rows that begin anywhere it has as many columns as whole passes of the
// lanes read, with the rest of the last sector of `out`: a pass for a few lanes takes as long as one for all.
inline void size_cast(CastJob& cast, int64_t elems) {
  const int64_t rows = cast.job.rows, cols = cast.job.cols, read = elems == 8 ? 192 : cast.out ? 160 : 128;
  int64_t down = least(rows, kCastSide),
          across = least(cols, cols % kSector == 0 ? kCastSide : read - (cast.out ? kSector : elems));
  const auto rest = [](int64_t other) { return kCastSide * kCastSide / other / kSector * kSector; };
  if (rows > down && cols < kCastSide) down = least(rows, rest((across + kCastSide) / 2));  // rows have gaps
  if (cols > across && rows < kCastSide) across = least(cols, rest(down));
  const auto cut = [](const char* out, int64_t pitch) {
    return out && (int64_t(size_t(out)) | pitch) % kSector != 0;
  };
  cast.tile_rows = int32_t(down), cast.tile_cols = int32_t(across);
  cast.load_rows = int32_t(down + (rows > down && cut(cast.out_t, rows) ? kSector - 1 : 0));
  cast.load_cols = int32_t(across + (cols > across && cut(cast.out, cols) ? kSector - 1 : 0));
  // What a row begins with in its first piece, its last sector ends with, if both lie alike.
  const size_t phase = size_t(cast.job.in) / (kPiece / elems);
  const bool alike = cast.load_cols > across && (phase - size_t(cast.out)) % elems == 0,
             whole = cols % kSector == 0 && phase % elems == 0;
  cast.passes = int32_t(up(alike   ? across + kSector
                           : whole ? cast.load_cols
                                   : cast.load_cols + elems - 1,
                           kCastLanes * elems));
  cast.pitch = cast.load_cols + kPiece + int32_t((cols - cast.load_cols % kPiece + kPiece) % kPiece);
  cast.skew = cast.pitch % 2 ? 0 : kPiece;
}

template <typename In, typename Format>
cudaError_t cast_transpose(CastJob cast, cudaStream_t stream) {
  constexpr int kSize = int(sizeof(In)), kElems = kPiece / kSize;
  Job& job = cast.job;
  if (job.rows < 0 || job.cols < 0) return cudaErrorInvalidValue;
  if (job.rows == 0 || job.cols == 0 || (!cast.out && !cast.out_t && !cast.amax)) return cudaSuccess;
  if (job.cols > INT64_MAX / kSize / job.rows) return cudaErrorInvalidValue;
  job.in_begin = job.in, job.in_end = job.in + job.rows * job.cols * kSize;
  if (!cast.out_t || job.rows == 1 || job.cols == 1) {
    cast.also = cast.out_t, job.cols *= job.rows;
    const int64_t blocks = up(job.cols + kElems - 1, kCastItems * kCastThreads * kElems);
    if (blocks > kMostBlocks) return cudaErrorInvalidValue;
    return launch(cast_run<In, Format>, unsigned(blocks), kCastThreads, 0, cast, stream);
  }
  size_cast(cast, kElems);
  const size_t first = size_t(job.in) / kSize, out = size_t(cast.out);
  cast.shift = int32_t(cast.out && (first - out) % kElems == 0 ? out % kPiece : first % kElems);
  const int64_t across = up(job.cols, cast.tile_cols), down = up(job.rows, cast.tile_rows);
  if (across > kMostBlocks || down > kMostBlocks / across) return cudaErrorInvalidValue;
  cast.across = divide_by(uint32_t(across));
  const int bytes = cast.load_rows * cast.pitch + cast.load_rows / 16 * cast.skew + 3 * kPiece;
  return launch(cast_tiles<In, Format>, unsigned(down * across), kCastThreads, bytes, cast, stream);
}

}  // namespace fast

template <typename Out, typename In>
cudaError_t cast_transpose(Out* out, Out* out_t, const In* in, int64_t rows, int64_t cols,
                           Scale scale = nullptr, float* amax = nullptr, cudaStream_t stream = nullptr) {
  fast::CastJob cast{};
  cast.job.in = reinterpret_cast<const char*>(in), cast.job.rows = rows, cast.job.cols = cols;
  cast.out = reinterpret_cast<char*>(out), cast.out_t = reinterpret_cast<char*>(out_t);
  cast.scale = scale.value, cast.scale_at = scale.at, cast.amax = reinterpret_cast<unsigned*>(amax);
  return fast::cast_transpose<In, fast::FormatOf<Out>>(cast, stream);
}
template <typename Out, typename In>
cudaError_t cast_transpose(std::nullptr_t, Out* out_t, const In* in, int64_t rows, int64_t cols,
                           Scale scale = nullptr, float* amax = nullptr, cudaStream_t stream = nullptr) {
  return cast_transpose(static_cast<Out*>(nullptr), out_t, in, rows, cols, scale, amax, stream);
}
template <typename Out, typename In>
cudaError_t cast_transpose(Out* out, std::nullptr_t, const In* in, int64_t rows, int64_t cols,
                           Scale scale = nullptr, float* amax = nullptr, cudaStream_t stream = nullptr) {
  return cast_transpose(out, static_cast<Out*>(nullptr), in, rows, cols, scale, amax, stream);
}

}  // namespace lab
