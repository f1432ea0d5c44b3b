// Lines of global memory. See global_lines.h.
#include "common/sim/observe/global_lines.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <tuple>

#include "common/sim/base/vec.h"

namespace lab::sim {
namespace {

// One to one, and each bit of the result comes from all of `x`.
std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// All zeros is an untouched line, so that fresh pages of the operating system serve as they are.
template <class Thing>
Thing* zeroed(std::uint32_t count) {
  void* const memory = std::calloc(count, sizeof(Thing));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<Thing*>(memory);
}

}  // namespace

// What one block did, or several. As long as a line has no LineMet, one block read, and one wrote.
struct Lines::Join {
  std::uint32_t reads = 0, writes = 0;
  LineVisit low_reader, high_reader, low_writer, high_writer;
  std::uint32_t met_writers = 0, met_reader = 0;
};

Lines::Join Lines::joined(const LinePast& past) const {
  const LineVisit reader{past.low_reader, past.reads}, writer{past.low_writer, past.writes};
  if (past.more == 0) return {past.reads, past.writes, reader, reader, writer, writer};
  const LineMet& met = met_[past.more];
  return {past.reads,
          past.writes,
          {past.low_reader, met.low_reads},
          met.high_reader,
          {past.low_writer, met.low_writes},
          met.high_writer,
          met.writers,
          met.reader};
}

void Lines::join(LinePast& past, const Join& more) {
  LineMet first;  // of a line that has none
  if (past.more == 0)
    first = {0, 0, past.reads, past.writes, {past.low_reader, past.reads}, {past.low_writer, past.writes}};
  LineMet& met = past.more == 0 ? first : met_[past.more];
  met.writers |= more.met_writers | (more.writes & past.writes);
  met.reader |= more.met_reader | (more.writes & past.reads) | (more.reads & past.writes);
  const auto keep = [](LineName& name, std::uint32_t& granules, const LineVisit& other, bool wanted) {
    if (other.granules == 0) return;
    if (granules != 0 && name == other.name) {
      granules |= other.granules;
    } else if (granules == 0 || wanted) {
      name = other.name, granules = other.granules;
    }
  };
  LineVisit &reader = met.high_reader, &writer = met.high_writer;
  keep(past.low_reader, met.low_reads, more.low_reader, more.low_reader.name < past.low_reader);
  keep(reader.name, reader.granules, more.high_reader, more.high_reader.name > reader.name);
  keep(past.low_writer, met.low_writes, more.low_writer, more.low_writer.name < past.low_writer);
  keep(writer.name, writer.granules, more.high_writer, more.high_writer.name > writer.name);
  past.reads |= more.reads;
  past.writes |= more.writes;
  const bool alone =
      (met.writers | met.reader) == 0 && reader.name == past.low_reader && writer.name == past.low_writer;
  if (past.more != 0 || alone) return;
  past.more = met_.make() & 0x3fffffffu;
  met_[past.more] = first;
}

std::uint32_t marks_of(std::uint32_t granule, std::uint32_t count, const std::byte* values,
                       std::size_t bytes) {
  return with_constant(bytes, [&](auto size) {
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
  });
}

void Lines::Free::operator()(void* memory) const { std::free(memory); }

Lines::Chunk Lines::chunk_of(DeviceAddress address) {
  const std::uint64_t key = (address >> line_shift_) / kChunk;
  Recent& recent = recent_[key % kRecent];
  if (key == recent.key) return recent.chunk;
  Held& held = chunks_[key];
  if (together_ && held.lines == nullptr) held.lines.reset(zeroed<Line>(kChunk));
  if (!together_ && held.past == nullptr) held.past.reset(zeroed<LinePast>(kChunk));
  recent = {key, {held.lines.get(), held.past.get()}};
  return recent.chunk;
}

void Lines::fold(const LinePresent& present, std::uint32_t block) {
  const LineName reader{block, present.read_pc}, writer{block, present.write_pc};
  LinePast& past = *present.past;
  past.present = 0;
  if ((past.reads | past.writes) == 0) {  // the first block here, mostly the only one
    past.reads = present.reads;
    past.writes = present.writes;
    if (present.reads != 0) past.low_reader = reader;
    if (present.writes != 0) past.low_writer = writer;
    return;
  }
  const LineVisit reads{reader, present.reads}, writes{writer, present.writes};
  join(past, {present.reads, present.writes, reads, reads, writes, writes});
  if (present.changed != 0) past.mixed = 1;
}

// The part of LinePast::left that these granules would have, had blocks left there what memory holds now.
std::uint32_t Lines::marks_in(const Memory& memory, DeviceAddress begin, std::uint32_t granules) const {
  const std::size_t bytes = (std::size_t{1} << line_shift_) / kLineGranules;
  std::uint32_t marks = 0;
  for (; granules != 0; granules &= granules - 1) {
    const auto granule = static_cast<std::uint32_t>(std::countr_zero(granules));
    const DeviceAddress place = begin + granule * bytes;
    if (const Allocation* const a = memory.find(place, bytes); a != nullptr)
      marks += marks_of(granule, 1, a->host + (place - a->base), bytes);
  }
  return marks;
}

// Two host threads stored to one line: a thread whose value differs from the present one met a block of the
// other one. Where only one of them stored, this is not asked.
void Lines::join_left(LinePast& past, const LinePast& more, DeviceAddress begin, const Memory& memory) const {
  const std::uint32_t both = past.writes & more.writes;
  past.mixed |= more.mixed;
  past.unknown |= more.unknown;
  if (both != 0 && past.mixed == 0 && past.unknown == 0) {
    past.mixed = marks_in(memory, begin, past.writes) != past.left ||
                 marks_in(memory, begin, more.writes) != more.left;
    past.left -= marks_in(memory, begin, both);
  }
  past.left += more.left;
}

void Lines::merge(const Lines& other, const Memory& memory) {
  for (const auto& [at, chunk] : other.chunks_) {
    const DeviceAddress begin = static_cast<DeviceAddress>(at * kChunk) << line_shift_;
    LinePast* const mine = chunk_of(begin).past;
    for (std::uint32_t k = 0; k < kChunk; ++k) {
      const LinePast& more = chunk.past.get()[k];
      if ((more.reads | more.writes) == 0) continue;
      join_left(mine[k], more, begin + (DeviceAddress{k} << line_shift_), memory);
      join(mine[k], other.joined(more));
    }
  }
}

// Where the blocks that a line names touched one granule, they are the pair. Where only others of it did,
// which ones is not known: such a line is reported only when no other is.
std::vector<BlocksMet> Lines::blocks_met(unsigned granule_shift) const {
  using Kind = std::tuple<bool, bool, std::uint32_t, std::uint32_t>;  // guessed, both write, instructions
  std::map<Kind, BlocksMet> found;
  for (const auto& [at, chunk] : chunks_) {
    for (std::uint32_t k = 0; k < kChunk; ++k) {
      const LinePast& past = chunk.past.get()[k];
      if (past.more == 0) continue;
      const Join all = joined(past);
      const auto note = [&, at = at](std::uint32_t granules, std::uint32_t here, bool both_write,
                                     LineName writer, LineName other) {
        const bool guessed = here == 0;
        const auto first = static_cast<std::uint64_t>(std::countr_zero(guessed ? granules : here));
        BlocksMet met{((at * kChunk + k) << line_shift_) + (first << granule_shift),
                      both_write,
                      guessed,
                      writer,
                      other,
                      static_cast<std::uint64_t>(std::popcount(granules))};
        auto [place, fresh] = found.try_emplace({guessed, both_write, writer.pc, other.pc}, met);
        if (fresh) return;
        const std::uint64_t count = place->second.count + met.count;
        if (met.address < place->second.address) place->second = met;
        place->second.count = count;
      };
      const std::uint32_t writers = past.mixed != 0 || past.unknown != 0 ? all.met_writers : 0;
      const LineVisit &low = all.low_writer, &high = all.high_writer;
      if (writers != 0) note(writers, writers & low.granules & high.granules, true, low.name, high.name);
      const std::uint32_t readers = all.met_reader & ~writers;
      if (readers == 0) continue;
      const auto pair = [&](const LineVisit& writer, const LineVisit& reader) {
        const bool two = writer.name.block != reader.name.block;
        return two ? readers & writer.granules & reader.granules : 0;
      };
      const LineVisit *writer = &low, *reader = &all.high_reader;
      for (const LineVisit* const w : {&high, &low})
        for (const LineVisit* const r : {&all.high_reader, &all.low_reader})
          if (pair(*w, *r) != 0) std::tie(writer, reader) = std::pair(w, r);
      LineName one = writer->name, other = reader->name;
      const std::uint32_t here = pair(*writer, *reader);
      if (here == 0) one.block = std::min(low.name.block, all.low_reader.name.block);
      if (here == 0) other.block = std::max(high.name.block, all.high_reader.name.block);
      note(readers, here, false, one, other);
    }
  }
  std::vector<BlocksMet> list;
  const auto known = [&](bool both_write) {
    return std::any_of(found.begin(), found.end(), [&](const auto& one) {
      return !std::get<0>(one.first) && std::get<1>(one.first) == both_write;
    });
  };
  for (const auto& [kind, met] : found)
    if (!std::get<0>(kind) || !known(met.both_write)) list.push_back(met);
  return list;
}

}  // namespace lab::sim
