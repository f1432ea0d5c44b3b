// What clang needs to compile CUDA without a CUDA Toolkit: the names that nvcc declares before the first line
// of a file.
//
// Enters: nothing. Leaves: qualifiers, threadIdx and its like, vector types whose copies are one access,
// barriers, warp operations, atomics, loads through the read-only path, small mathematics, printf. Meaning
// and spelling follow the CUDA C++ Programming Guide; what is not here is a plain "undeclared" error of the
// compiler.
#pragma once

#if defined(__clang__) && !defined(__NVCC__)

// The C headers, not their C++ twins: they cost nothing to read, and `edit, check` is a loop.
#include <stddef.h>
#include <stdint.h>

#include "clang_qualifiers.cuh"
#include "clang_vector_types.cuh"

#include <__clang_cuda_builtin_vars.h>

#include "clang_atomics.cuh"
#include "clang_indices.cuh"
#include "clang_loads.cuh"
#include "clang_warp.cuh"

#include "clang_math.cuh"  // after clang_warp.cuh, whose __trap it calls

#endif
