// What a launch asks of the memory behind the first level. See traffic.h.
#include "common/gpu/model/traffic.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/gpu/model/machine_code.h"
#include "common/sim/base/lanes.h"
#include "common/sim/program/program_data.h"

namespace lab::model {
namespace {

constexpr std::uint64_t kPiece = L2Cache::kPieceBytes, kSector = L2Cache::kSectorBytes, kLine = 128;
// What a block finds again. Twice the first level: its warps run side by side and share what they load, while
// the simulator runs one after the other.
constexpr std::size_t kRemembered = 2 * 256 * 1024 / kSector;

constexpr std::uint64_t ones(std::uint64_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}
// So many neighbouring 512-byte runs lie in different slices.
constexpr std::uint64_t kNeighbours = 32;
// Roughly how long a warp waits, to find the one that waits longest.
std::uint64_t weight(const Rounds& rounds) { return rounds[0] + 10 * rounds[1] + 24 * rounds[2]; }
std::uint64_t half(std::uint64_t bytes, int k) { return bytes >> 32 * k & 0xffffffffull; }
std::uint64_t hashed(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ull >> 32; }

// Where the key stands in an open table whose size is a power of two, or the free place for it.
std::size_t place_in(const std::vector<std::uint64_t>& table, std::uint64_t key) {
  std::size_t at = (key * 0x9e3779b97f4a7c15ull >> 20) & (table.size() - 1);
  while (table[at] != 0 && table[at] != key) at = (at + 1) & (table.size() - 1);
  return at;
}

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  const auto to = traffic_numbers(*this);
  const auto more = traffic_numbers(other);
  static_assert(sizeof(Traffic) == std::tuple_size_v<decltype(to)> * sizeof(std::uint64_t), "all of them");
  for (std::size_t k = 0; k < to.size(); ++k) *to[k] += *more[k];
  return *this;
}

std::unique_ptr<sim::Observer> TrafficObserver::clone() const {
  return std::make_unique<TrafficObserver>(l2_);
}

void TrafficObserver::merge(const sim::Observer& other) {
  sum_ += dynamic_cast<const TrafficObserver&>(other).result();
  sum_.dram = l2_.take();  // there is one host thread, and so one copy to merge
}

void TrafficObserver::launch_begin(const sim::LaunchInfo& info) {
  chains_ = load_chains(info.program->data());
  atomics_ = atomic_kinds(info.program->data());
  assembled_ = assembled(info.program->data());
  words_.fill({});
  begun_ = 0;
  blocks_.clear();
  slices_.fill(0);
  float_sectors_.fill(0);
  sum_ = {};
}

void TrafficObserver::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  Block& block = blocks_[slot];
  if (block.seen.empty()) block.seen.resize(1024);
  if (block.count != 0) std::fill(block.seen.begin(), block.seen.end(), 0);
  block.count = 0;
  block.number = ++begun_;
  block.hops = 0;
  block.stored.assign(kFreshStores, 0);
  for (std::vector<Piece>& gathered : block.gathered) gathered.clear();
}

void TrafficObserver::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  Rounds longest{}, written_out{};
  for (WarpWaits& warp : blocks_[slot].warps) {
    const WarpWaits::Both rounds = warp.end();
    if (weight(rounds.as_text) > weight(longest)) longest = rounds.as_text;
    if (weight(rounds.written_out) > weight(written_out)) written_out = rounds.written_out;
  }
  for (std::size_t k = 0; k < longest.size(); ++k) {
    sum_.rounds[k] += longest[k];
    sum_.written_out[k] += written_out[k];
  }
  const std::uint64_t waiting = weight(written_out), instructions = blocks_[slot].instructions;
  if (std::pair(waiting, instructions) < std::pair(weight(sum_.longest), sum_.longest_instructions)) return;
  sum_.longest = written_out;
  sum_.longest_instructions = instructions;
}

void TrafficObserver::barrier(std::uint32_t slot) {
  ++sum_.barriers;
  for (WarpWaits& warp : blocks_[slot].warps) warp.barrier();
}

