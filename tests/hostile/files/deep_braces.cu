#include "common/kernel/lab.cuh"
#define O0 {
#define O1 O0 O0 O0 O0 O0 O0 O0 O0 O0 O0
#define O2 O1 O1 O1 O1 O1 O1 O1 O1 O1 O1
#define O3 O2 O2 O2 O2 O2 O2 O2 O2 O2 O2
#define O4 O3 O3 O3 O3 O3 O3 O3 O3 O3 O3
#define C0 }
#define C1 C0 C0 C0 C0 C0 C0 C0 C0 C0 C0
#define C2 C1 C1 C1 C1 C1 C1 C1 C1 C1 C1
#define C3 C2 C2 C2 C2 C2 C2 C2 C2 C2 C2
#define C4 C3 C3 C3 C3 C3 C3 C3 C3 C3 C3
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { O4 O4 O4 out[0] = 1; C4 C4 C4 }
