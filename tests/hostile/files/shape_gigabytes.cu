#include "common/kernel/lab.cuh"
extern "C" __device__ char lab_launch_shape[1 << 30];
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { lab_launch_shape[rows] = 1; }
