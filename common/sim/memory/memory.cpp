// Global memory: allocations at device addresses, each on host pages of its own.
//
// Enters: sizes and copies from the host. Leaves: host pointers for the interpreter, sentences for messages.
// Large allocations and their `written` shadows are fresh pages of the operating system, which are zero and
// cost nothing until touched; so a 50,000 × 50,000 matrix can be allocated to test index arithmetic alone.
#include "common/sim/memory/block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace lab::sim {
namespace {

constexpr std::uint64_t kLargest = 1ull << 44;  // 16 TiB: more is a mistake of the caller
constexpr std::uint64_t kPage = Zeroed::kPage;
constexpr std::size_t kReleasedKept = 4096;
// Sparse buffers begin here: in smaller ones a row of a tile takes a page that another buffer had, on the
// heap, and what is there is laid out piece by piece. A fresh page costs more.
constexpr std::uint64_t kSparseFromHeap = 16 << 20;

// Whether each page was ever touched, as the operating system knows it; empty: it does not say.
std::vector<bool> touched_pages(DeviceAddress base, std::uint64_t size_bytes) {
  constexpr std::uint64_t kPresentOrSwapped = 3ull << 62;
  std::vector<std::uint64_t> entries((size_bytes + kPage - 1) / kPage);
  const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const std::size_t wanted = entries.size() * sizeof(std::uint64_t);
  const bool whole =
      ::pread(file, entries.data(), wanted, static_cast<off_t>(base / kPage * sizeof(std::uint64_t))) ==
      static_cast<ssize_t>(wanted);
  ::close(file);
  std::vector<bool> touched;
  for (const std::uint64_t entry : entries)
    if (whole) touched.push_back((entry & kPresentOrSwapped) != 0);
  return touched;
}

// What the host writes: a copy is as aligned as its size allows.
void mark_written(const Allocation& a, DeviceAddress to, std::uint64_t size_bytes) {
  constexpr std::uint64_t kWidest = 16;
  if (a.written == nullptr) return;
  std::memset(a.written + (to - a.base), Allocation::kWritten, size_bytes);
  if (size_bytes == a.size_bytes) a.whole() = 1;
  const std::uint64_t aligned_bytes = std::min(kWidest, size_bytes & (~size_bytes + 1));
  a.widest_store() = std::max(a.widest_store(), static_cast<std::uint8_t>(aligned_bytes));
}

}  // namespace

Memory::Memory(FirstTouch zeroes) : zeroes_(zeroes) {}
Memory::~Memory() = default;

bool Memory::has_room(std::uint64_t size_bytes) const {
  return size_bytes <= kLargest && size_bytes + kGuardBytes + kAllocationAlign <= own_end_ - next_;
}

DeviceAddress Memory::allocate(std::uint64_t size_bytes, Fill fill, std::string name, bool read_only,
                               bool sparse) {
  ++changes_;
  if (!has_room(size_bytes)) throw std::bad_alloc();
  auto block = std::make_unique<Block>();
  const std::uint64_t room = (size_bytes + kAllocationAlign - 1) / kAllocationAlign * kAllocationAlign;
  const bool from_heap = zeroes_ == FirstTouch::Memory || size_bytes < kSparseFromHeap;
  const Fresh fresh = !sparse ? Fresh::Zero : from_heap ? Fresh::Any : Fresh::ZeroSparse;
  block->bytes = Zeroed(room, fresh);
  if (fill == Fill::Poison) block->written = Zeroed(size_bytes + Allocation::kBehindMarks, fresh);
  Allocation& a = block->allocation;
  a.base = next_;
  a.size_bytes = size_bytes;
  a.host = block->bytes.data();
  a.written = reinterpret_cast<std::uint8_t*>(block->written.data());
  a.read_only = read_only;
  a.name = std::move(name);
  a.device = static_cast<std::uint8_t>(device_);
  a.reach = reach_.at(device_);
  if (fresh == Fresh::Any) {
    block->lay_out_on_demand();
    std::fill(a.host + size_bytes, a.host + room, std::byte{0});  // of no piece
    if (a.written != nullptr) a.widest_store() = a.whole() = 0;
  }
  const std::uint64_t occupied = std::max<std::uint64_t>(size_bytes, 1) + kGuardBytes;
  const DeviceAddress base = a.base;
  blocks_.emplace(base, std::move(block));
  next_ += (occupied + kAllocationAlign - 1) / kAllocationAlign * kAllocationAlign;
  return base;
}

