// The fast permutation as a C function, for lab_torch.py. Build: nvcc -O3 -std=c++17 -shared -Xcompiler -fPIC
// -arch=native -I ../..
#include "common/fast/transpose.cuh"

extern "C" int lab_permute(void* out, const void* in, int count, const int64_t* sizes,
                           const int64_t* in_strides, const int* order, int element_bytes, void* stream) {
  return lab::permute(out, in, count, sizes, in_strides, order, element_bytes,
                      static_cast<cudaStream_t>(stream));
}

extern "C" const char* lab_error(int error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }
