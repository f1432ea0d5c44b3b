// Problems, their limits, launch shapes and grids: bad ones get a sentence, never a crash.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>

#include "common/course/judge/keyed_world.h"
#include "common/course/judge/subject.h"
#include "tests/judge/small_kernels.h"

using namespace lab;
using namespace lab::judge;

namespace {

std::vector<std::byte> bytes_of(const LaunchShape& shape) {
  std::vector<std::byte> bytes(sizeof shape);
  std::memcpy(bytes.data(), &shape, sizeof shape);
  return bytes;
}

LaunchShape good() {
  LaunchShape s;
  s.block = {32, 8};
  s.tile = {32, 16};
  return s;
}

std::string refusal(const LaunchShape& shape) {
  try {
    (void)read_launch_shape(bytes_of(shape));
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool says(const lab::Message& message, const std::string& part) { return says(message.english(), part); }

}  // namespace

TEST_CASE("a launch shape comes back as it was written") {
  const LaunchShape s = read_launch_shape(bytes_of(good()));
  CHECK(s.block.x == 32);
  CHECK(s.tile.cols == 16);
  CHECK(s.block_x_walks == kCols);
}

TEST_CASE("launch shapes that make no sense are refused with the field's name") {
  LaunchShape s = good();
  s.block = {64, 32};
  CHECK(says(refusal(s), "2048 threads"));
  s.block = {0, 8};
  CHECK(says(refusal(s), "at least 1"));
  s.block = {-1, -1};
  CHECK(says(refusal(s), "at least 1"));
  s.block = {65536, 65536};  // 2^32 threads: no overflow to 0
  CHECK(says(refusal(s), "4294967296 threads"));
  s = good();
  s.tile = {0, 32};
  CHECK(says(refusal(s), ".tile"));
  s = good();
  s.block_x_walks = static_cast<Axis>(2);
  CHECK(says(refusal(s), "kRows or kCols"));
  s = good();
  s.dynamic_shared_bytes = 1 << 20;
  CHECK(says(refusal(s), ".dynamic_shared_bytes"));
  s = good();
  s.version = 99;
  CHECK(says(refusal(s), "version 99"));
  CHECK_THROWS_AS((void)read_launch_shape({}), ShapeError);
  const std::vector<std::byte> whole = bytes_of(good());
  CHECK_THROWS_AS((void)read_launch_shape(std::span(whole).first(8)), ShapeError);
}

TEST_CASE("the grid covers ragged edges, along the axis that the shape names") {
  LaunchShape s = good();
  CHECK(grid_of(s, {33, 33}) == device::Dim3{3, 2, 1});
  s.block_x_walks = kRows;
  CHECK(grid_of(s, {33, 33}) == device::Dim3{2, 3, 1});
  CHECK(grid_of(s, {1, 1}) == device::Dim3{1, 1, 1});
  CHECK(grid_of(s, {.rows = 1, .cols = 1, .batch = 5}) == device::Dim3{1, 1, 5});
}

TEST_CASE("every shape means 1×1 to 64×64 and the awkward ones, each once") {
  const std::vector<Problem> all = every_shape();
  CHECK(std::set<Problem>(all.begin(), all.end()).size() == all.size());
  CHECK(small_shapes().size() == 4096);
  for (const Problem& p :
       {Problem{1, 1}, Problem{64, 64}, Problem{61, 67}, Problem{1023, 1025}, Problem{488, 265}}) {
    CHECK(std::find(all.begin(), all.end(), p) != all.end());
  }
  for (const Problem& p : all) CHECK(what_is_wrong_with(p).empty());
}

// Ways to be wrong on some of the small shapes only, each for every number that it has.
struct Mistake {
  const char* name;
  int count;
  bool (*hits)(const Problem& p, int n);
};

TEST_CASE("the shapes that are tried meet every way to be wrong that the small ones meet") {
  static constexpr Mistake kMistakes[] = {
      {"so many rows", 64, [](const Problem& p, int n) { return p.rows == n + 1; }},
      {"so many columns", 64, [](const Problem& p, int n) { return p.cols == n + 1; }},
      {"a side each, as rests of 8", 64,
       [](const Problem& p, int n) { return p.rows % 8 == n / 8 && p.cols % 8 == n % 8; }},
      {"so many rows, columns of one rest of 4", 256,
       [](const Problem& p, int n) { return p.rows == n / 4 + 1 && p.cols % 4 == n % 4; }},
      {"so many columns, rows of one rest of 4", 256,
       [](const Problem& p, int n) { return p.cols == n / 4 + 1 && p.rows % 4 == n % 4; }},
      {"as rests of 4, with one tile of 32", 16,
       [](const Problem& p, int n) {
         return p.rows <= 32 && p.cols <= 32 && p.rows % 4 == n / 4 && p.cols % 4 == n % 4;
       }},
      {"as rests of 4, with several", 16,
       [](const Problem& p, int n) {
         return p.rows > 32 && p.cols > 32 && p.rows % 4 == n / 4 && p.cols % 4 == n % 4;
       }},
      {"as rests of 4, with several of rows", 16,
       [](const Problem& p, int n) {
         return p.rows > 32 && p.cols <= 32 && p.rows % 4 == n / 4 && p.cols % 4 == n % 4;
       }},
      {"rows of one rest of 32, columns of less than a tile", 32,
       [](const Problem& p, int n) { return p.rows % 32 == n && p.cols < 32; }},
      {"a square", 64, [](const Problem& p, int n) { return p.rows == n + 1 && p.cols == n + 1; }},
      {"wider by so many", 4, [](const Problem& p, int n) { return p.cols - p.rows == n; }},
      {"higher by so many", 4, [](const Problem& p, int n) { return p.rows - p.cols == n; }},
      {"elements up to so many", 64, [](const Problem& p, int n) { return p.rows * p.cols <= n + 1; }},
      {"more elements than so many", 63, [](const Problem& p, int n) { return p.rows * p.cols > 64 * n; }},
      {"octant by octant", 64,
       [](const Problem& p, int n) { return (p.rows - 1) / 8 == n / 8 && (p.cols - 1) / 8 == n % 8; }}};
  const std::vector<Problem> small = small_shapes();
  std::set<std::vector<Problem>> different;
  for (int kernel = 0; kernel < 40; ++kernel) {
    const std::vector<Problem> tried = sampled_shapes(InputKey("class", std::to_string(kernel)), 4);
    CHECK(tried.size() == 392);
    CHECK(std::includes(small.begin(), small.end(), tried.begin(), tried.end()));
    different.insert(tried);
    for (const Mistake& mistake : kMistakes) {
      for (int n = 0; n < mistake.count; ++n) {
        const bool found =
            std::any_of(tried.begin(), tried.end(), [&](const Problem& p) { return mistake.hits(p, n); });
        CHECK_MESSAGE(found, mistake.name << " " << n << ", kernel " << kernel);
      }
    }
  }
  CHECK(different.size() == 40);
  CHECK(sampled_shapes(InputKey("class", "0"), 4) == sampled_shapes(InputKey("class", "0"), 4));
}

TEST_CASE("no bit of what a trial holds is constant, wherever one looks, and it is the same each time") {
  const InputKey key("class", "kernel");
  for (const Problem& p : {Problem{3000, 4000}, Problem{.rows = 66'000, .cols = 66'668},
                           Problem{.rows = 700, .cols = 900, .elem_bytes = 1},
                           Problem{.rows = 500, .cols = 600, .in_pitch_elems = 612, .batch = 9}}) {
    KeyedWorld world(p, key), again(p, key);
    std::uint64_t ones = 0, zeros = 0;
    for (std::uint64_t k = 0; k < 64; ++k) {
      const std::uint64_t at = key.draw({static_cast<std::int64_t>(k)}) % (p.in_bytes() / 256) * 256;
      std::array<std::uint64_t, 32> piece{}, same{};
      world.lay_out(at, std::as_writable_bytes(std::span(piece)));
      again.lay_out(at, std::as_writable_bytes(std::span(same)));
      CHECK(piece == same);
      for (const std::uint64_t word : piece) ones |= word, zeros |= ~word;
    }
    CHECK(ones == ~std::uint64_t{0});
    CHECK(zeros == ~std::uint64_t{0});
  }
}

TEST_CASE("the key draws every pair of lengths, and every end of one side with every length of the other") {
  static constexpr std::int64_t kEnds[] = {1, 64, 128, 512, 1024, 4224, 9000};
  const auto length = [](std::int64_t side) {
    return std::lower_bound(std::begin(kEnds), std::end(kEnds), side) - kEnds;
  };
  const auto end = [](std::int64_t side) { return side % 32 == 0 ? 0 : side % 8 == 0 ? 1 : 2; };
  std::set<std::vector<Problem>> different;
  for (int k = 0; k < 20; ++k) {
    Subject subject(test::module_with(test::kRight, 32), 1, {}, {.key = std::to_string(k), .only = {}});
    const std::vector<Problem> drawn = subject.sample({1024, 1024}, "transpose");
    std::set<std::pair<std::int64_t, std::int64_t>> lengths, rests;
    int squares = 0, with_16_bytes = 0;
    for (const Problem& p : drawn) {
      const std::int64_t a = length(p.rows), b = length(p.cols);
      lengths.emplace(std::min(a, b), std::max(a, b));
      rests.emplace(a, end(p.cols)), rests.emplace(10 + b, end(p.rows));
      squares += p.rows == p.cols;
      with_16_bytes +=
          Subject::has_costs(p) && p.rows % 4 == 0 && p.cols % 4 == 0 && (p.rows | p.cols) % 8 != 0;
    }
    CHECK(lengths.size() == 28);
    CHECK(rests.size() >= 38);  // of 42
    CHECK(squares >= 6);
    CHECK(with_16_bytes >= 3);
    different.insert(drawn);
  }
  CHECK(different.size() == 20);
}

TEST_CASE("of a list one of so many neighbours is tried, which the key draws; other parts try the others") {
  const std::vector<Problem> all = small_shapes();
  std::set<std::vector<Problem>> different;
  for (int kernel = 0; kernel < 40; ++kernel) {
    const InputKey key("class", std::to_string(kernel));
    std::set<Problem> tried;
    for (std::size_t which = 0; which < 3; ++which) {
      const std::vector<Problem> third = a_part_of(all, key, {.of = 3, .which = which});
      for (const Problem& p : third) CHECK(tried.insert(p).second);
      different.insert(third);
    }
    CHECK(tried.size() == all.size());
  }
  CHECK(different.size() == 120);
  CHECK(a_part_of({}, InputKey(), {}).empty());
}

TEST_CASE("impossible problems are refused with a sentence") {
  const auto wrong = [](const Problem& p) { return what_is_wrong_with(p); };
  CHECK(says(wrong({0, 5}), "rows is 0"));
  CHECK(says(wrong({5, -1}), "cols is -1"));
  CHECK(says(wrong({std::int64_t{1} << 31, 1}), "2147483648"));
  CHECK(says(wrong({1, 1, 3}), "3 bytes"));
  CHECK(says(wrong({8, 8, 4, 7}), "pitch of `in`"));
  CHECK(says(wrong({8, 8, 4, 0, 7}), "pitch of `out`"));
  CHECK(says(wrong({2147483647, 2147483647}), "GiB"));
  CHECK(wrong({1, 1}).empty());
}

TEST_CASE("a problem describes itself") {
  CHECK(describe(Problem{61, 67}).english() == "61×67");
  CHECK(describe(Problem{3, 4, 2, 8, 0, 2}).english() ==
        "3×4 of 2-byte elements, rows of `in` 8 apart, 2 matrices");
}

TEST_CASE("where a grid ends is a sentence, for both axes, with clusters and several GPUs") {
  LaunchShape s = good();  // 32 rows, 16 columns
  CHECK(beyond_the_grid(s, {.rows = 65535 * 32, .cols = 1}).empty());
  CHECK(says(beyond_the_grid(s, {.rows = 65535 * 32 + 1, .cols = 1}), "1 × 65536 blocks"));
  CHECK(says(beyond_the_grid(s, {.rows = 2147483647, .cols = 1}), "at most 2097120 rows"));
  CHECK(beyond_the_grid(s, {.rows = 1, .cols = 2147483647}).empty());
  s.block_x_walks = kRows;
  CHECK(beyond_the_grid(s, {.rows = 2147483647, .cols = 65535 * 16}).empty());
  CHECK(says(beyond_the_grid(s, {.rows = 1, .cols = 2147483647}), "at most 1048560 columns"));
  s.cluster = {1, 2};  // a grid of whole clusters
  CHECK(says(beyond_the_grid(s, {.rows = 1, .cols = 65535 * 16}), "at most 1048544 columns"));
  s.cluster = {1, 1}, s.block_x_walks = kCols, s.gpus = 2;
  CHECK(beyond_the_grid(s, {.rows = 2 * 65535 * 32, .cols = 1}).empty());
  CHECK(says(beyond_the_grid(s, {.rows = 2 * 65535 * 32 + 1, .cols = 1}), "at most 4194240 rows"));
}
