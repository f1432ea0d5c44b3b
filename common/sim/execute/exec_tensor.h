// Handlers of mma.sync and wmma.mma, and of what wmma.load needs beside loads.
#pragma once

#include "common/sim/execute/exec.h"
#include "common/sim/program/tensor_product.h"

namespace lab::sim {

// wmma's fragments of f16 have this many registers; where A or B needs fewer, the rest repeats them.
inline constexpr int kFragmentRegisters = 8;

// D = A × B + C; Inst::extra indexes ProgramData::products.
void exec_tensor_product(WarpContext& w, const Inst& inst);
// mma.m8n8k4 of f16 (tensor_quads.cpp).
void multiply_in_quads(WarpContext& w, const TensorProductInfo& p, const RowRef* a, const RowRef* b,
                       const RowRef* c, const RowRef* d);
// A fault unless all 32 lanes act.
void exec_whole_warp(WarpContext& w, const Inst& inst);
// dst = a + line × stride + beside, in bytes: c has each lane's line, d what it adds, immediate the bits of
// an element; the stride in elements is extra, or where that is 0 the row b.
void exec_fragment_address(WarpContext& w, const Inst& inst);
// dst = four bytes, one from each row of ProgramData::vectors[extra].
void exec_join_bytes(WarpContext& w, const Inst& inst);

}  // namespace lab::sim