// True: this block has not touched the sector before. Past what it remembers it forgets all.
bool TrafficObserver::first_touch(Block& block, std::uint64_t sector) {
  const std::size_t at = place_in(block.seen, sector);
  if (block.seen[at] == sector) return false;
  block.seen[at] = sector;
  if (++block.count >= kRemembered) {
    std::fill(block.seen.begin(), block.seen.end(), 0);
    block.count = 0;
  } else if (block.count * 2 > block.seen.size()) {
    std::vector<std::uint64_t> old(block.seen.size() * 2);
    old.swap(block.seen);
    for (const std::uint64_t key : old)
      if (key != 0) block.seen[place_in(block.seen, key)] = key;
  }
  return true;
}

void TrafficObserver::pieces_of(const sim::Access& access) {
  pieces_.clear();
  lines_.clear();
  const std::uint64_t width = ones(access.width_bytes);
  if (access.affine && access.stride_bytes >= 0) return pieces_in_order(access, width);
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t address = access.address[lane], piece = address / kPiece;
    const std::uint64_t bytes = width << address % kPiece;
    const auto same = std::find_if(pieces_.rbegin(), pieces_.rend(),
                                   [&](const Piece& known) { return known.number == piece; });
    if (same == pieces_.rend()) {
      pieces_.push_back({piece, bytes});
    } else {
      same->bytes |= bytes;
    }
  }
  std::uint64_t lines = 0;
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const auto line = [&](std::size_t at) { return pieces_[at].number / (kLine / kPiece); };
    bool fresh = true;
    for (std::size_t j = 0; fresh && j < k; ++j) fresh = line(j) != line(k);
    lines += fresh ? 1 : 0;
  }
  sum_.lines += lines;
}

// Addresses that do not fall: a piece, or a line, that was met before is the last one.
void TrafficObserver::pieces_in_order(const sim::Access& access, std::uint64_t width) {
  std::uint64_t line = ~std::uint64_t{0};
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t address = access.address[lane], piece = address / kPiece;
    const std::uint64_t bytes = width << address % kPiece;
    if (!pieces_.empty() && pieces_.back().number == piece) {
      pieces_.back().bytes |= bytes;
      continue;
    }
    pieces_.push_back({piece, bytes});
    sum_.lines += address / kLine != line ? 1 : 0;
    line = address / kLine;
  }
}

// The first load behind a store to its sector waits until the store has reached the second level, though what
// it reads is in the first one (tests/golden/latencies.csv).
bool TrafficObserver::behind_store(Block& block, std::uint64_t sector) {
  std::uint64_t& last = block.stored[hashed(sector) % kFreshStores];
  return last == sector && std::exchange(last, 0) != 0;
}

// `block`: the block with sectors in the first level; none: the read bypasses it.
Reach TrafficObserver::read(Block* block, const Piece& piece) {
  Piece wanted{piece.number, 0};
  Reach reach = Reach::Near;
  for (int k = 0; k < 2; ++k) {
    const std::uint64_t bytes = half(piece.bytes, k);
    if (bytes == 0) continue;
    const std::uint64_t sector = 2 * piece.number + static_cast<std::uint64_t>(k) + 1;
    if (block != nullptr && behind_store(*block, sector)) reach = Reach::L2;
    if (block != nullptr && !first_touch(*block, sector)) continue;
    ++sum_.l2_read_sectors;
    wanted.bytes |= bytes << 32 * k;
  }
  if (wanted.bytes == 0) return reach;
  request(wanted.number / (kLine / kPiece));
  return l2_.read(wanted.number, wanted.bytes) ? Reach::L2 : Reach::Dram;
}

void TrafficObserver::weighed(std::uint32_t slot, const Weighed& sum) {
  using sim::ptx::Pipe;
  blocks_[slot].instructions = of(sum, Pipe::None);
  sum_.instructions += of(sum, Pipe::None);
  sum_.of_whole += of(sum, Pipe::Whole);
  sum_.of_sums += of(sum, Pipe::Sums);
  sum_.of_floats += of(sum, Pipe::Floats);
  sum_.of_doubles += of(sum, Pipe::Doubles);
  sum_.of_functions += of(sum, Pipe::Functions);
  sum_.skipped += sum[kGuarded] - std::min(sum[kGuarded], sum[kGuardedRun]);
  sum_.empty_passes += sum[kGuardedAccesses] - std::min(sum[kGuardedAccesses], sum[kGuardedAccessesRun]);
}

