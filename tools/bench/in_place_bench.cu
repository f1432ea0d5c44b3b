// lab::transpose_in_place against a copy of as many bytes: medians of 21 in one process, as CSV. Build:
// nvcc -O3 -std=c++17 -arch=native -I. tools/bench/in_place_bench.cu
//
// Matrices take turns over 4 GB, so nothing is in the cache. Bits are tests/fast/in_place.cu's. The workspace
// is what lab::in_place_workspace_bytes asks for, in % of a matrix.
#include "common/fast/in_place.cuh"
#include "tools/bench/medians.h"

namespace {

constexpr size_t kPool = size_t(4) << 30;
char *pool, *other, *workspace;

void time(int element, int64_t rows, int64_t cols, int64_t pitch = 0, int64_t count = 1) {
  const int64_t along = pitch ? pitch : cols, bytes = count * rows * along * element,
                moved = count * rows * cols * element;
  const size_t apart = size_t(bytes + 255) / 256 * 256, places = std::max<size_t>(1, kPool / apart);
  const int64_t way = lab::in_place_workspace_bytes(rows, cols, element);
  const auto copy = [&](int i) {
    const size_t at = size_t(i) % places * apart;
    require(cudaMemcpyAsync(other + at, pool + at, size_t(moved), cudaMemcpyDeviceToDevice));
  };
  const auto turn = [&](int i) {
    require(lab::transpose_in_place(pool + size_t(i) % places * apart, rows, cols, element, nullptr,
                                    {workspace, way}, {pitch, count}));
  };
  const double before = median(size_t(moved), copy), ours = median(size_t(moved), turn),
               yardstick = std::min(before, median(size_t(moved), copy));
  std::printf("%d,%lld,%lld,%lld,%lld,%.2f,%.1f,%.1f,%.1f\n", element, static_cast<long long>(count),
              static_cast<long long>(rows), static_cast<long long>(cols), static_cast<long long>(along),
              100.0 * double(way) / double(rows * cols * element), yardstick, ours, 100 * yardstick / ours);
  std::fflush(stdout);
}

}  // namespace

int main() {
  require(cudaMalloc(&pool, kPool)), require(cudaMalloc(&other, kPool));
  require(cudaMalloc(&workspace, size_t(64) << 20));
  require(cudaMemset(pool, 1, kPool));
  std::printf("element_bytes,count,rows,cols,pitch,workspace_percent,copy_us,us,percent_of_copy\n");
  for (const int element : {1, 2, 4, 8, 16}) {
    const int64_t side = element == 1 ? 16384 : element < 8 ? 8192 : 4096;
    time(element, side, side), time(element, 10000, 10000), time(element, side - 1, side - 1);
    time(element, 7001, 7001, 7003), time(element, 1000, 1000, 0, 64), time(element, 777, 777, 0, 64);
    time(element, 2 * side, side), time(element, side, 2 * side), time(element, 12000, 10000);
    time(element, 10007, 9973), time(element, 9973, 10007), time(element, 1000003, 77);
    time(element, 77, 1000003), time(element, 30000001, 3), time(element, 3, 30000001);
    time(element, 1000, 777), time(element, 31, 33, 0, 10000);
  }
  return 0;
}