void Memory::allocate_high(bool high) {
  if (high == (own_end_ == kHighEnd)) return;
  std::swap(next_, other_next_);
  std::swap(own_end_, other_end_);
}

void Memory::leave_room(std::uint64_t bytes) {
  const std::uint64_t room = (bytes + kAllocationAlign - 1) / kAllocationAlign * kAllocationAlign;
  if (room <= (own_end_ - next_) / 2) next_ += room;
}

void Memory::begin_at(std::uint64_t bytes) { leave_room(-next_ & (bytes - 1)); }

DeviceAddress Memory::allocate_visible(std::uint64_t size_bytes, std::string name) {
  ++changes_;
  const std::uint64_t room = (size_bytes + kPage) / kPage * kPage + kPage;  // an unowned page behind it
  if (size_bytes > kLargest || room > kVisibleEnd - next_visible_) throw std::bad_alloc();
  auto block = std::make_unique<Block>();
  block->bytes = Zeroed::at(next_visible_, std::max<std::uint64_t>(size_bytes, 1));
  Allocation& a = block->allocation;
  a.base = next_visible_;
  a.size_bytes = size_bytes;
  a.host = block->bytes.data();
  block->written = Zeroed(size_bytes + Allocation::kBehindMarks);
  a.written = reinterpret_cast<std::uint8_t*>(block->written.data());
  a.name = std::move(name);
  a.device = kNoDevice;
  a.reach = ~0u;
  next_visible_ += room;
  const DeviceAddress base = a.base;
  blocks_.emplace(base, std::move(block));
  return base;
}

DeviceAddress Memory::lend(void* host, std::uint64_t size_bytes, std::string name, bool read_only,
                           Fill fill) {
  ++changes_;
  const auto base = static_cast<DeviceAddress>(reinterpret_cast<std::uintptr_t>(host));
  const auto above = blocks_.lower_bound(base);
  const bool meets_next = above != blocks_.end() && above->first - base < size_bytes;
  if (meets_next || find(base, 1) != nullptr) {
    throw text::Said<std::invalid_argument>(
        msg("the range is {}, which kernels can reach already", describe(base, size_bytes)));
  }
  auto block = std::make_unique<Block>();
  if (fill == Fill::Poison) block->written = Zeroed(size_bytes + Allocation::kBehindMarks);
  block->allocation = {base,
                       size_bytes,
                       static_cast<std::byte*>(host),
                       reinterpret_cast<std::uint8_t*>(block->written.data()),
                       read_only,
                       std::move(name),
                       kNoDevice,
                       ~0u};
  blocks_.emplace(base, std::move(block));
  return base;
}

void Memory::provide(DeviceAddress base, ContentSource& source) {
  ++changes_;
  Block& block = *blocks_.at(base);
  block.source = &source;
  block.lay_out_on_demand();
}

void Memory::lay_out_pieces(const Allocation& a, std::uint64_t from, std::uint64_t size_bytes) const {
  const std::uint64_t end = std::min(from + size_bytes, a.size_bytes);
  for (std::uint64_t at = from / ContentSource::kPiece * ContentSource::kPiece; at < end;
       at += ContentSource::kPiece) {
    std::uint8_t& there = a.laid_out[at / ContentSource::kPiece];
    if (__atomic_load_n(&there, __ATOMIC_ACQUIRE) != 0) continue;
    Block& block = *blocks_.at(a.base);
    const std::lock_guard guard(block.laying_out);
    if (there != 0) continue;
    const auto bytes = static_cast<std::size_t>(std::min(ContentSource::kPiece, a.size_bytes - at));
    if (a.written != nullptr) std::memset(a.written + at, Allocation::kUnwritten, bytes);
    if (block.source == nullptr) {
      std::memset(a.host + at, 0, bytes);
    } else {
      block.source->lay_out(at, {a.host + at, bytes});
    }
    __atomic_store_n(&there, std::uint8_t{1}, __ATOMIC_RELEASE);
  }
}

