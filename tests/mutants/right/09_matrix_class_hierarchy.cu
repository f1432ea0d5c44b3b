// Right: pitched views with constructors, a batch member that returns a view, the path chosen by a lambda over template values
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"
#include "common/kernel/words.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};

template <class T>
struct Pitched {
  T* data;
  size_t rows, cols, pitch;
  __device__ Pitched(T* d, size_t r, size_t c, size_t p) : data(d), rows(r), cols(c), pitch(p) {}
  __device__ Pitched plane(unsigned z) const { return Pitched(data + z * rows * pitch, rows, cols, pitch); }
  __device__ T* operator[](size_t r) const { return data + r * pitch; }
  __device__ bool wide() const { return (size_t(data) | pitch * 4) % 16 == 0 && cols % 4 == 0; }
};

template <int P>
struct Mover {
  using Pack = lab::Word<P * 4>;
  static constexpr int kSide = 64, kAcross = kSide / P, kDown = 256 / kAcross;
  static __device__ Pack& slot(void* room, int r, int p) { return static_cast<Pack*>(room)[r * kAcross + (P == 4 ? p ^ (r / 4 % 8) : p ^ (r % 32))]; }
  static __device__ void run(void* room, Pitched<float> out, Pitched<const float> in, size_t r0, size_t c0) {
    const int x = threadIdx.x % kAcross, y0 = threadIdx.x / kAcross;
    for (int y = y0; y < kAcross; y += kDown) {
      if (r0 + y * P >= in.rows || c0 + x * P >= in.cols) continue;
      Pack from[P], to[P];
      for (int k = 0; k < P; ++k) from[k] = *reinterpret_cast<const Pack*>(in[r0 + y * P + k] + c0 + x * P);
      lab::transpose_in_registers<float>(from, to);
      for (int k = 0; k < P; ++k) slot(room, x * P + k, y) = to[k];
    }
    __syncthreads();
    for (int y = y0; y < kSide; y += kDown)
      if (c0 + y < out.rows && r0 + x * P < out.cols) *reinterpret_cast<Pack*>(out[c0 + y] + r0 + x * P) = slot(room, y, x);
  }
};

__device__ void any(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  __shared__ float4 room[64 * 16];
  const auto from = Pitched<const float>(in, rows, cols, in_pitch).plane(blockIdx.z);
  const auto to = Pitched<float>(out, cols, rows, out_pitch).plane(blockIdx.z);
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  if (from.wide() && to.wide())
    Mover<4>::run(room, to, from, r0, c0);
  else
    Mover<1>::run(room, to, from, r0, c0);
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { any(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  any(out, in, rows, cols, out_pitch, in_pitch);
}
