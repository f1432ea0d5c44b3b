// The header of a kernel file for several GPUs, in place of lab.cuh (chapter 16).
//
// Enters: a kernel file. Leaves: what lab.cuh gives, and more: .gpus in LAUNCH_SHAPE, further questions in
// PREDICTIONS, and lab::Gpus, the first parameter:
//
//     LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kRows, .gpus = 2};
//     extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols)
//
// The kernel runs on each GPU at the same time, with the rows of `in` that this GPU has; rows and cols are
// those of the whole matrix. The grid covers these rows: as many tiles as the widest part of the columns
// needs, once for each GPU whose part of `out` they may belong to, and that is blockIdx.z.
#pragma once

#if defined(LAUNCH_SHAPE) && !defined(LAB_SEVERAL_GPUS)
#error "include common/kernel/gpus.cuh in place of common/kernel/lab.cuh: it brings lab.cuh along"
#endif

#define LAB_SEVERAL_GPUS
#include "gpus.h"
#include "lab.cuh"
