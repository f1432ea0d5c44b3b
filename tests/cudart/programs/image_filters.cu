// Bytes and small vectors: colour to grey, a separable blur with shared memory, Sobel edges, a picture turned by 90 degrees.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define W 96
#define H 64
#define R 2

__constant__ int kGauss[2 * R + 1] = {1, 4, 6, 4, 1};

__global__ void grey(const uchar4 *rgba, unsigned char *out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= cols) return;
  uchar4 p = rgba[r * cols + c];
  out[r * cols + c] = (299 * p.x + 587 * p.y + 114 * p.z) / 1000;
}

__global__ void blurRows(const unsigned char *in, unsigned short *out) {
  __shared__ unsigned char s[8][32 + 2 * R];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  for (int k = threadIdx.x; k < 32 + 2 * R; k += 32) s[threadIdx.y][k] = in[r * W + min(max((int)blockIdx.x * 32 + k - R, 0), W - 1)];
  __syncthreads();
  int sum = 0;
  for (int d = 0; d <= 2 * R; ++d) sum += kGauss[d] * s[threadIdx.y][threadIdx.x + d];
  out[r * W + c] = sum;
}

__global__ void blurCols(const unsigned short *in, unsigned char *out) {
  __shared__ unsigned short s[8 + 2 * R][32];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  for (int k = threadIdx.y; k < 8 + 2 * R; k += 8) s[k][threadIdx.x] = in[min(max((int)blockIdx.y * 8 + k - R, 0), H - 1) * W + c];
  __syncthreads();
  int sum = 0;
  for (int d = 0; d <= 2 * R; ++d) sum += kGauss[d] * s[threadIdx.y + d][threadIdx.x];
  out[r * W + c] = (sum + 128) >> 8;
}

__global__ void sobel(const unsigned char *in, unsigned char *out) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= W - 1 || r >= H - 1) return;
  const unsigned char *p = in + r * W + c;
  int gx = p[-W + 1] + 2 * p[1] + p[W + 1] - p[-W - 1] - 2 * p[-1] - p[W - 1];
  int gy = p[W - 1] + 2 * p[W] + p[W + 1] - p[-W - 1] - 2 * p[-W] - p[-W + 1];
  out[r * W + c] = min(abs(gx) + abs(gy), 255);
}

__global__ void turn(const unsigned char *in, unsigned char *out) {
  __shared__ unsigned char tile[32][36];
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * W + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) out[(blockIdx.x * 32 + k) * H + H - 1 - (blockIdx.y * 32 + threadIdx.x)] = tile[threadIdx.x][k];
}

int clampi(int v, int hi) { return v < 0 ? 0 : v > hi ? hi : v; }

int main() {
  std::vector<uchar4> rgba(W * H);
  for (int r = 0; r < H; ++r)
    for (int c = 0; c < W; ++c) {
      bool disc = (r - 30) * (r - 30) + (c - 40) * (c - 40) < 400;
      rgba[r * W + c] = make_uchar4(disc ? 220 : 2 * c, disc ? 180 : 3 * r, (r * c) % 64, 255);
    }
  std::vector<unsigned char> g(W * H), blurred(W * H), edges(W * H), turned(W * H), back(W * H);
  for (int i = 0; i < W * H; ++i) g[i] = (299 * rgba[i].x + 587 * rgba[i].y + 114 * rgba[i].z) / 1000;
  for (int r = 0; r < H; ++r)
    for (int c = 0; c < W; ++c) {
      const int w[] = {1, 4, 6, 4, 1};
      int sum = 0;
      for (int y = -R; y <= R; ++y)
        for (int x = -R; x <= R; ++x) sum += w[y + R] * w[x + R] * g[clampi(r + y, H - 1) * W + clampi(c + x, W - 1)];
      blurred[r * W + c] = (sum + 128) >> 8;
    }
  uchar4 *d_rgba;
  unsigned char *d_g, *d_b;
  unsigned short *d_s;
  cudaMalloc(&d_rgba, W * H * 4);
  cudaMalloc(&d_g, W * H);
  cudaMalloc(&d_b, W * H);
  cudaMalloc(&d_s, W * H * 2);
  cudaMemcpy(d_rgba, rgba.data(), W * H * 4, cudaMemcpyHostToDevice);
  dim3 b(32, 8), grid(W / 32, H / 8);
  grey<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(d_rgba, d_g, H, W);
  blurRows<<<grid, b>>>(d_g, d_s);
  blurCols<<<grid, b>>>(d_s, d_b);
  cudaMemcpy(back.data(), d_b, W * H, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < W * H; ++i) bad += back[i] != blurred[i];
  printf("blur: %d wrong, middle %d\n", bad, back[30 * W + 40]);
  cudaMemset(d_g, 0, W * H);
  sobel<<<grid, b>>>(d_b, d_g);
  cudaMemcpy(edges.data(), d_g, W * H, cudaMemcpyDeviceToHost);
  turn<<<dim3(W / 32, H / 32), b>>>(d_g, d_b);
  cudaMemcpy(turned.data(), d_b, W * H, cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int r = 0; r < H; ++r)
    for (int c = 0; c < W; ++c) {
      bad += turned[c * H + H - 1 - r] != edges[r * W + c];
      sum += edges[r * W + c];
    }
  printf("edges sum %ld, turned: %d wrong\n", sum, bad);
  for (int r = 4; r < H; r += 8) {
    for (int c = 0; c < W; c += 2) putchar(edges[r * W + c] > 120 ? '#' : edges[r * W + c] > 40 ? '+' : '.');
    putchar('\n');
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return bad;
}
