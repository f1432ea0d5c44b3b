// Several files that share device functions, a device variable and a kernel declared in a header.
// nvcc: -rdc=true
#include <cstdio>
#include <vector>

#include "vec3.h"

__global__ void advance(Vec3 *positions, const Vec3 *speeds, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  positions[i] = add(positions[i], scaled(speeds[i], dt * time_factor));
  note_step(i);
}

int main() {
  const int n = 500;
  std::vector<Vec3> p(n), v(n);
  for (int i = 0; i < n; ++i) {
    p[i] = {(float)i, 0, 1};
    v[i] = {1, (float)(i % 4), -2};
  }
  Vec3 *dp, *dv;
  cudaMalloc(&dp, n * sizeof(Vec3));
  cudaMalloc(&dv, n * sizeof(Vec3));
  cudaMemcpy(dp, p.data(), n * sizeof(Vec3), cudaMemcpyHostToDevice);
  cudaMemcpy(dv, v.data(), n * sizeof(Vec3), cudaMemcpyHostToDevice);
  float factor = 0.5f;
  cudaMemcpyToSymbol(time_factor, &factor, sizeof factor);
  for (int step = 0; step < 4; ++step) advance<<<(n + 63) / 64, 64>>>(dp, dv, n, 1.0f);
  float longest = longest_on_device(dp, n);
  cudaMemcpy(p.data(), dp, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
  cudaError_t e = cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += p[i].x != i + 2 || p[i].y != (i % 4) * 2 || p[i].z != -3;
  std::printf("%d steps noted, longest %.1f, %d wrong, %s\n", steps_noted(), longest, wrong, cudaGetErrorString(e));
  return wrong || steps_noted() != 4 * n;
}
