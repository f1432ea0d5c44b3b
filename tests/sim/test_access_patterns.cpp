// Counters of 1271 accesses of all sorts, measured on an H200: every row whose count follows from its
// addresses.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/sim/observe/access_analysis.h"
#include "tests/sim/golden_files.h"

using namespace lab::sim;

namespace {

struct Row {
  std::string form, pattern, memory;
  std::array<std::string, 7> counts;  // as in the file: requests, sectors, …
  std::array<std::uint64_t, kWarpLanes> address{};
  Mask mask = 0;
};

std::vector<Row> rows() {
  std::istringstream file(lab::golden::golden_text("access_patterns.csv.gz"));
  std::vector<Row> all;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    Row row;
    std::getline(cells, row.form, ',');
    std::getline(cells, row.pattern, ',');
    std::getline(cells, row.memory, ',');
    for (std::string& count : row.counts) std::getline(cells, count, ',');
    for (std::size_t i = 0; i < kWarpLanes; ++i) {
      std::int64_t offset = -1;
      cells >> offset;
      if (offset < 0) continue;
      row.address[i] = static_cast<std::uint64_t>(offset);
      row.mask |= 1u << i;
    }
    all.push_back(row);
  }
  return all;
}

bool has(const Row& row, const char* word) { return row.form.find(word) != std::string::npos; }

unsigned width_of(const Row& row) {
  std::istringstream parts(row.form.substr(0, row.form.find(':')));
  unsigned vector = 1, bytes = 0;
  for (std::string part; std::getline(parts, part, '.');) {
    if (part == "v2") vector = 2;
    if (part == "v4") vector = 4;
    if (part == "u8") bytes = 1;
    if (part == "u16") bytes = 2;
    if (part == "u32" || part == "s32" || part == "b32" || part == "f32" || part == "f16x2") bytes = 4;
    if (part == "u64" || part == "s64" || part == "b64" || part == "f64") bytes = 8;
  }
  REQUIRE(bytes != 0);
  return vector * bytes;
}

// Ours: requests, then sectors or wavefronts. Nothing for rows that the model does not claim.
std::optional<std::array<std::uint64_t, 2>> ours(const Row& row) {
  const unsigned width = width_of(row);
  const std::uint64_t* a = row.address.data();
  const unsigned one = row.mask != 0 ? 1 : 0;
  const bool atomic = row.form.starts_with("atom") || row.form.starts_with("red");
  if (row.memory == "const") return {};
  if (row.memory == "local") return {{one * local_requests(width), local_cost(a, width, row.mask).sectors}};
  if (row.memory == "global" && !atomic) return {{one, global_cost(a, width, row.mask).sectors}};
  if (row.memory == "global") {
    if (has(row, ".v4.") && row.pattern == "random1") return {};  // vectors that overlap
    return {{one, global_atomic_cost(a, width, row.mask).sectors}};
  }
  if (!atomic) {
    const bool merging = row.form.starts_with("ld") && !has(row, ":generic");
    return {{one, shared_cost(a, width, row.mask, merging).wavefronts}};
  }
  if (width == 8 && !has(row, "cas") && !has(row, "exch")) return {};  // loops on 64 bits
  const bool direct = has(row, "exch") || !(has(row, "cas") || has(row, "f32") || has(row, "f16"));
  const AtomicRule rule = direct            ? AtomicRule::Direct
                          : has(row, "cas") ? AtomicRule::CompareAndSwap
                                            : AtomicRule::Loop;
  const SharedAtomicCost cost = shared_atomic_cost(a, width, row.mask, rule);
  return {{cost.requests, cost.wavefronts}};
}

}  // namespace

TEST_SUITE("access analysis") {
  TEST_CASE("every sort of access measured on the H200") {
    int compared = 0, left_out = 0;
    for (const Row& row : rows()) {
      CAPTURE(row.form);
      CAPTURE(row.pattern);
      const auto expected = ours(row);
      if (!expected) {
        ++left_out;
        continue;
      }
      CHECK(std::stoul(row.counts[0]) == (*expected)[0]);
      CHECK(std::stoul(row.counts[row.memory == "shared" ? 4 : 1]) == (*expected)[1]);
      ++compared;
    }
    CHECK(compared + left_out == 1271);
    CHECK(left_out <= 5 + 1 + 29 * 2 + 5 * 4);  // const, one vector, adds and maxima of 64 bits
  }
}
