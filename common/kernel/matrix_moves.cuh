// Matrices of 8 × 8 elements of 16 bits, moved by the whole warp at once: ldmatrix, stmatrix, movmatrix.
//
// Enters: an address of a row for each of eight lanes a matrix: lane 8m + r names row r of matrix m, 16 bytes
// in shared memory at a multiple of 16. Leaves: in each lane one 32-bit register a matrix, with two elements.
// Lane t holds elements 2(t % 4) and the next one of row t / 4; turned, of column t / 4. All 32 lanes must be
// there.
#pragma once

namespace lab {

__device__ inline unsigned row_address(const void* row) {
  return static_cast<unsigned>(__cvta_generic_to_shared(row));
}

// Four matrices. `.x` is matrix 0.
__device__ inline uint4 load_matrices(const void* row) {
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(row_address(row))
               : "memory");
  return make_uint4(a, b, c, d);
}

// The same, each matrix turned on the way.
__device__ inline uint4 load_matrices_turned(const void* row) {
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(row_address(row))
               : "memory");
  return make_uint4(a, b, c, d);
}

// From Hopper on.
__device__ inline void store_matrices(void* row, uint4 m) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row_address(row)),
               "r"(m.x), "r"(m.y), "r"(m.z), "r"(m.w)
               : "memory");
}

__device__ inline void store_matrices_turned(void* row, uint4 m) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row_address(row)),
      "r"(m.x), "r"(m.y), "r"(m.z), "r"(m.w)
      : "memory");
}

// One matrix, turned from registers to registers.
__device__ inline unsigned turn_matrix(unsigned m) {
  unsigned turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(m));
  return turned;
}

}  // namespace lab
