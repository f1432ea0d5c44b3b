// The fast transpose of matrices whose rows lie on several GPUs, on whichever GPUs the program meets: every
// bit of `out` and the bytes around it, for elements of 1 to 16 bytes and shares that are no multiples of
// anything.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "common/fast/split.cuh"

namespace {

constexpr int64_t kGuard = 512;
int cases = 0, wrong = 0;

using Bytes = std::vector<unsigned char>;

Bytes filled(int64_t bytes) {
  Bytes data(static_cast<size_t>(bytes));
  uint32_t x = 2463534242u;
  for (unsigned char& b : data)
    x ^= x << 13, x ^= x >> 17, x ^= x << 5, b = static_cast<unsigned char>(x >> 11);
  return data;
}

struct Problem {
  int element;
  std::vector<int64_t> rows, cols;  // where each GPU's begin
  int64_t more_out, more_in;        // of the pitches
  [[nodiscard]] int gpus() const { return static_cast<int>(rows.size()) - 1; }
};

template <typename T>
cudaError_t turn(const Problem& p, const std::vector<char*>& out, const std::vector<char*>& in) {
  T* outs[lab::kMostGpusOfSplit] = {};
  const T* ins[lab::kMostGpusOfSplit] = {};
  int devices[lab::kMostGpusOfSplit] = {};
  cudaStream_t streams[lab::kMostGpusOfSplit] = {};
  for (int g = 0; g < p.gpus(); ++g) {
    const auto at = static_cast<size_t>(g);
    outs[g] = reinterpret_cast<T*>(out[at]), ins[g] = reinterpret_cast<const T*>(in[at]), devices[g] = g;
    cudaSetDevice(g), cudaStreamCreate(&streams[g]);
  }
  cudaSetDevice(0);
  const lab::Pitches pitches{p.rows.back() + p.more_out, p.cols.back() + p.more_in};
  cudaError_t error =
      lab::transpose(outs, ins, {p.gpus(), p.rows.data(), p.cols.data()}, devices, streams, pitches);
  for (int g = 0; g < p.gpus(); ++g) {
    cudaSetDevice(g);
    const cudaError_t done = cudaStreamSynchronize(streams[g]);
    cudaStreamDestroy(streams[g]);
    error = error == cudaSuccess ? done : error;
  }
  return error;
}

cudaError_t turn(const Problem& p, const std::vector<char*>& out, const std::vector<char*>& in) {
  return p.element == 1   ? turn<uint8_t>(p, out, in)
         : p.element == 2 ? turn<uint16_t>(p, out, in)
         : p.element == 4 ? turn<float>(p, out, in)
         : p.element == 8 ? turn<double>(p, out, in)
                          : turn<float4>(p, out, in);
}

void check(const Problem& p) {
  ++cases;
  const int64_t in_pitch = (p.cols.back() + p.more_in) * p.element,
                out_pitch = (p.rows.back() + p.more_out) * p.element;
  const Bytes in = filled(p.rows.back() * in_pitch);
  Bytes want(static_cast<size_t>(p.cols.back() * out_pitch), 0xEE);
  for (int64_t row = 0; row < p.rows.back(); ++row)
    for (int64_t col = 0; col < p.cols.back(); ++col)
      memcpy(&want[static_cast<size_t>(col * out_pitch + row * p.element)],
             &in[static_cast<size_t>(row * in_pitch + col * p.element)], static_cast<size_t>(p.element));
  std::vector<char*> ins, outs, to;
  std::vector<Bytes> got;
  for (int g = 0; g < p.gpus(); ++g) {
    const auto at = static_cast<size_t>(g);
    const int64_t in_bytes = (p.rows[at + 1] - p.rows[at]) * in_pitch,
                  out_bytes = (p.cols[at + 1] - p.cols[at]) * out_pitch;
    cudaSetDevice(g);
    char *own_in = nullptr, *own_out = nullptr;
    cudaMalloc(&own_in, static_cast<size_t>(in_bytes + 1)),
        cudaMalloc(&own_out, static_cast<size_t>(out_bytes + 2 * kGuard));
    if (in_bytes > 0)
      cudaMemcpy(own_in, &in[static_cast<size_t>(p.rows[at] * in_pitch)], static_cast<size_t>(in_bytes),
                 cudaMemcpyHostToDevice);
    cudaMemset(own_out, 0xEE, static_cast<size_t>(out_bytes + 2 * kGuard));
    cudaDeviceSynchronize();
    ins.push_back(own_in), outs.push_back(own_out), to.push_back(own_out + kGuard);
    got.emplace_back(static_cast<size_t>(out_bytes + 2 * kGuard));
  }
  const cudaError_t error = turn(p, to, ins);
  bool right = error == cudaSuccess;
  for (int g = 0; g < p.gpus(); ++g) {
    const auto at = static_cast<size_t>(g);
    cudaSetDevice(g);
    cudaMemcpy(got[at].data(), outs[at], got[at].size(), cudaMemcpyDeviceToHost);
    cudaFree(ins[at]), cudaFree(outs[at]);
    const auto is_untouched = [](unsigned char b) { return b == 0xEE; };
    right =
        right && std::all_of(got[at].begin(), got[at].begin() + kGuard, is_untouched) &&
        std::all_of(got[at].end() - kGuard, got[at].end(), is_untouched) &&
        std::equal(got[at].begin() + kGuard, got[at].end() - kGuard, want.begin() + p.cols[at] * out_pitch);
  }
  if (right) return;
  std::printf("WRONG %lldx%lld over %d GPUs, %d bytes per element, pitches +%lld, +%lld: %s\n",
              static_cast<long long>(p.rows.back()), static_cast<long long>(p.cols.back()), p.gpus(),
              p.element, static_cast<long long>(p.more_out), static_cast<long long>(p.more_in),
              cudaGetErrorString(error));
  ++wrong;
}

// Shares that are even, that grow from GPU to GPU, and all with the last one.
std::vector<int64_t> shares(int64_t size, int gpus, int how) {
  std::vector<int64_t> begin;
  for (int64_t g = 0; g <= gpus; ++g)
    begin.push_back(how == 0    ? size * g / gpus
                    : how == 1  ? size * g * (g + 1) / (gpus * (gpus + 1))
                    : g == gpus ? size
                                : 0);
  return begin;
}

}  // namespace

int main() {
  int gpus = 0;
  cudaGetDeviceCount(&gpus);
  gpus = std::min(gpus, 4);
  std::vector<int> devices;
  for (int g = 0; g < gpus; ++g) devices.push_back(g);
  if (lab::enable_peer_access(devices.data(), gpus) != cudaSuccess) return std::printf("no peer access\n"), 1;
  const int64_t sides[][2] = {{1, 1},   {1, 100},   {100, 1},   {3, 5},    {64, 64},
                              {61, 67}, {128, 256}, {256, 128}, {129, 300}};
  for (const int element : {1, 2, 4, 8, 16})
    for (const auto& [rows, cols] : sides)
      for (int how = 0; how < 3; ++how) {
        const int64_t more = rows > 60 && how == 1 ? 3 : 0;
        check({element, shares(rows, gpus, how), shares(cols, gpus, (how + 1) % 3), more, more});
        if (rows == cols || how == 0)
          check({element, shares(rows, gpus, how), shares(cols, gpus, how), 0, 0});
      }
  std::printf("%d cases on %d GPUs, %d wrong\n", cases, gpus, wrong);
  return wrong == 0 ? 0 : 1;
}
