// The fast transpose on awkward shapes, on whichever device the program meets: every bit of `out` and the
// bytes around it. Arguments: nothing (small shapes), or "large" (for a GPU).
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "common/fast/transpose.cuh"

namespace {

constexpr int64_t kGuard = 512;
int cases = 0, wrong = 0;

std::vector<unsigned char> filled(int64_t bytes) {
  std::vector<unsigned char> data(static_cast<size_t>(bytes));
  uint32_t x = 2463534242u;
  for (unsigned char& b : data)
    x ^= x << 13, x ^= x >> 17, x ^= x << 5, b = static_cast<unsigned char>(x >> 11);
  return data;
}

struct Layout {
  std::vector<int64_t> sizes, out_strides, in_strides;  // elements, the outermost first
  int64_t out_elems = 0, in_elems = 0;
};

// Calls `go` on the device and compares each byte with what the layout asks for. `shift`: elements from an
// aligned address; `in_further`: so many more in `in`.
template <typename Go>
void check(const std::string& name, int element, const Layout& layout, int64_t shift, const Go& go,
           int64_t in_further = 0) {
  ++cases;
  const int64_t from = shift * element, in_from = from + in_further * element,
                in_bytes = layout.in_elems * element + in_from, out_bytes = layout.out_elems * element + from;
  const std::vector<unsigned char> in = filled(in_bytes);
  std::vector<unsigned char> want(static_cast<size_t>(out_bytes + 2 * kGuard), 0xEE), got(want);
  std::vector<int64_t> at(layout.sizes.size(), 0);
  bool empty = false;
  for (const int64_t size : layout.sizes) empty |= size == 0;
  while (!empty) {
    int64_t o = 0, i = 0;
    for (size_t d = 0; d < at.size(); ++d)
      o += at[d] * layout.out_strides[d], i += at[d] * layout.in_strides[d];
    memcpy(&want[static_cast<size_t>(kGuard + from + o * element)],
           &in[static_cast<size_t>(in_from + i * element)], static_cast<size_t>(element));
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == layout.sizes[d - 1]) at[--d] = 0;
    if (d == 0) break;
  }
  char *device_in, *device_out;
  cudaMalloc(&device_in, static_cast<size_t>(in_bytes > 0 ? in_bytes : 1));
  cudaMalloc(&device_out, want.size());
  cudaMemcpy(device_in, in.data(), in.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(device_out, got.data(), got.size(), cudaMemcpyHostToDevice);
  cudaError_t error = go(device_out + kGuard + from, device_in + in_from);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  cudaMemcpy(got.data(), device_out, got.size(), cudaMemcpyDeviceToHost);
  cudaFree(device_in), cudaFree(device_out);
  if (error == cudaSuccess && got == want) return;
  size_t b = 0;
  while (b < want.size() && got[b] == want[b]) ++b;
  std::printf("WRONG %s, %d bytes per element, from element %lld: %s, byte %lld\n", name.c_str(), element,
              static_cast<long long>(shift), cudaGetErrorString(error),
              static_cast<long long>(b) - kGuard - from);
  ++wrong;
}

void matrix(int element, int64_t rows, int64_t cols, int64_t more_out = 0, int64_t more_in = 0,
            int64_t count = 1, int64_t shift = 0, int64_t in_further = 0) {
  const lab::Pitches pitches{rows + more_out, cols + more_in};
  const lab::Batch batch{count, cols * pitches.out + more_out, rows * pitches.in + more_in};
  Layout layout{{count, cols, rows}, {batch.out_stride, pitches.out, 1}, {batch.in_stride, 1, pitches.in}};
  layout.out_elems = (count - 1) * batch.out_stride + (cols - 1) * pitches.out + rows;
  layout.in_elems = (count - 1) * batch.in_stride + (rows - 1) * pitches.in + cols;
  const std::string name = std::to_string(count) + " of " + std::to_string(rows) + "x" +
                           std::to_string(cols) + " pitches +" + std::to_string(more_out) + ", +" +
                           std::to_string(more_in);
  check(
      name, element, layout, shift,
      [&](char* out, const char* in) { return lab::transpose(out, in, rows, cols, pitches, batch, element); },
      in_further);
}

void permutation(int element, const std::vector<int64_t>& sizes, const std::vector<int>& order) {
  Layout layout;
  std::vector<int64_t> dense(sizes.size());
  int64_t all = 1;
  std::string name = "permute";
  for (size_t d = sizes.size(); d-- > 0; all *= sizes[d]) dense[d] = all;
  layout.out_elems = layout.in_elems = all;
  layout.out_strides.resize(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    layout.sizes.push_back(sizes[static_cast<size_t>(order[d])]),
        layout.in_strides.push_back(dense[static_cast<size_t>(order[d])]);
    name += " " + std::to_string(sizes[d]) + ":" + std::to_string(order[d]);
  }
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= layout.sizes[d]) layout.out_strides[d] = stride;
  check(name, element, layout, 0, [&](char* out, const char* in) {
    return lab::permute(out, in, static_cast<int>(sizes.size()), sizes.data(), nullptr, order.data(),
                        element);
  });
}

