// The fast permutation as a C function, for lab_torch.py. Build: nvcc -O3 -std=c++17 -shared -Xcompiler -fPIC
// -arch=native -I ../..
#include "common/fast/transpose.cuh"

extern "C" int lab_permute(void* out, const void* in, int count, const int64_t* sizes,
                           const int64_t* in_strides, const int* order, int element_bytes, void* stream,
                           void* workspace, int64_t workspace_bytes) {
  return lab::permute(out, in, count, sizes, in_strides, order, element_bytes,
                      static_cast<cudaStream_t>(stream), {workspace, workspace_bytes});
}

extern "C" int64_t lab_workspace_bytes(int count, const int64_t* sizes, const int64_t* in_strides,
                                       const int* order, int element_bytes) {
  return lab::workspace_bytes(count, sizes, in_strides, order, element_bytes);
}

extern "C" const char* lab_error(int error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }
