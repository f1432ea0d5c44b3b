// What a kernel computes, as data of its file: TASK_OF(entry) = lab::TaskKind::kSum.
//
// Enters: findings.cuh includes it for kernels, the judge to read it back. Leaves: one enum. A kernel that
// says nothing is a transpose.
#pragma once

namespace lab {

enum class TaskKind : int {
  kTranspose = 0,
  kSum = 1,        // out[0] += the sum of all elements
  kHistogram = 2,  // out[b] += how many elements leave the remainder b when divided by 251; 0 <= b < 251
  kStencil = 3,    // out(r, c) = in(r - 1, c) + in(r, c) + in(r + 1, c)
};

}  // namespace lab