void every_order(int element, const std::vector<int64_t>& sizes, std::vector<int> order, size_t fixed) {
  if (fixed == order.size()) return permutation(element, sizes, order);
  for (size_t i = fixed; i < order.size(); ++i) {
    std::swap(order[fixed], order[i]);
    every_order(element, sizes, order, fixed + 1);
    std::swap(order[fixed], order[i]);
  }
}

// Transposes that each read what the one before wrote, queued without a wait, into memory that holds
// something else: a kernel may stand ready while the one before it ends, and may not look.
void chain(int element, int64_t rows, int64_t cols) {
  constexpr int kLinks = 6;
  const std::vector<unsigned char> in = filled(rows * cols * element);
  std::vector<unsigned char> got(in.size());
  ++cases;
  char* link[kLinks + 1];
  for (char*& matrix : link) cudaMalloc(&matrix, in.size()), cudaMemset(matrix, 0xEE, in.size());
  cudaMemcpy(link[0], in.data(), in.size(), cudaMemcpyHostToDevice);
  cudaError_t error = cudaDeviceSynchronize();
  for (int i = 0; i < kLinks && error == cudaSuccess; ++i)
    error = lab::transpose(link[i + 1], link[i], i % 2 ? cols : rows, i % 2 ? rows : cols, {}, {}, element);
  if (error == cudaSuccess) error = cudaMemcpy(got.data(), link[kLinks], got.size(), cudaMemcpyDeviceToHost);
  for (char* matrix : link) cudaFree(matrix);
  if (error == cudaSuccess && got == in) return;
  std::printf("WRONG %d transposes in a row of %lldx%lld, %d bytes per element: %s\n", kLinks,
              static_cast<long long>(rows), static_cast<long long>(cols), element, cudaGetErrorString(error));
  ++wrong;
}

void refused() {
  const auto expect = [](const char* what, cudaError_t error) {
    ++cases;
    if (error == cudaSuccess) ++wrong, std::printf("WRONG %s was not refused\n", what);
  };
  const int64_t sizes[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2};
  const int twice[2] = {0, 0}, outside[2] = {0, 2}, nine[9] = {8, 7, 6, 5, 4, 3, 2, 1, 0};
  expect("an element of 3 bytes", lab::transpose(nullptr, nullptr, 4, 4, {}, {}, 3));
  expect("a negative size", lab::transpose(nullptr, nullptr, -1, 4, {}, {}, 4));
  expect("a pitch shorter than a row", lab::transpose(nullptr, nullptr, 4, 4, {3, 4}, {}, 4));
  expect("an order that names a dimension twice",
         lab::permute(nullptr, nullptr, 2, sizes, nullptr, twice, 4));
  expect("an order that names no dimension", lab::permute(nullptr, nullptr, 2, sizes, nullptr, outside, 4));
  expect("nine dimensions", lab::permute(nullptr, nullptr, 9, sizes, nullptr, nine, 4));
}

