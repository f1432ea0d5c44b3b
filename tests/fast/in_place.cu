// lab::transpose_in_place on awkward and drawn matrices, on whichever device the program meets: every byte of
// the matrix, between its rows, around it and around the workspace.
//
// Arguments: how many matrices are drawn, the seed, elements of the largest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/fast/in_place.cuh"

namespace {

constexpr int64_t kGuard = 512;
int cases = 0, wrong = 0;

using Bytes = std::vector<unsigned char>;

Bytes filled(int64_t bytes) {
  Bytes data(size_t(bytes), 0);
  uint32_t x = 2463534242u;
  for (unsigned char& b : data)
    x ^= x << 13, x ^= x >> 17, x ^= x << 5, b = static_cast<unsigned char>(x >> 11);
  return data;
}

class OnDevice {
 public:
  explicit OnDevice(Bytes all) : all_(std::move(all)) {
    cudaMalloc(&device_, all_.size());
    cudaMemcpy(device_, all_.data(), all_.size(), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(device_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  [[nodiscard]] char* at(int64_t byte) const { return device_ + byte; }
  [[nodiscard]] Bytes back() const {
    Bytes got(all_.size());
    cudaMemcpy(got.data(), device_, got.size(), cudaMemcpyDeviceToHost);
    return got;
  }

 private:
  Bytes all_;
  char* device_ = nullptr;
};

// `from`: elements from an aligned address. The plan that the library chooses, or one by other limits.
void check(int element, int64_t rows, int64_t cols, lab::InPlace in = {}, int64_t from = 0,
           const lab::fast::PageLimits* limits = nullptr) {
  ++cases;
  const int64_t pitch = in.pitch ? in.pitch : cols, stride = in.stride ? in.stride : rows * pitch,
                first = kGuard + from * element,
                bytes = ((in.count - 1) * stride + (rows - 1) * pitch + cols) * element;
  const Bytes before = filled(bytes + first + kGuard);
  Bytes want = before;
  for (int64_t m = 0; m < in.count; ++m)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c) {
        const int64_t out_pitch = rows == cols ? pitch : rows;
        memcpy(&want[size_t(first + (m * stride + c * out_pitch + r) * element)],
               &before[size_t(first + (m * stride + r * pitch + c) * element)], size_t(element));
      }
  lab::fast::PagesPlan plan{};
  if (limits) plan = lab::fast::pages_plan(rows, cols, element, *limits);
  const int64_t asked = limits ? plan.workspace() : lab::in_place_workspace_bytes(rows, cols, element);
  const OnDevice matrix(before), workspace(Bytes(size_t(asked + 2 * kGuard), 0xDD));
  const lab::Workspace way{workspace.at(kGuard), asked};
  cudaError_t error = limits
                          ? lab::fast::turn_rectangles(matrix.at(first), plan, element,
                                                       {pitch, in.count, stride}, way, nullptr)
                          : lab::transpose_in_place(matrix.at(first), rows, cols, element, nullptr, way, in);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  const Bytes got = matrix.back(), beside = workspace.back();
  bool kept = true;
  for (size_t i = 0; i < size_t(kGuard); ++i)
    kept = kept && beside[i] == 0xDD && beside[beside.size() - 1 - i] == 0xDD;
  if (error == cudaSuccess && got == want && kept) return;
  size_t b = 0;
  while (b < want.size() && got[b] == want[b]) ++b;
  std::printf(
      "WRONG %lld of %lldx%lld, pitch %lld, %d bytes per element, from element %lld, pages of %d%s: "
      "%s, byte %lld%s\n",
      static_cast<long long>(in.count), static_cast<long long>(rows), static_cast<long long>(cols),
      static_cast<long long>(pitch), element, static_cast<long long>(from), plan.job.page,
      limits ? " by small limits" : "", cudaGetErrorString(error), static_cast<long long>(b) - first,
      kept ? "" : ", the workspace");
  ++wrong;
}

void refused() {
  const auto expect = [](const char* what, cudaError_t error) {
    ++cases;
    if (error == cudaSuccess) ++wrong, std::printf("WRONG %s was not refused\n", what);
  };
  expect("an element of 3 bytes", lab::transpose_in_place(nullptr, 4, 4, 3));
  expect("a negative size", lab::transpose_in_place(nullptr, -1, 4, 4));
  expect("a pitch shorter than a row", lab::transpose_in_place(nullptr, 4, 4, 4, nullptr, {}, {3}));
  expect("a pitch of a rectangle", lab::transpose_in_place(nullptr, 4, 5, 4, nullptr, {}, {6}));
  expect("rectangles that overlap", lab::transpose_in_place(nullptr, 4, 5, 4, nullptr, {}, {5, 2, 19}));
  expect("no workspace", lab::transpose_in_place(nullptr, 3000, 2999, 4));
}

// The workspace is never more than it may be.
void asks_for_little(std::mt19937& random) {
  for (int n = 0; n < 3000; ++n) {
    const int element = 1 << random() % 5;
    const auto side = [&] { return int64_t(exp2(double(random() % 15000) / 1000) * 2) + 2; };
    const int64_t rows = side(), cols = side(), bytes = rows * cols * element,
                  asked = lab::in_place_workspace_bytes(rows, cols, element);
    ++cases;
    if (asked <= std::max(bytes / 100, int64_t(1) << 20)) continue;
    std::printf("WRONG %lldx%lld of %d bytes ask for %lld\n", static_cast<long long>(rows),
                static_cast<long long>(cols), element, static_cast<long long>(asked));
    ++wrong;
  }
}

// A capture takes it, and runs as often as it is launched: twice is as before.
void captured(int64_t rows, int64_t cols) {
  ++cases;
  const Bytes before = filled(rows * cols * 4);
  const OnDevice matrix(before), workspace(Bytes(size_t(lab::in_place_workspace_bytes(rows, cols, 4) + 16)));
  const lab::Workspace way{workspace.at(0), lab::in_place_workspace_bytes(rows, cols, 4)};
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaStreamCreate(&stream);
  cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  auto* const floats = reinterpret_cast<float*>(matrix.at(0));
  if (error == cudaSuccess) error = lab::transpose_in_place(floats, rows, cols, stream, way);
  if (error == cudaSuccess) error = lab::transpose_in_place(floats, cols, rows, stream, way);
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (error == cudaSuccess) error = ended;
  if (error == cudaSuccess) error = cudaGraphInstantiate(&run, graph, 0);
  if (error == cudaSuccess) error = cudaGraphLaunch(run, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  if (error == cudaSuccess && matrix.back() == before) return;
  std::printf("WRONG captured, %lldx%lld: %s\n", static_cast<long long>(rows), static_cast<long long>(cols),
              cudaGetErrorString(error));
  ++wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int64_t otherwise) { return argc > i ? std::atoll(argv[i]) : otherwise; };
  const auto seed = static_cast<unsigned>(argument(2, 1));
  const int64_t most = argument(3, 8000);
  const lab::fast::PageLimits small{64, 1600, 6400, 2000}, few{32, 800, 1 << 20, 100},
      long_pages{128, 8192, 8192, 6000};
  for (const int element : {1, 2, 4, 8, 16}) {
    for (const int64_t side : {1, 2, 31, 64, 97, 144}) check(element, side, side);
    check(element, 67, 67, {70, 2, 67 * 71}, 1), check(element, 48, 48, {64, 3}),
        check(element, 33, 33, {99, 3, 33});
    const int64_t shapes[][2] = {{1, 7},   {7, 1},   {2, 3},   {31, 33}, {33, 31},
                                 {2, 501}, {501, 2}, {96, 40}, {41, 97}, {0, 3}};
    for (const auto& s : shapes)
      check(element, s[0], s[1]), check(element, s[0], s[1], {0, 3, s[0] * s[1] + 5}, 1);
    const int64_t larger[][2] = {{97, 41}, {41, 97}, {128, 64}, {64, 130}, {211, 23}, {24, 210}, {331, 7}};
    for (const auto& s : larger)
      for (const auto* limits : {&small, &few, &long_pages})
        for (const int64_t from : {0, 1}) check(element, s[0], s[1], {}, from, limits);
  }
  std::mt19937 random(seed);
  const auto draw = [&](int64_t a, int64_t b) { return a + int64_t(random() % uint32_t(b - a + 1)); };
  const auto size = [&] { return draw(0, 2) ? draw(2, 90) : draw(0, 1) ? 8 * draw(1, 40) : draw(2, 700); };
  for (int64_t n = argument(1, 10); n > 0; --n) {
    const int element = 1 << draw(0, 4);
    int64_t rows = size(), cols = draw(0, 3) ? size() : rows;
    while (rows * cols > most) rows = size(), cols = draw(0, 3) ? size() : rows;
    const int64_t from = draw(0, 1) * draw(0, 31), count = draw(0, 3) ? 1 : draw(2, 4);
    if (rows == cols) {
      check(element, rows, cols, {cols + draw(0, 1) * draw(0, 20), count}, from);
      continue;
    }
    const lab::fast::PageLimits limits{16 * draw(1, 12), draw(200, 6000), draw(2000, 30000), draw(50, 5000)};
    check(element, rows, cols, {0, count}, from), check(element, rows, cols, {0, count}, from, &limits);
  }
  asks_for_little(random), refused(), captured(40, 40), captured(53, 96);
  if (argc > 3) captured(3000, 2999), captured(4096, 1024);
  std::printf("seed %u: %d cases, %d wrong\n", seed, cases, wrong);
  return wrong == 0 ? 0 : 1;
}
