// Heat spreads over a plate: two buffers in turn, coefficients in constant memory, a tile with halos in shared memory.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#define NX 130
#define NY 94
#define TX 32
#define TY 8

__constant__ float c_coef[2];

__global__ void heatStep(const float *__restrict__ in, float *__restrict__ out, int nx, int ny) {
  __shared__ float s[TY + 2][TX + 2];
  const int i = blockIdx.x * TX + threadIdx.x, j = blockIdx.y * TY + threadIdx.y;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  auto at = [=](int jj, int ii) { return in[min(max(jj, 0), ny - 1) * nx + min(max(ii, 0), nx - 1)]; };
  s[y][x] = at(j, i);
  if (threadIdx.x == 0) s[y][0] = at(j, i - 1);
  if (threadIdx.x == TX - 1) s[y][TX + 1] = at(j, i + 1);
  if (threadIdx.y == 0) s[0][x] = at(j - 1, i);
  if (threadIdx.y == TY - 1) s[TY + 1][x] = at(j + 1, i);
  __syncthreads();
  if (i >= nx || j >= ny) return;
  const int idx = j * nx + i;
  if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) {
    out[idx] = s[y][x];  // the edge keeps its temperature
    return;
  }
  out[idx] = c_coef[0] * s[y][x] + c_coef[1] * (s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x]);
}

int main() {
  const int steps = 60;
  const size_t bytes = NX * NY * sizeof(float);
  std::vector<float> h(NX * NY, 20.0f), a, b;
  for (int i = 0; i < NX; ++i) h[i] = 100.0f;
  for (int j = 0; j < NY; ++j) h[j * NX] = 50.0f;
  a = b = h;
  const float coef[2] = {0.2f, 0.2f};
  for (int t = 0; t < steps; ++t) {
    for (int j = 1; j < NY - 1; ++j)
      for (int i = 1; i < NX - 1; ++i)
        b[j * NX + i] = coef[0] * a[j * NX + i] +
                        coef[1] * (a[j * NX + i - 1] + a[j * NX + i + 1] + a[(j - 1) * NX + i] + a[(j + 1) * NX + i]);
    std::swap(a, b);
  }
  cudaMemcpyToSymbol(c_coef, coef, sizeof coef);
  float *d[2];
  for (auto &p : d) {
    cudaMalloc(&p, bytes);
    cudaMemcpy(p, h.data(), bytes, cudaMemcpyHostToDevice);
  }
  dim3 block(TX, TY), grid((NX + TX - 1) / TX, (NY + TY - 1) / TY);
  for (int t = 0; t < steps; ++t) {
    heatStep<<<grid, block>>>(d[0], d[1], NX, NY);
    std::swap(d[0], d[1]);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) {
    printf("kernel failed: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  cudaMemcpy(h.data(), d[0], bytes, cudaMemcpyDeviceToHost);
  float worst = 0;
  for (int k = 0; k < NX * NY; ++k) worst = fmaxf(worst, fabsf(h[k] - a[k]));
  for (int j = 0; j < 12; j += 2) printf("row %2d:%8.2f%8.2f%8.2f\n", j, h[j * NX + 2], h[j * NX + 20], h[j * NX + NX / 2]);
  printf("worst difference %s 1e-3\n", worst < 1e-3f ? "below" : "ABOVE");
  for (auto p : d) cudaFree(p);
  return worst < 1e-3f ? 0 : 1;
}
