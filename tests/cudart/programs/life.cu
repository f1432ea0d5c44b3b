// Conway's game of life on a torus; a glider walks and comes back.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

using std::cout;
using std::endl;

const int W = 40, H = 20;

__global__ void step(const unsigned char *now, unsigned char *next) {
  const int x = threadIdx.x + blockIdx.x * blockDim.x;
  const int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= W || y >= H) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) alive += now[(y + dy + H) % H * W + (x + dx + W) % W];
  next[y * W + x] = alive == 3 || (alive == 2 && now[y * W + x]);
}

int main() {
  unsigned char world[W * H] = {0}, start[W * H];
  // A glider in the upper left corner.
  for (int cell : {1, W + 2, 2 * W, 2 * W + 1, 2 * W + 2}) world[cell] = 1;
  memcpy(start, world, sizeof world);
  unsigned char *a, *b;
  cudaMalloc(&a, sizeof world);
  cudaMalloc(&b, sizeof world);
  cudaMemcpy(a, world, sizeof world, cudaMemcpyHostToDevice);
  dim3 threads(16, 16);
  dim3 blocks((W + threads.x - 1) / threads.x, (H + threads.y - 1) / threads.y);
  // 4 steps move a glider by (1, 1): after 4 * 40 it has gone round twice downwards and once sideways.
  for (int t = 0; t < 160; ++t) {
    if (t == 30) {
      cudaMemcpy(world, a, sizeof world, cudaMemcpyDefault);
      for (int y = 0; y < H; ++y) {
        std::string line;
        for (int x = 0; x < W; ++x) line += world[y * W + x] ? '#' : '.';
        cout << line << endl;
      }
    }
    step<<<blocks, threads>>>(a, b);
    std::swap(a, b);
  }
  cudaMemcpy(world, a, sizeof world, cudaMemcpyDeviceToHost);
  cout << cudaGetErrorString(cudaGetLastError()) << endl;
  const bool home = memcmp(world, start, sizeof world) == 0;
  cout << (home ? "the glider is back home" : "the glider got lost") << endl;
  cudaFree(a);
  cudaFree(b);
  return home ? 0 : 1;
}
