// SPOILER: this is the answer of chapter 07. Later chapters include it; pass 07 before you read on.
//
// The general swizzle of a tile in shared memory, for kernels and for the host.
//
// Enters: the place of an element in a tile of rows of `row_bytes`. Leaves: the column where it is kept, in
// the same row. docs/swizzle.md explains the formula and where CuTe's Swizzle<B,M,S> and the modes of TMA are
// instances of it.
#pragma once

#ifdef __CUDA_ARCH__
#define LAB_SWIZZLE_QUALIFIERS __host__ __device__ constexpr
#else
#if defined(__CUDACC__) || defined(__CUDA__)
#define LAB_SWIZZLE_QUALIFIERS __host__ __device__ constexpr
#else
#define LAB_SWIZZLE_QUALIFIERS constexpr
#endif
#endif

namespace lab {

// All 32 banks once.
constexpr int kBankLineBytes = 128;

// How far the chunks of a row are permuted: the row's number, counted in lines of all banks, modulo the
// chunks that fit into the banks (or into the row, when it is shorter).
LAB_SWIZZLE_QUALIFIERS int swizzle_phase(int row, int row_bytes, int chunk_bytes) {
  const int rows_per_line = row_bytes < kBankLineBytes ? kBankLineBytes / row_bytes : 1;
  const int chunks = (row_bytes < kBankLineBytes ? row_bytes : kBankLineBytes) / chunk_bytes;
  return row / rows_per_line % chunks;
}

// The column that holds element (row, col). All three sizes are powers of two, element <= chunk <= row.
LAB_SWIZZLE_QUALIFIERS int swizzle(int row, int col, int row_bytes, int chunk_bytes, int element_bytes) {
  const int chunk_elems = chunk_bytes / element_bytes;
  const int chunk = (col / chunk_elems) ^ swizzle_phase(row, row_bytes, chunk_bytes);
  return chunk * chunk_elems + col % chunk_elems;
}

}  // namespace lab

#undef LAB_SWIZZLE_QUALIFIERS
