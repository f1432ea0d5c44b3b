// Sectors and wavefronts: against measurements of an H200, and each fast path against a slow and plain one.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/sim/observe/access_analysis.h"

using namespace lab::sim;

namespace {

using Addresses = std::array<std::uint64_t, kWarpLanes>;

// The rules of the header, word for word, with sets: slow, short, and written apart from the code under test.
unsigned count_sectors(const Addresses& address, unsigned width, Mask mask, unsigned granule) {
  std::set<std::uint64_t> touched;
  for (int i = 0; i < kWarpLanes; ++i) {
    for (unsigned b = 0; (mask >> i & 1) != 0 && b < width; ++b) touched.insert((address[i] + b) / granule);
  }
  return static_cast<unsigned>(touched.size());
}

GlobalCost plain_global(const Addresses& address, unsigned width, Mask mask) {
  return {count_sectors(address, width, mask, 32), (count_sectors(address, width, mask, 1) + 31) / 32};
}

SharedCost plain_shared(const Addresses& address, unsigned width, Mask mask, bool load) {
  int group = width <= 4 ? 32 : width == 8 ? 16 : 8;
  bool all_1 = true, all_2 = true;
  for (int i = 0; i < kWarpLanes; ++i) {
    const auto differ = [&](int j) {
      return (mask >> i & 1) != 0 && (mask >> j & 1) != 0 && address[i] != address[j];
    };
    all_1 = all_1 && !differ(i ^ 1);
    all_2 = all_2 && !differ(i ^ 2);
  }
  if (load && width > 4 && (all_1 || all_2)) group *= 2;
  unsigned wavefronts = 0, ideal = 0;
  for (int start = 0; start < kWarpLanes; start += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
    for (int i = start; i < start + group; ++i) {
      for (unsigned b = 0; (mask >> i & 1) != 0 && b < width; ++b) {
        const std::uint64_t word = (address[i] + b) / 4;
        words_of_bank[word % 32].insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
    wavefronts += static_cast<unsigned>(most);
    if (most != 0) ++ideal;
  }
  return {wavefronts, ideal};
}

struct GoldenRow {
  std::string pattern;
  unsigned width = 0;
  std::map<std::string, std::string> cell;
  Addresses address{};
  Mask mask = 0;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<GoldenRow> golden_rows() {
  std::ifstream file(LAB_GOLDEN_DIR "/h200_single_warp_accesses.csv");
  REQUIRE(file.good());
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split(line, ',');
  std::vector<GoldenRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, ',');
    REQUIRE(cells.size() == names.size());
    GoldenRow row;
    for (std::size_t i = 0; i < names.size(); ++i) row.cell[names[i]] = cells[i];
    row.pattern = row.cell["pattern"];
    row.width = static_cast<unsigned>(std::stoul(row.cell["width_bytes"]));
    const std::vector<std::string> offsets = split(row.cell["lane_byte_offsets"], ' ');
    REQUIRE(offsets.size() == kWarpLanes);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] == "-1") continue;
      row.address[i] = std::stoull(offsets[i]);
      row.mask |= 1u << i;
    }
    rows.push_back(row);
  }
  return rows;
}

Addresses strided(std::uint64_t base, std::int64_t stride, Mask mask) {
  Addresses address;
  address.fill(0xdeadbeef);  // inactive lanes may hold anything
  const int first = std::countr_zero(mask);
  for (int i = 0; i < kWarpLanes; ++i) {
    if ((mask >> i & 1) != 0) address[i] = base + static_cast<std::uint64_t>((i - first) * stride);
  }
  return address;
}

}  // namespace

namespace lab::sim {
std::ostream& operator<<(std::ostream& out, const GlobalCost& c) {
  return out << c.sectors << " sectors, ideal " << c.ideal_sectors;
}
std::ostream& operator<<(std::ostream& out, const SharedCost& c) {
  return out << c.wavefronts << " wavefronts, ideal " << c.ideal_wavefronts;
}
}  // namespace lab::sim

