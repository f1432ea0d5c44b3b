// One allocation of global memory: its pages on the host. Of memory.cpp and memory_text.cpp alone.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "common/sim/memory/memory.h"

namespace lab::sim {

// What fresh bytes hold: zeros; zeros that are hardly ever touched, and a huge page for each touch would be a
// waste; or anything.
enum class Fresh : std::uint8_t { Zero, ZeroSparse, Any };

// Zeroed bytes, unless it is said otherwise.
class Zeroed {
 public:
  static constexpr std::uint64_t kPage = 4096;
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
  explicit Zeroed(std::uint64_t size_bytes, Fresh fresh = Fresh::Zero) : size_bytes_(size_bytes) {
    if (size_bytes == 0) return;
    if (size_bytes > SIZE_MAX / 2) throw std::bad_alloc();  // more than this machine can address
    void* p = nullptr;
    if (fresh != Fresh::Any && size_bytes >= (fresh == Fresh::Zero ? kPagesFrom : kSparsePagesFrom)) {
      // A transpose walks one of its matrices a row per lane: with small pages that is a page per lane.
      const bool huge = fresh == Fresh::Zero && size_bytes < kMostlyEmpty;
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
      if (fresh != Fresh::Any) std::memset(p, 0, size_bytes);
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
  static constexpr std::uint64_t kHugePage = 2 * 1024 * 1024;
  // Smaller ones come from the heap, whose pages the launch before has touched; all of them where pages are
  // not handed back on demand (WebAssembly).
#ifdef __linux__
  static constexpr std::uint64_t kPagesFrom = kHugePage, kSparsePagesFrom = 256 * 1024;
#else
  static constexpr std::uint64_t kPagesFrom = ~0ull, kSparsePagesFrom = ~0ull;
#endif
  static constexpr std::uint64_t kMostlyEmpty = 1ull << 30;  // never filled: a huge page a touch is a waste
  static constexpr std::size_t kHeapAlign = 64;
  std::byte* data_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  void* mapped_ = nullptr;  // what mmap gave: data_ lies in it, on the boundary of a huge page
  std::uint64_t mapped_bytes_ = 0;
};

struct Memory::Block {
  Allocation allocation;
  Zeroed bytes, written;
  bool placed = false;  // place() says who reaches it
  // On demand: what its pieces hold, zeros where it is null, and which of them are there, a byte each.
  ContentSource* source = nullptr;
  Zeroed laid_out;
  std::mutex laying_out;
  void lay_out_on_demand() {
    laid_out = Zeroed(allocation.size_bytes / ContentSource::kPiece + 1, Fresh::ZeroSparse);
    allocation.laid_out = reinterpret_cast<std::uint8_t*>(laid_out.data());
  }
};

}  // namespace lab::sim
