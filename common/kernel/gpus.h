// What a kernel of several GPUs knows of them: its first parameter (chapter 16).
//
// Enters: gpus.cuh includes it for kernels, the judge to fill it in. Leaves: one struct. Both matrices lie on
// the GPUs by rows: `in` has `rows` of them, `out` has `cols`.
#pragma once

namespace lab {

constexpr int kMostGpus = 8;

#if defined(__CUDACC__) || defined(__CUDA__)
#define LAB_ON_GPU __host__ __device__
using OutOfGpu = float*;
#else
using OutOfGpu = unsigned long long;  // an address of the GPU, whose addresses may be longer than the host's
#endif

struct Gpus {
  OutOfGpu out[kMostGpus];  // where the rows of `out` begin that each GPU has; any GPU may write to them
  int row[kMostGpus + 1];   // GPU g has the rows row[g] to row[g + 1] - 1 of `in` …
  int col[kMostGpus + 1];   // … and the rows col[g] to col[g + 1] - 1 of `out`, columns of `in`
  int count;                // GPUs that share the matrices
  int self;                 // the GPU that this is: 0 to count - 1

#ifdef LAB_ON_GPU
  // values[index], by choice among all: where the compiler does not know the index, a thread would keep the
  // array in local memory.
  template <class T, int kCount>
  LAB_ON_GPU static T pick(const T (&values)[kCount], int index) {
    T found = values[0];
#pragma unroll
    for (int i = 1; i < kCount; ++i) found = i == index ? values[i] : found;
    return found;
  }
  LAB_ON_GPU float* out_of(int gpu) const { return pick(out, gpu); }
  LAB_ON_GPU int first_row(int gpu) const { return pick(row, gpu); }
  LAB_ON_GPU int first_col(int gpu) const { return pick(col, gpu); }
#endif
};

}  // namespace lab

#undef LAB_ON_GPU
