// The second-level cache of a GPU, and the memory behind it: what of a launch's traffic reaches DRAM.
//
// Enters: reads and writes of 64-byte pieces, in the order in which the simulator runs blocks. Leaves: bytes
// that DRAM reads and writes. Reads fetch 64 bytes; a write carries its bytes and fetches nothing, and when
// it is pushed out writes its 32-byte sectors back; a sector that was written in part is read for that. The
// least recently used of a set goes. State lasts over launches: what fits in is still there for the next one.
#pragma once

#include <cstdint>
#include <vector>

namespace lab::model {

struct DramTraffic {
  std::uint64_t read_bytes = 0, write_bytes = 0;
  std::uint64_t scattered_bytes =
      0;  // of those read: in a page of DRAM that nothing else was fetched from lately
};

class L2Cache {
 public:
  static constexpr std::uint32_t kPieceBytes = 64, kSectorBytes = 32;
  explicit L2Cache(std::uint64_t capacity_bytes);

  // `bytes`: bit i is byte i of the piece. True: all of it was there.
  bool read(std::uint64_t piece, std::uint64_t bytes);
  void write(std::uint64_t piece, std::uint64_t bytes);
  // What went by since the last call.
  [[nodiscard]] DramTraffic take();
  // Bytes that were written and are not in DRAM yet.
  [[nodiscard]] std::uint64_t unwritten_bytes() const;

 private:
  static constexpr std::uint32_t kWays = 16;
  // What works as one cache: each half of the chip keeps copies of its own. Seven tenths come close to the
  // bytes of DRAM that a copy of 32 MiB costs (`copy1` of tests/golden/kinds.csv and kinds_h100.csv).
  static constexpr std::uint64_t kUsedTenths = 7;
  static constexpr std::uint32_t kPages = 8192, kPiecesOfPage = 32;  // fetched from lately; 2 KiB each
  struct Entry {
    std::uint64_t piece = ~std::uint64_t{0}, used = 0;
    std::uint64_t written = 0;  // by byte
    bool fetched = false;
  };
  Entry& find(std::uint64_t piece);
  void push_out(Entry& entry);
  void fetch(std::uint64_t piece);

  std::vector<Entry> entries_;
  std::uint64_t sets_, now_ = 0;
  std::vector<std::uint64_t> pages_;
  DramTraffic traffic_;
};

}  // namespace lab::model
