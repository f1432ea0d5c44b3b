// threadIdx, blockIdx, blockDim and gridDim as whole values: clang declares the conversions and leaves them
// to us. Part of clang_builtins.cuh.
#pragma once

#define LAB_INDEX(TYPE)                                                              \
  __device__ LAB_HIDDEN inline TYPE::operator dim3() const { return dim3(x, y, z); } \
  __device__ LAB_HIDDEN inline TYPE::operator uint3() const { return uint3{x, y, z}; }
LAB_INDEX(__cuda_builtin_threadIdx_t)
LAB_INDEX(__cuda_builtin_blockIdx_t)
LAB_INDEX(__cuda_builtin_blockDim_t)
LAB_INDEX(__cuda_builtin_gridDim_t)
#undef LAB_INDEX