// Many rows, most of them of a few elements: a quick plan has a box like the one that the search finds.
void quick_boxes() {
  const struct {
    int element;
    int64_t rows, cols;
  } shapes[] = {{1, 48, 4194304},
                {2, 24, 2436109},
                {4, 12, 1710443},
                {8, 8, 1239534},
                {1, 529, 77194},
                // of which a choice of lanes for all gives another shape
                {4, 2098097, 5},
                {1, 526661, 183}};
  for (const auto& s : shapes) {
    const lab::fast::Layout l{
        nullptr,
        nullptr,
        s.element,
        2,
        {{s.rows, s.element, s.cols * s.element}, {s.cols, s.rows * s.element, s.element}}};
    const double quick = lab::fast::best_box(l, true).cost, searched = lab::fast::best_box(l, false).cost;
    ++cases;
    if (quick < 1.1 * searched) continue;
    std::printf("WRONG a quick box of %lldx%lld, %d bytes per element: %.1f us, the searched one %.1f\n",
                static_cast<long long>(s.rows), static_cast<long long>(s.cols), s.element, quick, searched);
    ++wrong;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool large = argc > 1 && std::string(argv[1]) == "large";
  for (const int element : {1, 2, 4, 8, 16}) {
    const int64_t shapes[][2] = {{1, 1},    {1, 517}, {517, 1},  {31, 33},  {61, 67},
                                 {64, 64},  {7, 200}, {300, 3},  {96, 160}, {129, 255},
                                 {1000, 3}, {5, 700}, {300, 32}, {32, 300}, {71, 449}};
    for (const auto& s : shapes) matrix(element, s[0], s[1]);
    matrix(element, 61, 67, 3, 5, 1, 1), matrix(element, 64, 32, 32, 16, 2, 0),
        matrix(element, 33, 40, 1, 0, 5, 3);
    matrix(element, 50, 70, 14, 10, 1, 0), matrix(element, 0, 5), matrix(element, 65, 63, 0, 0, 3),
        matrix(element, 7, 90, 0, 0, 3, 1), matrix(element, 90, 7, 0, 0, 3, 1);
    for (const int64_t planes :
         {2, 3, 4})  // pixels to planes and back; planes that begin anywhere; with gaps
      for (const int64_t pixels : {2, 64, 545, 4100})
        matrix(element, pixels, planes, 0, 0, 2), matrix(element, planes, pixels, 0, 0, 2),
            matrix(element, planes, pixels, 0, 0, 1, 0, 3), matrix(element, planes, pixels, 0, 5, 2, 16),
            matrix(element, pixels, planes, 16, 0, 2, 16);
    for (const int64_t in_further : {0, 1, 7})  // a copy, between any two addresses
      matrix(element, 1, 5, 0, 0, 1, 3, in_further), matrix(element, 1, 9001, 0, 0, 1, 3, in_further);
    every_order(element, {3, 5, 7}, {0, 1, 2}, 0), every_order(element, {4, 2, 16}, {0, 1, 2}, 0);
    permutation(element, {2, 3, 4, 5}, {0, 2, 1, 3}), permutation(element, {2, 3, 4, 5}, {3, 1, 0, 2});
    permutation(element, {2, 3, 1, 5, 6}, {4, 2, 0, 3, 1}),
        permutation(element, {2, 3, 4, 5, 6}, {1, 4, 0, 3, 2});
    for (const int64_t side : {3, 61, 64}) chain(element, side, 96);  // planes, ragged, aligned
    if (!large) continue;
    for (const int64_t side : {3, 777, 1024}) chain(element, side, 2048);
    const int64_t more[][2] = {{1000, 777}, {2048, 2048}, {1500, 2501}, {1501, 1501}, {1, 300001},
                               {100001, 3}, {3, 100001},  {30000, 32},  {32, 30001}};
    for (const auto& s : more) matrix(element, s[0], s[1]), matrix(element, s[0], s[1], 7, 9, 1, 1);
    matrix(element, 2560, 2560), matrix(element, 64, 64, 0, 0, 300), matrix(element, 63, 65, 0, 0, 300),
        matrix(element, 128, 512, 0, 0, 9);
    every_order(element, {5, 12, 17, 33}, {0, 1, 2, 3}, 0),
        every_order(element, {3, 8, 5, 4, 16}, {0, 1, 2, 3, 4}, 0);
  }
  refused(), quick_boxes();
  std::printf("%d cases, %d wrong\n", cases, wrong);
  return wrong == 0 ? 0 : 1;
}