// A line of this access: a packet to the second level.
void TrafficObserver::request(std::uint64_t line) {
  if (std::find(lines_.rbegin(), lines_.rend(), line) != lines_.rend()) return;
  lines_.push_back(line);
  ++sum_.l2_requests;
}

// Stores of a warp one behind the other fill up sectors before these leave for the second level (in cross
// products of 12 bytes a thread, three stores, a GPU counts a third of the sectors; with a load between two
// stores, all).
void TrafficObserver::store(Block& block, std::vector<Piece>& gathered) {
  constexpr std::size_t kGathered = 16;
  for (const Piece& piece : pieces_) {
    const auto known = std::find_if(gathered.begin(), gathered.end(),
                                    [&](const Piece& one) { return one.number == piece.number; });
    const std::uint64_t before = known == gathered.end() ? 0 : known->bytes;
    if (known == gathered.end()) {
      gathered.push_back(piece);
    } else {
      known->bytes |= piece.bytes;
    }
    Piece fresh{piece.number, 0};
    for (int k = 0; k < 2; ++k) {
      const std::uint64_t had = half(before, k), bytes = half(piece.bytes, k);
      if (had == 0) fresh.bytes |= bytes << 32 * k;
      if (had != 0 && had != 0xffffffffull && (had | bytes) == 0xffffffffull) --sum_.l2_partial_sectors;
    }
    if (fresh.bytes != 0) write(&block, fresh);
    if (fresh.bytes != piece.bytes) l2_.write(piece.number, piece.bytes);
  }
  if (gathered.size() > kGathered) gathered.clear();
}

void TrafficObserver::write(Block* block, const Piece& piece) {
  request(piece.number / (kLine / kPiece));
  for (int k = 0; k < 2; ++k) {
    const std::uint64_t bytes = half(piece.bytes, k);
    if (bytes == 0) continue;
    const std::uint64_t sector = 2 * piece.number + static_cast<std::uint64_t>(k) + 1;
    if (block != nullptr) block->stored[hashed(sector) % kFreshStores] = sector;
    ++sum_.l2_write_sectors;
    sum_.l2_partial_sectors += bytes != 0xffffffffull ? 1 : 0;
  }
  l2_.write(piece.number, piece.bytes);
}

// What lanes keep for themselves goes through to the second level; the words of the lanes lie side by side.
void TrafficObserver::local_store(const sim::Access& access) {
  constexpr std::uint64_t kWord = 4;
  const auto lanes = static_cast<std::uint64_t>(std::popcount(access.mask));
  const std::uint64_t bytes = lanes * std::max<std::uint64_t>(kWord, access.width_bytes);
  const std::uint64_t sectors = (bytes + kSector - 1) / kSector;
  sum_.l2_write_sectors += sectors;
  sum_.l2_partial_sectors += access.width_bytes < kWord ? sectors : 0;
  sum_.l2_requests += (bytes + kLine - 1) / kLine;
}

// The lanes of one address are served one after the other, in the slice that the line lies in.
void TrafficObserver::atomic(const sim::Access& access) {
  const AtomicKind kind = atomics_[access.pc];
  for (const Piece& piece : pieces_) {
    std::uint64_t passes[2] = {0, 0};
    for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
      if (access.address[lane] / kPiece != piece.number) continue;
      std::uint64_t same = kind.added_up_first ? 1 : 0;
      if (same == 0)
        for (const std::uint32_t other : sim::lanes_of(access.mask))
          same += access.address[other] == access.address[lane] ? 1 : 0;
      std::uint64_t& most = passes[access.address[lane] / kSector % 2];
      most = std::max(most, same);
    }
    sum_.l2_atomic_sectors += passes[0] + passes[1];
    request(piece.number / (kLine / kPiece));
    const std::uint64_t run = piece.number / (kSliceRun / kPiece);
    slices_[(run + hashed(run / kNeighbours)) % kSlices] += passes[0] + passes[1];
    for (std::uint64_t k = 0; kind.of_floats && k < 2; ++k)
      float_sectors_[hashed(2 * piece.number + k) % kFloatSectors] += passes[k];
    l2_.read(piece.number, piece.bytes);
    l2_.write(piece.number, piece.bytes);
  }
}