TEST_SUITE("access analysis") {
  TEST_CASE("every row measured on the H200") {
    const std::vector<GoldenRow> rows = golden_rows();
    CHECK(rows.size() == 305);
    int compared = 0;
    for (const GoldenRow& row : rows) {
      CAPTURE(row.pattern);
      CAPTURE(row.width);
      const auto check = [&](const char* column, unsigned ours) {
        const std::string& measured = row.cell.at(column);
        if (measured.empty()) return;  // not measured: narrow global loads
        CAPTURE(column);
        CHECK(std::stoul(measured) == ours);
        ++compared;
      };
      const Addresses& a = row.address;
      const SharedCost loads = shared_cost(a.data(), row.width, row.mask, true);
      const SharedCost stores = shared_cost(a.data(), row.width, row.mask, false);
      check("shared_load_wavefronts_hw", loads.wavefronts);
      check("shared_store_wavefronts_hw", stores.wavefronts);
      check("shared_load_conflicts_hw", loads.wavefronts - loads.ideal_wavefronts);
      check("shared_store_conflicts_hw", stores.wavefronts - stores.ideal_wavefronts);
      check("global_load_sectors", global_cost(a.data(), row.width, row.mask).sectors);
      check("global_store_sectors", global_cost(a.data(), row.width, row.mask).sectors);
      check("global_load_requests", row.mask != 0 ? 1 : 0);
      check("global_store_requests", row.mask != 0 ? 1 : 0);
    }
    CHECK(compared == 305 * 6 + 183 * 2);
  }

  TEST_CASE("the general path is the rule, word for word") {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
      const unsigned width = 1u << random() % 5;
      const std::uint64_t range = 1ull << random() % 12;  // crowded and sparse
      const std::uint64_t base = round % 4 == 0 ? ~0ull << 40 : (random() % 4) << 36;
      Mask mask = static_cast<Mask>(random());
      mask |= static_cast<Mask>(random());
      if (round % 3 == 0) mask = kFullMask;
      if (round % 5 == 0) mask &= static_cast<Mask>(random());
      if (round % 5 == 0) mask &= static_cast<Mask>(random());
      Addresses address;
      for (auto& a : address) a = base + (random() % range) * width;
      if (round % 7 == 0) {  // neighbours agree: wide loads merge
        for (unsigned i = 0; i < kWarpLanes; ++i) address[i] = address[i & ~(round % 2 == 0 ? 1u : 2u)];
      }
      if (round % 11 == 0) address[random() % 32] += 1ull << 45;  // too far for small keys
      CAPTURE(round);
      CHECK(global_cost(address.data(), width, mask) == plain_global(address, width, mask));
      for (const bool load : {true, false}) {
        CHECK(shared_cost(address.data(), width, mask, load) == plain_shared(address, width, mask, load));
      }
    }
  }

  TEST_CASE("closed forms equal the general path: every stride, width, alignment and run of lanes") {
    std::uint64_t mismatches = 0, closed = 0;
    for (const unsigned width : {1u, 2u, 4u, 8u, 16u}) {
      const std::int64_t w = width;
      std::vector<std::int64_t> strides;
      for (std::int64_t s = -40; s <= 40; ++s) strides.push_back(s * w);
      for (const std::int64_t s : {64, 66, 96, 127, 128, 129, 256, 1024, 4096}) strides.push_back(s * w);
      for (const std::int64_t stride : strides) {
        for (unsigned first = 0; first < kWarpLanes; ++first) {
          for (unsigned lanes = 1; first + lanes <= kWarpLanes; ++lanes) {
            // All alignments for the full warp; elsewhere one that varies.
            const bool full = lanes == kWarpLanes;
            for (std::uint64_t offset = full ? 0 : (first * 4 + lanes) * width % 128; offset < 128;
                 offset += width) {
              const std::uint64_t base = 0x70000'0000ull + offset;
              const Mask mask = (kFullMask >> (kWarpLanes - lanes)) << first;
              const Addresses a = strided(base, stride, mask);
              if (const auto global = global_cost_of_stride(base, stride, width, mask)) {
                ++closed;
                if (!(*global == global_cost(a.data(), width, mask))) ++mismatches;
              }
              for (const bool load : {true, false}) {
                const auto shared = shared_cost_of_stride(stride, width, mask, load);
                if (!shared) continue;
                ++closed;
                if (!(*shared == shared_cost(a.data(), width, mask, load))) ++mismatches;
              }
              if (!full) break;
            }
          }
        }
      }
    }
    CHECK(mismatches == 0);
    CHECK(closed > 600'000);
  }

  TEST_CASE("lanes with gaps, a stride apart: the access gets its exact cost") {
    std::mt19937_64 random(2);
    std::vector<Mask> masks{0x55555555u, 0x80000001u, 0xff00ff00u, 0x7ffffffeu};
    for (int round = 0; round < 200; ++round)
      masks.push_back(static_cast<Mask>(random() & (round % 2 == 0 ? random() : ~0ull)) | 1u << round % 32);
    for (const Mask mask : masks) {
      for (const unsigned width : {1u, 2u, 4u, 8u, 16u}) {
        for (const std::int64_t words : {0, 1, 2, 3, 4, 8, 16, 24, 32, 33, 64, -1, -6}) {
          const Addresses a = strided(0x70000'1000ull, words * width, mask);
          Access access;
          access.mask = mask;
          access.width_bytes = static_cast<std::uint8_t>(width);
          access.affine = true;
          access.stride_bytes = words * width;
          access.address = a.data();
          CHECK(global_cost(access) == plain_global(a, width, mask));
          access.space = Space::Shared;
          access.path = Path::SharedLoad;
          CHECK(shared_cost(access) == plain_shared(a, width, mask, true));
        }
      }
    }
  }

  TEST_CASE("local memory is interleaved by words") {
    Addresses offset{};
    CHECK(local_cost(offset.data(), 4, kFullMask).sectors == 4);
    CHECK(local_cost(offset.data(), 8, kFullMask).sectors == 8);
    CHECK(local_cost(offset.data(), 16, kFullMask).sectors == 16);
    CHECK(local_cost(offset.data(), 1, kFullMask).sectors == 4);
    CHECK(local_cost(offset.data(), 4, 0x1u).sectors == 1);
    for (unsigned i = 0; i < kWarpLanes; ++i) offset[i] = i * 4;  // each lane another element
    CHECK(local_cost(offset.data(), 4, kFullMask).sectors == 32);
  }

  TEST_CASE("no lane, no cost") {
    const Addresses a{};
    CHECK(global_cost(a.data(), 4, 0) == GlobalCost{});
    CHECK(shared_cost(a.data(), 16, 0, true) == SharedCost{});
    CHECK(local_cost(a.data(), 4, 0) == GlobalCost{});
  }
}
