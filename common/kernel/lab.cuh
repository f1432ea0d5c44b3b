// The one header of a kernel file.
//
// Enters: a kernel file, compiled by NVRTC, by nvcc, or by clang without a CUDA Toolkit. Leaves: the two
// names that a chapter needs, LAUNCH_SHAPE and PREDICTIONS, as constants that both devices read from the
// compiled module.
//
//     LAUNCH_SHAPE = {
//         .block = {32, 8},        // threads: x, y
//         .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
//         .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
//         .dynamic_shared_bytes = 0,
//         .cluster = {2, 1},       // blocks: x, y (chapter 14)
//         .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}},  // a tensor map each (chapter 12)
//     };
#pragma once

#ifndef __CUDA__
#ifndef __CUDACC__
#error "lab.cuh belongs in a CUDA kernel file (.cu), compiled by NVRTC, nvcc or clang"
#endif
#endif

#include <stdint.h>  // uint8_t and its like; CUDA does not include them

#include "launch_shape.h"

// clang knows no CUDA names by itself; nvcc has its own.
#if defined(__clang__) && !defined(__NVCC__)
#include "clang_builtins.cuh"
#endif

using lab::kCols;
using lab::kIn;
using lab::kNoSwizzle;
using lab::kOut;
using lab::kRows;
using lab::kSwizzle128;
using lab::kSwizzle32;
using lab::kSwizzle64;

#define LAUNCH_SHAPE extern "C" __constant__ const lab::LaunchShape lab_launch_shape
#define PREDICTIONS extern "C" __constant__ const lab::Predictions lab_predictions
// The launch shape of a further entry point of the same file, where it differs from LAUNCH_SHAPE.
#define LAUNCH_SHAPE_OF(ENTRY) extern "C" __constant__ const lab::LaunchShape lab_launch_shape_##ENTRY