void Memory::let(std::uint32_t device, std::uint32_t owner, bool may) {
  ++changes_;
  const std::uint32_t bit = 1u << device;
  const auto change = [&](std::uint32_t& reach) { reach = may ? reach | bit : reach & ~bit; };
  change(reach_.at(owner));
  for (auto& [base, block] : blocks_)
    if (block->allocation.device == owner && !block->placed) change(block->allocation.reach);
}

void Memory::place(DeviceAddress base, std::uint32_t owner, std::uint32_t reach) {
  ++changes_;
  Block& block = *blocks_.at(base);
  block.placed = true;
  block.allocation.device = static_cast<std::uint8_t>(owner);
  block.allocation.reach = reach;
}

void Memory::use_device(std::uint32_t device) {
  device_ = device;
  several_ = several_ || device != 0;
}

void Memory::see_host_writes() {
  for (auto it = blocks_.lower_bound(kVisibleBase); it != blocks_.end() && it->first < kVisibleEnd; ++it) {
    const Allocation& a = it->second->allocation;
    if (a.written == nullptr || a.size_bytes == 0) continue;
    const std::vector<bool> touched = touched_pages(a.base, a.size_bytes);
    if (touched.empty()) std::memset(a.written, 1, a.size_bytes);
    for (std::size_t page = 0; page < touched.size(); ++page) {
      const std::uint64_t at = page * kPage;
      if (touched[page]) std::memset(a.written + at, 1, std::min(kPage, a.size_bytes - at));
    }
  }
}

void Memory::release(DeviceAddress base) {
  ++changes_;
  const auto it = blocks_.find(base);
  if (it == blocks_.end()) {
    throw text::Said<std::out_of_range>(
        msg("release: no buffer starts at this address, which is {}", describe(base, 1)));
  }
  Allocation& a = it->second->allocation;
  if (released_.size() == kReleasedKept) released_.erase(released_.begin());
  released_.emplace(base, Released{a.size_bytes, std::move(a.name)});
  blocks_.erase(it);
}

void Memory::take_back(DeviceAddress base) {
  ++changes_;
  blocks_.erase(base);
}

DeviceAddress Memory::heap_allocate(std::uint64_t size_bytes) {
  const std::uint64_t taken = (std::max<std::uint64_t>(size_bytes, 1) + 15) / 16 * 16;
  if (size_bytes > heap_limit_bytes_ || taken > heap_limit_bytes_ - heap_used_bytes_ || !has_room(size_bytes))
    return 0;
  const DeviceAddress base = allocate(size_bytes, Fill::Poison, "memory from malloc in a kernel");
  heap_.emplace(base, taken);
  heap_used_bytes_ += taken;
  return base;
}

void Memory::heap_forget_released() { heap_released_.clear(); }

void Memory::heap_clear() {
  while (!heap_.empty()) heap_release(heap_.begin()->first);
}

bool Memory::heap_release(DeviceAddress base) {
  ++changes_;
  const auto found = heap_.find(base);
  if (found == heap_.end()) return false;
  heap_used_bytes_ -= found->second;
  heap_.erase(found);
  const auto it = blocks_.find(base);
  std::unique_ptr<Block> block = std::move(it->second);
  blocks_.erase(it);
  if (released_.size() == kReleasedKept) released_.erase(released_.begin());
  released_.emplace(base, Released{block->allocation.size_bytes, block->allocation.name});
  block->allocation.size_bytes = 0;  // who remembers it finds nothing inside
  heap_released_.push_back(std::move(block));
  return true;
}

const Allocation* Memory::find(DeviceAddress address, std::uint64_t size_bytes) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return nullptr;
  const Allocation& a = std::prev(it)->second->allocation;
  const std::uint64_t offset = address - a.base;
  return offset <= a.size_bytes && size_bytes <= a.size_bytes - offset ? &a : nullptr;
}