// Threads of other blocks that want to change the same word, or wait until it is changed: a GPU runs them
// side by side, here they come one after the other.
void TrafficObserver::hand_over(Block& block, const sim::Access& access) {
  const Repeats repeats = assembled_.repeats[access.pc];
  const bool writes = access.path != sim::Path::GlobalLoad;
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t address = access.address[lane];
    if (std::exchange(before, address) == address) continue;
    Word& word = words_[hashed(address / 4) % words_.size()];
    if (repeats == Repeats::Update) {
      ++word.updates;
      if (std::exchange(word.last_block, block.number) != block.number) ++word.blocks;
    }
    const bool another = word.hops != 0 && word.last_block != block.number;
    if (repeats == Repeats::Poll && another) block.hops = std::max(block.hops, word.hops);
    if (writes && repeats == Repeats::No) {
      word.hops = std::max(word.hops, block.hops + 1);
      word.last_block = block.number;
    }
  }
}

void TrafficObserver::access(std::uint32_t slot, const sim::Access& access) {
  Block& block = blocks_[slot];
  WarpWaits& warp = block.warps[access.place->warp % block.warps.size()];
  const LoadChain& chain = chains_[access.pc];
  std::vector<Piece>& gathered = block.gathered[access.place->warp % block.warps.size()];
  using sim::Path;
  if (access.path != Path::GlobalStore) gathered.clear();
  const LoadPlace& place = assembled_.loads[access.pc];
  switch (access.path) {
    case Path::SharedLoad:
    case Path::SharedMatrixLoad:
    case Path::SharedAtomic:
    case Path::ClusterLoad:
      return warp.load(chain, access.pc, false, Reach::Near, place);
    case Path::SharedStore:
    case Path::SharedMatrixStore:
      return warp.store(false, chain.stretch);
    case Path::GlobalLoad: {
      pieces_of(access);
      Reach far = Reach::Near;
      for (const Piece& piece : pieces_) far = std::max(far, read(&block, piece));
      if (assembled_.repeats[access.pc] != Repeats::No) hand_over(block, access);
      return warp.load(chain, access.pc, true, far, place);
    }
    case Path::GlobalAsync:  // no thread waits here
      pieces_of(access);
      for (const Piece& piece : pieces_) read(nullptr, piece);
      return;
    case Path::GlobalStore:
      pieces_of(access);
      store(block, gathered);
      if (assembled_.strong[access.pc] != 0) hand_over(block, access);
      return warp.store(true, chain.stretch);
    case Path::LocalStore:
      return local_store(access);
    case Path::GlobalAtomic:
      pieces_of(access);
      atomic(access);
      hand_over(block, access);
      if (chain.own != 0) warp.load(chain, access.pc, true, Reach::L2, place);
      return;
    default:
      return;
  }
}

void TrafficObserver::bulk(std::uint32_t /*slot*/, const sim::BulkCopy& copy) {
  const bool reads = sim::info(copy.read).space == sim::Space::Global;
  if (!reads && sim::info(copy.written).space != sim::Space::Global) return;
  for (const sim::BulkPiece& part : copy.pieces) {
    const std::uint64_t end = part.global + part.last;
    for (std::uint64_t at = part.global + part.first; at < end;) {
      const std::uint64_t stop = std::min(end, (at / kPiece + 1) * kPiece);
      const Piece piece{at / kPiece, ones(stop - at) << at % kPiece};
      if (reads) {
        read(nullptr, piece);
      } else {
        write(nullptr, piece);
      }
      at = stop;
    }
  }
}

Traffic TrafficObserver::result() const {
  Traffic all = sum_;
  all.busiest_slice += *std::max_element(slices_.begin(), slices_.end());
  all.busiest_float_sector += *std::max_element(float_sectors_.begin(), float_sectors_.end());
  const Word& most = *std::max_element(words_.begin(), words_.end(),
                                       [](const Word& a, const Word& b) { return a.updates < b.updates; });
  all.updates += most.updates;
  all.updating_blocks += most.blocks;
  for (const Word& word : words_) all.hops = std::max(all.hops, word.hops == 0 ? 0 : word.hops - 1);
  return all;
}

}  // namespace lab::model
