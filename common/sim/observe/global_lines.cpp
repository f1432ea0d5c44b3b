// Lines of global memory. See global_lines.h.
#include "common/sim/observe/global_lines.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <tuple>
#include <type_traits>

namespace lab::sim {
namespace {

// All zeros is a line that nobody touched, so that fresh pages of the operating system serve as they are.
struct Join {
  std::uint32_t reads = 0, writes = 0;
  LineName low_reader, high_reader, low_writer, high_writer;
};

void join(Line& line, const Join& more) {
  line.met_writers |= more.writes & line.past_writes;
  line.met_reader |= (more.writes & line.past_reads) | (more.reads & line.past_writes);
  if (more.reads != 0) {
    line.low_reader = line.past_reads == 0 ? more.low_reader : std::min(line.low_reader, more.low_reader);
    line.high_reader = line.past_reads == 0 ? more.high_reader : std::max(line.high_reader, more.high_reader);
  }
  if (more.writes != 0) {
    line.low_writer = line.past_writes == 0 ? more.low_writer : std::min(line.low_writer, more.low_writer);
    line.high_writer =
        line.past_writes == 0 ? more.high_writer : std::max(line.high_writer, more.high_writer);
  }
  line.past_reads |= more.reads;
  line.past_writes |= more.writes;
}

// One to one, and each bit of the result comes from all of `x`.
std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

}  // namespace

std::uint32_t marks_of(std::uint32_t granule, std::uint32_t count, const std::byte* values,
                       std::size_t bytes) {
  const auto sum = [&](auto size) {  // a constant: the loop becomes vector code
    constexpr std::size_t kWord = std::min<std::size_t>(4, size);
    std::uint32_t left = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      std::uint32_t mark = (granule + k + 1) * 0x9e3779b1u;
      for (std::size_t at = 0; at < size; at += kWord) {
        std::uint32_t word = 0;
        std::memcpy(&word, values + k * size + at, kWord);
        mark = mixed(mark ^ word);
      }
      left += mark;
    }
    return left;
  };
  switch (bytes) {
    case 1:
      return sum(std::integral_constant<std::size_t, 1>{});
    case 2:
      return sum(std::integral_constant<std::size_t, 2>{});
    case 4:
      return sum(std::integral_constant<std::size_t, 4>{});
    case 8:
      return sum(std::integral_constant<std::size_t, 8>{});
    default:
      return sum(std::integral_constant<std::size_t, 16>{});
  }
}

void Lines::Free::operator()(Line* lines) const { std::free(lines); }

Line* Lines::chunk_of(DeviceAddress address) {
  const std::uint64_t key = (address >> line_shift_) / kChunk;
  if (key == last_key_) return last_;
  auto& chunk = chunks_[key];
  if (chunk == nullptr) {
    chunk.reset(static_cast<Line*>(std::calloc(kChunk, sizeof(Line))));
    if (chunk == nullptr) throw std::bad_alloc();
  }
  last_key_ = key;
  return last_ = chunk.get();
}

void Lines::fold(Line& line, const std::vector<std::uint64_t>& block_of_run) {
  if (line.run == 0) return;
  const auto block = static_cast<std::uint32_t>(block_of_run[line.run]);
  const LineName reader{block, line.read_pc}, writer{block, line.write_pc};
  join(line, {line.reads, line.writes, reader, reader, writer, writer});
  line.mixed = line.mixed || line.changed != 0;
  line.changed = 0;
  line.run = line.cells = line.reads = line.writes = 0;
  line.rows = {};
}

void Lines::fold_all(const std::vector<std::uint64_t>& block_of_run) {
  for (auto& [at, lines] : chunks_) {
    for (std::uint32_t k = 0; k < kChunk; ++k) fold(lines.get()[k], block_of_run);
  }
}

void Lines::compare_with(const Memory& memory, unsigned granule_shift) {
  const std::size_t bytes = std::size_t{1} << granule_shift;
  for (auto& [at, lines] : chunks_) {
    for (std::uint32_t k = 0; k < kChunk; ++k) {
      Line& line = lines.get()[k];
      if (line.past_writes == 0 || line.mixed) continue;
      const DeviceAddress begin = (at * kChunk + k) << line_shift_;
      std::uint32_t left = 0;
      for (std::uint32_t mask = line.past_writes; mask != 0; mask &= mask - 1) {
        const auto granule = static_cast<std::uint32_t>(std::countr_zero(mask));
        const DeviceAddress place = begin + (std::uint64_t{granule} << granule_shift);
        if (const Allocation* a = memory.find(place, bytes); a != nullptr)
          left += marks_of(granule, 1, a->host + (place - a->base), bytes);
      }
      line.mixed = left != line.left;
    }
  }
}

void Lines::merge(const Lines& other) {
  for (const auto& [at, lines] : other.chunks_) {
    Line* const mine = chunk_of(static_cast<DeviceAddress>(at * kChunk) << line_shift_);
    for (std::uint32_t k = 0; k < kChunk; ++k) {
      const Line& more = lines.get()[k];
      if ((more.past_reads | more.past_writes) == 0) continue;
      Line& line = mine[k];
      line.met_writers |= more.met_writers;
      line.met_reader |= more.met_reader;
      line.mixed = line.mixed || more.mixed;
      line.unknown = line.unknown || more.unknown;
      join(line, {more.past_reads, more.past_writes, more.low_reader, more.high_reader, more.low_writer,
                  more.high_writer});
    }
  }
}

std::vector<BlocksMet> Lines::blocks_met(unsigned granule_shift) const {
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, BlocksMet> found;  // by kind and both instructions
  for (const auto& [at, lines] : chunks_) {
    for (std::uint32_t k = 0; k < kChunk; ++k) {
      const Line& line = lines.get()[k];
      const std::uint32_t writers = line.mixed || line.unknown ? line.met_writers : 0;
      const auto note = [&, at = at](std::uint32_t granules, bool both_write, LineName writer,
                                     LineName other) {
        if (granules == 0) return;
        BlocksMet met{
            ((at * kChunk + k) << line_shift_) + (std::uint64_t(std::countr_zero(granules)) << granule_shift),
            both_write, writer, other, static_cast<std::uint64_t>(std::popcount(granules))};
        auto [place, fresh] = found.try_emplace({both_write, writer.pc, other.pc}, met);
        if (fresh) return;
        const std::uint64_t count = place->second.count + met.count;
        if (met.address < place->second.address) place->second = met;
        place->second.count = count;
      };
      note(writers, true, line.low_writer, line.high_writer);
      const LineName reader =
          line.low_reader.block != line.low_writer.block ? line.low_reader : line.high_reader;
      note(line.met_reader & ~writers, false, line.low_writer, reader);
    }
  }
  std::vector<BlocksMet> list;
  for (const auto& [key, met] : found) list.push_back(met);
  return list;
}

}  // namespace lab::sim
