// Right: a view of a matrix, and two policies of a template that say how lanes move; the wide one takes tiles of two halves
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {64, 64}, .block_x_walks = kRows};

template <class T>
struct View {
  T* first;
  size_t rows, cols, pitch;
  __device__ T* at(size_t row, size_t col) const { return first + row * pitch + col; }
  __device__ bool has(size_t row, size_t col) const { return row < rows && col < cols; }
};

struct Single {
  static constexpr int kLanes = 64;
  template <class In, class Out>
  static __device__ void run(float* tile, const In& in, const Out& out, size_t r, size_t c) {
    const int lane = threadIdx.x % kLanes;
    for (int y = threadIdx.x / kLanes; y < 64; y += 2)
      if (in.has(r + y, c + lane)) tile[y * 64 + (lane ^ (y & 31))] = *in.at(r + y, c + lane);
    __syncthreads();
    for (int x = threadIdx.x / kLanes; x < 64; x += 2)
      if (out.has(c + x, r + lane)) *out.at(c + x, r + lane) = tile[lane * 64 + (x ^ (lane & 31))];
  }
};

struct Quads {
  template <class In, class Out>
  static __device__ void run(float* tile, const In& in, const Out& out, size_t r, size_t c) {
    float4* const quads = reinterpret_cast<float4*>(tile);
    const int x = threadIdx.x % 16;
    for (int y = threadIdx.x / 16; y < 16; y += 8) {
      if (!in.has(r + 4 * y, c + 4 * x)) continue;
      float4 a[4];
      for (int k = 0; k < 4; ++k) a[k] = *reinterpret_cast<const float4*>(in.at(r + 4 * y + k, c + 4 * x));
      float4* const to = quads + 4 * x * 16 + (y ^ x);
      to[0] = {a[0].x, a[1].x, a[2].x, a[3].x}, to[16] = {a[0].y, a[1].y, a[2].y, a[3].y};
      to[32] = {a[0].z, a[1].z, a[2].z, a[3].z}, to[48] = {a[0].w, a[1].w, a[2].w, a[3].w};
    }
    __syncthreads();
    for (int y = threadIdx.x / 16; y < 64; y += 8)
      if (out.has(c + y, r + 4 * x)) *reinterpret_cast<float4*>(out.at(c + y, r + 4 * x)) = quads[y * 16 + (x ^ y / 4)];
  }
};

__device__ void turn(View<float> out, View<const float> in) {
  __shared__ __align__(16) float tile[64 * 64];
  out.first += out.rows * out.pitch * blockIdx.z;
  in.first += in.rows * in.pitch * blockIdx.z;
  const size_t r = size_t(blockIdx.x) * 64, c = size_t(blockIdx.y) * 64;
  const size_t bits = size_t(out.first) / 4 | size_t(in.first) / 4 | out.pitch | in.pitch | in.rows | in.cols;
  if ((bits & 3) == 0)
    Quads::run(tile, in, out, r, c);
  else
    Single::run(tile, in, out, r, c);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  turn({out, size_t(cols), size_t(rows), size_t(rows)}, {in, size_t(rows), size_t(cols), size_t(cols)});
}

extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  turn({out, size_t(cols), size_t(rows), size_t(out_pitch)}, {in, size_t(rows), size_t(cols), size_t(in_pitch)});
}
