// What a link carries for one store of a warp, against what two H200 sent (tests/golden/link_sectors.csv),
// and how rows are shared out among GPUs.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "common/course/judge/link_watch.h"
#include "common/course/judge/split_trial.h"

using namespace lab::judge;

namespace {

constexpr std::uint64_t kStores = 32768;  // of each launch that was measured

// path,bytes,stride,sent_user_bytes,sent_protocol_bytes,…
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

TEST_CASE("a store sends the packets that NVLink was seen to send") {
  std::ifstream file(LAB_GOLDEN_DIR "/link_sectors.csv");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> row = cells_of(line);
    if (row.at(0) != "store") continue;
    const std::uint64_t width = std::stoull(row[1]), stride = std::stoull(row[2]);
    StoredPieces pieces;
    for (std::uint64_t lane = 0; lane < 32; ++lane) pieces.emplace_back(4096 + lane * stride, width);
    // The profiler misses a few packets of bytes: 521 856 bytes of protocol where 32 768 stores have 16 each.
    const auto each = [&](const std::string& bytes) {
      return (std::stoull(bytes) + kStores * 16 - 1) / (kStores * 16) * 16;
    };
    CAPTURE(line);
    CHECK(carried_bytes(pieces) == each(row[3]) + each(row[4]));
    ++rows;
  }
  CHECK(rows == 20);
}

TEST_CASE("all rows are shared out, each to one GPU") {
  for (const bool uneven : {false, true}) {
    for (const int gpus : {1, 2, 3, 4, 8}) {
      for (const std::int64_t rows : {1, 2, 7, 64, 1000003}) {
        std::int64_t next = 0;
        for (int gpu = 0; gpu < gpus; ++gpu) {
          const RowShare share = share_of(rows, gpu, gpus, uneven);
          CHECK(share.first == next);
          CHECK(share.count >= 0);
          next += share.count;
        }
        CHECK(next == rows);
      }
    }
  }
}

TEST_CASE("the grid covers a GPU's rows and the widest share of the columns, once for each GPU") {
  lab::LaunchShape shape;
  shape.block = {32, 8}, shape.tile = {32, 32}, shape.gpus = 2;
  CHECK(split_grid(shape, {.rows = 130, .cols = 257}, 0, 2) == lab::device::Dim3{5, 3, 2});
  shape.block_x_walks = lab::kRows;
  CHECK(split_grid(shape, {.rows = 130, .cols = 257}, 1, 2) == lab::device::Dim3{3, 5, 2});
  CHECK(split_grid(shape, {.rows = 1, .cols = 257}, 0, 2).count() == 0);
}