std::vector<const Allocation*> Memory::allocations() const {
  std::vector<const Allocation*> list;
  for (const auto& [base, block] : blocks_) list.push_back(&block->allocation);
  return list;
}

std::uint64_t Memory::allocated_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [base, block] : blocks_) sum += block->allocation.size_bytes;
  return sum;
}

const Allocation* Memory::find_beyond(DeviceAddress address, std::uint64_t size_bytes) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return nullptr;
  const Allocation& a = std::prev(it)->second->allocation;
  const std::uint64_t room = (a.size_bytes + kAllocationAlign - 1) / kAllocationAlign * kAllocationAlign;
  const bool ours = a.base < kVisibleBase && !a.read_only;
  const std::uint64_t offset = address - a.base;
  return ours && offset <= room && size_bytes <= room - offset ? &a : nullptr;
}

void Memory::write(DeviceAddress to, std::span<const std::byte> bytes) {
  ++changes_;
  const Allocation& a = whole(to, bytes.size(), "write");
  if (bytes.empty()) return;
  std::memcpy(a.host + (to - a.base), bytes.data(), bytes.size());
  mark_written(a, to, bytes.size());
}

void Memory::read(DeviceAddress from, std::span<std::byte> bytes) const {
  const Allocation& a = whole(from, bytes.size(), "read");
  if (!bytes.empty()) std::memcpy(bytes.data(), a.host + (from - a.base), bytes.size());
}

void Memory::fill(DeviceAddress to, std::byte value, std::uint64_t size_bytes) {
  const Allocation& a = whole(to, size_bytes, "fill");
  if (size_bytes == 0) return;
  // Benchmarks fill one buffer again and again, to empty a cache. It holds that already.
  const bool host_reaches_it = a.base < kGlobalBase || a.base >= kVisibleBase;
  const bool known = size_bytes == a.size_bytes && !host_reaches_it;
  if (known && last_fill_ == WholeFill{a.base, value, changes_}) return;
  ++changes_;
  if (known) last_fill_ = {a.base, value, changes_};
  std::memset(a.host + (to - a.base), static_cast<int>(value), size_bytes);
  mark_written(a, to, size_bytes);
}

void Memory::copy(DeviceAddress to, DeviceAddress from, std::uint64_t size_bytes) {
  ++changes_;
  const Allocation& target = whole(to, size_bytes, "copy to");
  const Allocation& source = whole(from, size_bytes, "copy from");
  if (size_bytes == 0) return;
  std::memmove(target.host + (to - target.base), source.host + (from - source.base), size_bytes);
  if (target.written == nullptr) return;
  if (source.written == nullptr) return mark_written(target, to, size_bytes);
  const bool all = size_bytes == target.size_bytes || target.is_whole();
  target.whole() = all && source.is_whole() ? 1 : 0;
  std::memmove(target.written + (to - target.base), source.written + (from - source.base), size_bytes);
  target.widest_store() = std::max(target.widest_store(), source.widest_store());
}

void Memory::clear(DeviceAddress base) {
  ++changes_;
  blocks_.at(base)->bytes.clear();
}

void Memory::poison(DeviceAddress base) {
  ++changes_;
  const auto it = blocks_.find(base);
  if (it == blocks_.end()) {
    throw text::Said<std::out_of_range>(
        msg("poison: no buffer starts at this address, which is {}", describe(base, 1)));
  }
  if (it->second->allocation.size_bytes == 0) return;
  if (it->second->allocation.written == nullptr) {
    throw text::Said<std::invalid_argument>(
        msg("poison: {} was allocated as written, and stays so", describe(base, 1)));
  }
  it->second->written.clear();
}

void Memory::poison(DeviceAddress base, std::byte value, std::uint64_t size_bytes) {
  const Allocation& a = whole(base, size_bytes, "poison");
  if (size_bytes != 0) std::memset(a.host + (base - a.base), static_cast<int>(value), size_bytes);
  poison(base);
}

}  // namespace lab::sim
