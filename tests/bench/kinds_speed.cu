// Six kernels of the kinds that programs have, and how long the simulated GPU takes for each; wall time of the host.
//
// Place in the flow: `tests/bench/kinds_speed.py` runs it, once a kernel. Enters: the name of a kernel. Leaves: a line
// with the seconds of each of three launches; 1 when a result is wrong.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

namespace {

__global__ void product(float* c, const float* a, const float* b, int n) {
  __shared__ float sa[16][16], sb[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    sa[y][x] = a[row * n + k + x];
    sb[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void bitonic(unsigned* data) {
  __shared__ unsigned s[512];
  const int t = threadIdx.x, first = blockIdx.x * 512;
  s[t] = data[first + t];
  s[t + 256] = data[first + t + 256];
  for (int k = 2; k <= 512; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int i = 2 * t - (t & (j - 1));
      const unsigned x = s[i], y = s[i + j];
      if ((x > y) == ((i & k) == 0)) {
        s[i] = y;
        s[i + j] = x;
      }
    }
  }
  __syncthreads();
  data[first + t] = s[t];
  data[first + t + 256] = s[t + 256];
}

__global__ void scan(unsigned* out, const unsigned* in) {
  __shared__ unsigned s[2][256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int now = 0;
  s[now][t] = in[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    s[1 - now][t] = t >= step ? s[now][t] + s[now][t - step] : s[now][t];
    now = 1 - now;
    __syncthreads();
  }
  out[i] = s[now][t];
}

__global__ void histogram(unsigned* out, const unsigned char* in, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void reduction(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned s[256];
  unsigned sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

__global__ void bodies(float4* force, const float4* at, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 me = at[i];
  float x = 0, y = 0, z = 0;
  for (int k = 0; k < n; k += 256) {
    tile[threadIdx.x] = at[k + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float pull = other.w * inverse * inverse * inverse;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    __syncthreads();
  }
  force[i] = make_float4(x, y, z, 0);
}

struct Buffers {
  std::vector<unsigned> in;
  unsigned *d_in, *d_out;
  [[nodiscard]] std::vector<unsigned> out(size_t words) const {
    std::vector<unsigned> got(words);
    cudaMemcpy(got.data(), d_out, words * 4, cudaMemcpyDeviceToHost);
    return got;
  }
};

constexpr int kWords = 1 << 20, kSide = 512, kBodies = 4096;

struct Kind {
  const char* name;
  std::function<void(const Buffers&)> launch;
  std::function<bool(const Buffers&)> is_right;
};

const Kind kKinds[] = {
    {"product",
     [](const Buffers& b) {
       product<<<dim3(kSide / 16, kSide / 16), dim3(16, 16)>>>((float*)b.d_out, (float*)b.d_in, (float*)b.d_in, kSide);
     },
     [](const Buffers& b) {
       const auto got = b.out(kSide * kSide);
       const auto* in = (const float*)b.in.data();
       double want = 0;
       for (int k = 0; k < kSide; ++k) want += double(in[kSide + k]) * in[k * kSide + 3];
       float found;
       std::memcpy(&found, &got[kSide + 3], 4);
       return std::abs(found - want) < 1e-3 * std::abs(want) + 1e-3;
     }},
    {"bitonic",
     [](const Buffers& b) {
       cudaMemcpy(b.d_out, b.d_in, kWords * 4, cudaMemcpyDeviceToDevice);
       bitonic<<<kWords / 512, 256>>>(b.d_out);
     },
     [](const Buffers& b) {
       auto want = b.in;
       for (int k = 0; k < kWords; k += 512) std::sort(want.begin() + k, want.begin() + k + 512);
       return b.out(kWords) == want;
     }},
    {"scan", [](const Buffers& b) { scan<<<kWords / 256, 256>>>(b.d_out, b.d_in); },
     [](const Buffers& b) {
       auto want = b.in;
       for (int k = 0; k < kWords; ++k) want[k] += k % 256 == 0 ? 0 : want[k - 1];
       return b.out(kWords) == want;
     }},
    {"histogram",
     [](const Buffers& b) {
       cudaMemset(b.d_out, 0, 1024);
       histogram<<<128, 256>>>(b.d_out, (const unsigned char*)b.d_in, kWords * 4);
     },
     [](const Buffers& b) {
       std::vector<unsigned> want(256);
       for (int k = 0; k < kWords * 4; ++k) ++want[((const unsigned char*)b.in.data())[k]];
       return b.out(256) == want;
     }},
    {"reduction",
     [](const Buffers& b) {
       cudaMemset(b.d_out, 0, 4);
       reduction<<<128, 256>>>(b.d_out, b.d_in, kWords);
     },
     [](const Buffers& b) {
       unsigned want = 0;
       for (unsigned v : b.in) want += v;
       return b.out(1)[0] == want;
     }},
    {"bodies",
     [](const Buffers& b) { bodies<<<kBodies / 256, 256>>>((float4*)b.d_out, (const float4*)b.d_in, kBodies); },
     [](const Buffers& b) {
       const auto got = b.out(4);
       float x;
       std::memcpy(&x, got.data(), 4);
       return std::isfinite(x);
     }},
};

// Floats from 0.5 to 1 where read as floats, with all low bits drawn.
Buffers make_buffers() {
  Buffers b;
  unsigned state = 1;
  for (int k = 0; k < kWords; ++k) b.in.push_back(0x3f000000u | (state = state * 1664525u + 1013904223u) >> 9);
  cudaMalloc(&b.d_in, kWords * 4);
  cudaMalloc(&b.d_out, kWords * 4);
  cudaMemcpy(b.d_in, b.in.data(), kWords * 4, cudaMemcpyHostToDevice);
  return b;
}

}  // namespace

int main(int count, char** words) {
  for (const Kind& kind : kKinds) {
    if (count < 2 || std::strcmp(words[1], kind.name) != 0) continue;
    const Buffers b = make_buffers();
    std::printf("%s", kind.name);
    for (int k = 0; k < 3; ++k) {
      cudaDeviceSynchronize();
      const auto start = std::chrono::steady_clock::now();
      kind.launch(b);
      cudaDeviceSynchronize();
      std::printf(" %.4f", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    const bool right = kind.is_right(b);
    std::printf("%s\n", right ? "" : " WRONG");
    cudaFree(b.d_in);
    cudaFree(b.d_out);
    return right ? 0 : 1;
  }
  std::puts("name a kernel: product, bitonic, scan, histogram, reduction, bodies");
  return 2;
}
