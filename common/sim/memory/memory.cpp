// Global memory: allocations at device addresses, each on host pages of its own.
//
// Enters: sizes and copies from the host. Leaves: host pointers for the interpreter, sentences for messages.
// Large allocations and their `written` shadows are fresh pages of the operating system, which are zero and
// cost nothing until touched; so a 50,000 × 50,000 matrix can be allocated to test index arithmetic alone.
#include "common/sim/memory/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace lab::sim {
namespace {

constexpr std::uint64_t kPagesFrom = 256 * 1024;  // smaller ones come from the heap
constexpr std::uint64_t kLargest = 1ull << 44;    // 16 TiB: more is a mistake of the caller
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kHugePage = 2 * 1024 * 1024;
constexpr std::uint64_t kMostlyEmpty = 1ull << 30;  // nobody fills that much: a huge page a touch is a waste
constexpr std::size_t kReleasedKept = 4096;
constexpr std::size_t kHeapAlign = 64;
constexpr DeviceAddress kNullPage = 4096;
constexpr DeviceAddress kHostLike = 0x0000'5000'0000'0000ull;  // where Linux puts programs, heaps and stacks

// Whether anybody has touched each page, as the operating system knows it; empty: it does not say.
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

}  // namespace

// Zeroed bytes.
class Zeroed {
 public:
  Zeroed() = default;
  // Pages at an address of the caller's choice, where nothing else lies yet.
  static Zeroed at(DeviceAddress address, std::uint64_t size_bytes) {
    Zeroed made;
    made.size_bytes_ = made.mapped_bytes_ = (size_bytes + kPage - 1) / kPage * kPage;
    void* const wanted = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
    made.mapped_ = mmap(wanted, made.mapped_bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (made.mapped_ == MAP_FAILED) throw std::bad_alloc();
    made.data_ = static_cast<std::byte*>(made.mapped_);
    return made;
  }
  explicit Zeroed(std::uint64_t size_bytes) : size_bytes_(size_bytes) {
    if (size_bytes == 0) return;
    void* p = nullptr;
    if (is_pages()) {
      // A transpose walks one of its matrices a row a lane: with small pages that is a page a lane.
      const bool huge = size_bytes >= kHugePage && size_bytes < kMostlyEmpty;
      const std::uint64_t slack = huge ? kHugePage : 0;
      mapped_bytes_ = size_bytes + slack;
      mapped_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (mapped_ == MAP_FAILED) throw std::bad_alloc();
      const auto at = reinterpret_cast<std::uintptr_t>(mapped_);
      p = slack == 0 ? mapped_ : reinterpret_cast<void*>((at + kHugePage - 1) / kHugePage * kHugePage);
      // A wish: without it everything works, slower.
      madvise(p, size_bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    } else {
      p = std::aligned_alloc(kHeapAlign, (size_bytes + kHeapAlign - 1) / kHeapAlign * kHeapAlign);
      if (p == nullptr) throw std::bad_alloc();
      std::memset(p, 0, size_bytes);
    }
    data_ = static_cast<std::byte*>(p);
  }
  ~Zeroed() {
    if (data_ == nullptr) return;
    if (mapped_ != nullptr) {
      munmap(mapped_, mapped_bytes_);
    } else {
      std::free(data_);
    }
  }
  Zeroed(const Zeroed&) = delete;
  Zeroed& operator=(const Zeroed&) = delete;
  Zeroed(Zeroed&& other) noexcept { *this = std::move(other); }
  Zeroed& operator=(Zeroed&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    return *this;
  }
  [[nodiscard]] std::byte* data() const { return data_; }
  // Back to zeros; pages are handed back, which also makes them free again.
  void clear() {
    if (data_ == nullptr) return;
    if (mapped_ != nullptr && madvise(data_, size_bytes_, MADV_DONTNEED) == 0) return;
    std::memset(data_, 0, size_bytes_);
  }

 private:
  [[nodiscard]] bool is_pages() const { return size_bytes_ >= kPagesFrom; }
  std::byte* data_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  void* mapped_ = nullptr;  // what mmap gave: data_ lies in it, on the boundary of a huge page
  std::uint64_t mapped_bytes_ = 0;
};

namespace {

std::string bytes_of(std::uint64_t count) {
  if (count == 1) return /* message */ "1 byte";
  return grouped(count) + /* message */ " bytes";
}

std::string called(const std::string& name, std::uint64_t size_bytes) {
  const std::string size = grouped(size_bytes);
  return name.empty() ? /* message */ "a " + size + "-byte buffer"
                      : /* message */ "`" + name + "`, a " + size + "-byte buffer";
}

}  // namespace

struct Memory::Block {
  Allocation allocation;
  Zeroed bytes, written;
};

Memory::Memory() = default;
Memory::~Memory() = default;

DeviceAddress Memory::allocate(std::uint64_t size_bytes, Fill fill, std::string name, bool read_only) {
  if (size_bytes > kLargest || next_ + kLargest + kGuardBytes + kAllocationAlign > kVisibleBase) {
    throw std::bad_alloc();
  }
  auto block = std::make_unique<Block>();
  block->bytes = Zeroed((size_bytes + kAllocationAlign - 1) / kAllocationAlign * kAllocationAlign);
  if (fill == Fill::Poison) block->written = Zeroed(size_bytes);
  Allocation& a = block->allocation;
  a.base = next_;
  a.size_bytes = size_bytes;
  a.host = block->bytes.data();
  a.written = reinterpret_cast<std::uint8_t*>(block->written.data());
  a.read_only = read_only;
  a.name = std::move(name);
  const std::uint64_t occupied = std::max<std::uint64_t>(size_bytes, 1) + kGuardBytes;
  const DeviceAddress base = a.base;
  blocks_.emplace(base, std::move(block));
  next_ += (occupied + kAllocationAlign - 1) / kAllocationAlign * kAllocationAlign;
  return base;
}

DeviceAddress Memory::allocate_visible(std::uint64_t size_bytes, std::string name) {
  const std::uint64_t room = (size_bytes + kPage) / kPage * kPage + kPage;  // a page nobody owns behind it
  if (size_bytes > kLargest || room > kVisibleEnd - next_visible_) throw std::bad_alloc();
  auto block = std::make_unique<Block>();
  block->bytes = Zeroed::at(next_visible_, std::max<std::uint64_t>(size_bytes, 1));
  Allocation& a = block->allocation;
  a.base = next_visible_;
  a.size_bytes = size_bytes;
  a.host = block->bytes.data();
  block->written = Zeroed(size_bytes);
  a.written = reinterpret_cast<std::uint8_t*>(block->written.data());
  a.name = std::move(name);
  next_visible_ += room;
  const DeviceAddress base = a.base;
  blocks_.emplace(base, std::move(block));
  return base;
}

DeviceAddress Memory::lend(void* host, std::uint64_t size_bytes, std::string name) {
  const auto base = static_cast<DeviceAddress>(reinterpret_cast<std::uintptr_t>(host));
  const auto above = blocks_.lower_bound(base);
  const bool meets_next = above != blocks_.end() && above->first - base < size_bytes;
  if (meets_next || find(base, 1) != nullptr) {
    throw std::invalid_argument("the range is " + describe(base, size_bytes) +
                                ", which kernels can reach already");
  }
  auto block = std::make_unique<Block>();
  block->allocation = {base, size_bytes, static_cast<std::byte*>(host), nullptr, false, std::move(name)};
  blocks_.emplace(base, std::move(block));
  return base;
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
  const auto it = blocks_.find(base);
  if (it == blocks_.end()) {
    throw std::out_of_range("release: no buffer starts at this address, which is " + describe(base, 1));
  }
  Allocation& a = it->second->allocation;
  if (released_.size() == kReleasedKept) released_.erase(released_.begin());
  released_.emplace(base, Released{a.size_bytes, std::move(a.name)});
  blocks_.erase(it);
}

DeviceAddress Memory::heap_allocate(std::uint64_t size_bytes) {
  const std::uint64_t taken = (std::max<std::uint64_t>(size_bytes, 1) + 15) / 16 * 16;
  if (size_bytes > heap_limit_bytes_ || taken > heap_limit_bytes_ - heap_used_bytes_) return 0;
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

const Allocation* Memory::find_beyond(DeviceAddress address, std::uint64_t size_bytes) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return nullptr;
  const Allocation& a = std::prev(it)->second->allocation;
  const std::uint64_t room = (a.size_bytes + kAllocationAlign - 1) / kAllocationAlign * kAllocationAlign;
  const bool ours = a.base < kVisibleBase && !a.read_only;
  const std::uint64_t offset = address - a.base;
  return ours && offset <= room && size_bytes <= room - offset ? &a : nullptr;
}

const Allocation& Memory::whole(DeviceAddress address, std::uint64_t size_bytes, const char* what) const {
  const Allocation* a = find(address, size_bytes);
  if (a == nullptr) {
    throw std::out_of_range(std::string(what) + " of " + bytes_of(size_bytes) + ": the range is " +
                            describe(address, size_bytes));
  }
  return *a;
}

void Memory::write(DeviceAddress to, std::span<const std::byte> bytes) {
  const Allocation& a = whole(to, bytes.size(), "write");
  if (bytes.empty()) return;
  std::memcpy(a.host + (to - a.base), bytes.data(), bytes.size());
  if (a.written != nullptr) std::memset(a.written + (to - a.base), 1, bytes.size());
}

void Memory::read(DeviceAddress from, std::span<std::byte> bytes) const {
  const Allocation& a = whole(from, bytes.size(), "read");
  if (!bytes.empty()) std::memcpy(bytes.data(), a.host + (from - a.base), bytes.size());
}

void Memory::fill(DeviceAddress to, std::byte value, std::uint64_t size_bytes) {
  const Allocation& a = whole(to, size_bytes, "fill");
  if (size_bytes == 0) return;
  std::memset(a.host + (to - a.base), static_cast<int>(value), size_bytes);
  if (a.written != nullptr) std::memset(a.written + (to - a.base), 1, size_bytes);
}

void Memory::copy(DeviceAddress to, DeviceAddress from, std::uint64_t size_bytes) {
  const Allocation& target = whole(to, size_bytes, "copy to");
  const Allocation& source = whole(from, size_bytes, "copy from");
  if (size_bytes == 0) return;
  std::memmove(target.host + (to - target.base), source.host + (from - source.base), size_bytes);
  if (target.written == nullptr) return;
  std::uint8_t* marks = target.written + (to - target.base);
  if (source.written != nullptr) {
    std::memmove(marks, source.written + (from - source.base), size_bytes);
  } else {
    std::memset(marks, 1, size_bytes);
  }
}

void Memory::clear(DeviceAddress base) { blocks_.at(base)->bytes.clear(); }

void Memory::poison(DeviceAddress base) {
  const auto it = blocks_.find(base);
  if (it == blocks_.end()) {
    throw std::out_of_range("poison: no buffer starts at this address, which is " + describe(base, 1));
  }
  if (it->second->allocation.size_bytes == 0) return;
  if (it->second->allocation.written == nullptr) {
    throw std::invalid_argument("poison: " + describe(base, 1) + " was allocated as written, and stays so");
  }
  it->second->written.clear();
}

std::string Memory::describe(DeviceAddress address, std::uint64_t size_bytes) const {
  if (const Allocation* a = find(address, size_bytes)) {
    return "byte " + grouped(address - a->base) + " of " + called(a->name, a->size_bytes);
  }
  const auto above = blocks_.upper_bound(address);
  if (above != blocks_.begin()) {
    const Allocation& a = std::prev(above)->second->allocation;
    const std::uint64_t offset = address - a.base;
    if (offset < a.size_bytes) {
      return bytes_of(size_bytes - (a.size_bytes - offset)) + " too long for " + called(a.name, a.size_bytes);
    }
    const std::uint64_t past = offset - a.size_bytes;
    if (past == 0) return "right behind the end of " + called(a.name, a.size_bytes);
    const bool next_is_nearer = above != blocks_.end() && above->first - address < past;
    if (past < kGuardBytes && !next_is_nearer)
      return bytes_of(past) + " past the end of " + called(a.name, a.size_bytes);
  }
  if (above != blocks_.end() && above->first - address <= kGuardBytes) {
    const Allocation& a = above->second->allocation;
    return bytes_of(a.base - address) + " before the start of " + called(a.name, a.size_bytes);
  }
  return describe_unmapped(address);
}

std::string Memory::describe_unmapped(DeviceAddress address) const {
  if (address == 0) return "a null pointer";
  if (address < kNullPage) return bytes_of(address) + " past a null pointer";
  if (address - kSharedWindow < kWindowBytes) {
    return "a shared-memory address, " + bytes_of(address - kSharedWindow) + " from its start";
  }
  if (address - kLocalWindow < kWindowBytes) {
    return "a local-memory address, " + bytes_of(address - kLocalWindow) + " from its start";
  }
  if (auto it = released_.upper_bound(address); it != released_.begin()) {
    --it;
    const std::uint64_t offset = address - it->first;
    if (offset < std::max<std::uint64_t>(it->second.size_bytes, 1)) {
      return "in freed memory: byte " + grouped(offset) + " of " +
             called(it->second.name, it->second.size_bytes);
    }
  }
  if (address >= kHostLike && address < (1ull << 47)) return "in no buffer; it looks like a host address";
  if (blocks_.empty()) return "in no buffer; none is allocated";
  const auto above = blocks_.upper_bound(address);
  const Allocation* nearest = above == blocks_.end() ? nullptr : &above->second->allocation;
  std::uint64_t distance = nearest == nullptr ? ~0ull : nearest->base - address;
  bool past_it = false;
  if (above != blocks_.begin()) {
    const Allocation& below = std::prev(above)->second->allocation;
    const std::uint64_t past = address - below.base - below.size_bytes;
    if (past < distance) {
      nearest = &below;
      distance = past;
      past_it = true;
    }
  }
  constexpr std::uint64_t kFar = 1 << 20;  // the neighbour says nothing then
  if (distance > kFar) return "in no buffer, and far from all of them";
  const std::string where =
      past_it ? bytes_of(distance) + " past its end" : bytes_of(distance) + " before its start";
  return "in no buffer; the nearest is " + called(nearest->name, nearest->size_bytes) + ", and " + where;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

}  // namespace lab::sim
