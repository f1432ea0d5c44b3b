// Mutant: a right kernel that is another one: no tile, scattered stores
// judged by: 18_bugs_in_the_wild
// fails: page-5
// code: uncoalesced
#define bug_5 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_5

extern "C" __global__ void bug_5(float* out, const float* in, int rows, int cols) {
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
