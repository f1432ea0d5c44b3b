// Global memory of the simulated GPUs: allocations with guard zones, whose they are, and which bytes were
// ever written.
//
// Enters: allocate, copy, and the accesses of warps. Leaves: host pointers for device addresses, or the
// sentence that says what lies near a bad one. Device addresses are no host addresses on purpose: a program
// that dereferences one on the host is caught.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/text/message.h"

namespace lab::sim {

using DeviceAddress = std::uint64_t;

// Generic addresses inside these windows mean shared or local memory; all others are global (or const). Linux
// puts neither programs nor heaps, libraries or stacks here: memory of the host can be lent to kernels.
inline constexpr DeviceAddress kSharedWindow = 0x0000'4f00'0000'0000ull;
inline constexpr DeviceAddress kLocalWindow = 0x0000'4e00'0000'0000ull;
inline constexpr std::uint64_t kWindowBytes = 1ull << 32;
// Local memory has a part of its window for each thread of the block, so that an address says whose variable
// it means. On a GPU all threads have the same: each reaches its own variable there.
inline constexpr std::uint64_t kLocalThreadBytes = 1ull << 24, kLocalWindowBytes = 1024 * kLocalThreadBytes;
[[nodiscard]] constexpr bool in_local_window(DeviceAddress at) {
  return at - kLocalWindow + kLocalThreadBytes / 2 < kLocalWindowBytes;  // a little before its own part, too
}
[[nodiscard]] constexpr DeviceAddress local_base(std::uint32_t thread) {
  return kLocalWindow + thread * kLocalThreadBytes;
}
// The offset in a thread's own local memory; of its own part it may be negative, and wraps.
[[nodiscard]] constexpr bool is_own_local(DeviceAddress at, std::uint32_t thread) {
  return at - local_base(thread) + kLocalThreadBytes / 2 < kLocalThreadBytes;
}
[[nodiscard]] constexpr std::uint64_t local_offset(DeviceAddress at, std::uint32_t thread) {
  return is_own_local(at, thread) ? at - local_base(thread) : (at - kLocalWindow) % kLocalThreadBytes;
}
inline constexpr DeviceAddress kGlobalBase = 0x0000'0007'0000'0000ull;
// Where drivers of other systems put buffers (Memory::allocate_high).
inline constexpr DeviceAddress kHighBase = 0x0000'7f00'0000'0000ull, kHighEnd = 0x0000'7ff0'0000'0000ull;
inline constexpr DeviceAddress kVisibleBase = 0x0000'2000'0000'0000ull;  // allocate_visible
inline constexpr DeviceAddress kVisibleEnd = 0x0000'4000'0000'0000ull;
inline constexpr std::uint64_t kAllocationAlign = 512;  // as cudaMalloc
inline constexpr std::uint64_t kGuardBytes = 512;       // between allocations
inline constexpr std::uint32_t kMostDevices = 8;        // GPUs that share one address space
inline constexpr std::uint8_t kNoDevice = 0xff;         // whose memory the host's and managed memory is

// Where an access lies, as data and in words: "4 bytes past the end of `out`, a 4 096-byte buffer".
struct Nearby {
  enum class Where : std::uint8_t { Inside, Edge, Freed, Elsewhere };
  Where where = Where::Elsewhere;
  std::string buffer;  // its name, when it has one
  Message words;
  std::uint64_t size_bytes = 0;  // of the buffer whose edge it is
};

// What a buffer holds where it is first read: computed piece by piece, on demand.
class ContentSource {
 public:
  static constexpr std::uint64_t kPiece = 256;  // bytes
  ContentSource() = default;
  virtual ~ContentSource() = default;
  ContentSource(const ContentSource&) = delete;
  ContentSource& operator=(const ContentSource&) = delete;
  // The bytes of the buffer from `first` on, a multiple of kPiece. The same each time; called by one thread.
  virtual void lay_out(std::uint64_t first, std::span<std::byte> piece) = 0;
};

struct Allocation {
  DeviceAddress base = 0;
  std::uint64_t size_bytes = 0;
  std::byte* host = nullptr;
  // One byte a byte: kUnwritten, kWritten, kValueless (a store of no value); null: all written. Two more
  // behind them: the bytes of the widest store, up to 16, the largest alignment that a member can ask for; and
  // 1 where all are known to be kWritten.
  static constexpr std::uint8_t kUnwritten = 0, kWritten = 1, kValueless = 2;
  static constexpr std::uint64_t kBehindMarks = 2;
  std::uint8_t* written = nullptr;
  [[nodiscard]] std::uint8_t& widest_store() const { return written[size_bytes]; }
  [[nodiscard]] std::uint8_t& whole() const { return written[size_bytes + 1]; }
  bool read_only = false;   // const memory
  std::string name;         // "out", "in", or a variable's name; may be empty
  std::uint8_t device = 0;  // the GPU whose memory it is
  std::uint32_t reach = 1;  // bit d: kernels of GPU d may use it
  // Whether each ContentSource::kPiece bytes are there: Memory::lay_out comes before each use. Null: all are.
  std::uint8_t* laid_out = nullptr;
  [[nodiscard]] bool is_whole() const { return written == nullptr || (whole() != 0 && laid_out == nullptr); }
};

enum class Fill : std::uint8_t {
  Poison,   // reads before a write are faults
  Written,  // the caller fills it, or zeros are meant
};

// What zeroes large buffers that are hardly used, where they are first touched: the operating system, page by
// page, or, where it has no such pages (WebAssembly), Memory itself, piece by piece.
enum class FirstTouch : std::uint8_t { System, Memory };
#ifdef __linux__
inline constexpr FirstTouch kFirstTouch = FirstTouch::System;
#else
inline constexpr FirstTouch kFirstTouch = FirstTouch::Memory;
#endif

class Memory {
 public:
  explicit Memory(FirstTouch zeroes = kFirstTouch);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // --- several GPUs. One is current: what is allocated is its memory, kernels run on it. ---
  void use_device(std::uint32_t device);
  [[nodiscard]] std::uint32_t device() const { return device_; }
  [[nodiscard]] bool several_devices() const { return several_; }  // another than GPU 0 was ever used
  [[nodiscard]] bool reaches(const Allocation& a) const { return (a.reach >> device_ & 1) != 0; }
  [[nodiscard]] bool is_peers(const Allocation& a) const {
    return a.device != device_ && a.device != kNoDevice;
  }
  // Kernels of `device` may use the memory of `owner` from now on, or no longer.
  void let(std::uint32_t device, std::uint32_t owner, bool may);
  // One buffer whose reach is its own affair: memory of a pool, mapped memory. `reach` as in Allocation.
  void place(DeviceAddress base, std::uint32_t owner, std::uint32_t reach);
  // Why a kernel of the current GPU may not use it, and what to do: the end of a sentence, and one more.
  [[nodiscard]] Message no_access(const Allocation& a) const;

  // Never returns an address that overlaps or touches another allocation, not even a released one: addresses
  // are used once. Content starts as zeros, and costs host memory only where it is touched. size_bytes 0
  // gives a valid, empty allocation. Throws std::bad_alloc when the host has no room.
  // `sparse`: few of its places will be touched.
  DeviceAddress allocate(std::uint64_t size_bytes, Fill fill, std::string name = {}, bool read_only = false,
                         bool sparse = false);
  // The same, at an address that is also the host's own: both sides read and write it (managed, mapped
  // memory). It is poison until `see_host_writes` finds that the host touched its page.
  DeviceAddress allocate_visible(std::uint64_t size_bytes, std::string name = {});
  // From now on the buffer holds what `source` says; it outlives the buffer.
  void provide(DeviceAddress base, ContentSource& source);
  // These bytes are there when it returns, as far as they lie in the buffer. Many threads may ask.
  void lay_out(const Allocation& a, DeviceAddress from, std::uint64_t size_bytes) const {
    if (a.laid_out != nullptr) lay_out_pieces(a, from - a.base, size_bytes);
  }
  // Lends memory of the host to kernels, at its own address. Throws std::invalid_argument when part of it is
  // lent already. `release` ends it. Fill::Poison: kernels read none of it before they wrote it.
  DeviceAddress lend(void* host, std::uint64_t size_bytes, std::string name = {}, bool read_only = false,
                     Fill fill = Fill::Written);
  // What it allocates itself lies between kGlobalBase and here; the host may lend what lies behind.
  void allocate_below(DeviceAddress end) { own_end_ = end; }
  // Whether allocations lie above kHighBase from now on; for hosts that lend no memory.
  void allocate_high(bool high);
  // The next buffer begins so many bytes behind the last one, if there is room.
  void leave_room(std::uint64_t bytes);
  // The next buffer begins at a multiple of `bytes`, a power of two.
  void begin_at(std::uint64_t bytes);
  void take_back(DeviceAddress base);  // ends it too, and is not remembered: the memory goes on to live
  void release(DeviceAddress base);    // throws std::out_of_range when no allocation starts there

  // malloc and free of kernels, each buffer an allocation of its own, so that its edges are watched. 0: the
  // heap is full, as on a GPU. Only while no other thread uses this memory. What a kernel frees stays until
  // the next launch, since instructions remember the buffer that they touched last.
  DeviceAddress heap_allocate(std::uint64_t size_bytes);
  bool heap_release(DeviceAddress base);  // false: no such buffer
  void heap_forget_released();
  void heap_clear();  // frees all of it
  // Bytes and buffers that kernels got and did not free.
  [[nodiscard]] std::pair<std::uint64_t, std::size_t> heap_in_use() const {
    return {heap_used_bytes_, heap_.size()};
  }
  [[nodiscard]] bool visible() const {
    return next_visible_ != kVisibleBase;
  }  // some was allocated for both sides
  // The host writes visible memory unseen: marks all pages of it as written that were ever touched.
  void see_host_writes();
  void heap_limit(std::uint64_t size_bytes) { heap_limit_bytes_ = size_bytes; }

  // Copies; throw std::out_of_range with a whole sentence when the range leaves its allocation. The host may
  // write read-only memory and read poisoned memory: only kernels may not.
  void write(DeviceAddress to, std::span<const std::byte> bytes);  // marks the bytes as written
  void read(DeviceAddress from, std::span<std::byte> bytes) const;
  void fill(DeviceAddress to, std::byte value, std::uint64_t size_bytes);
  // Device to device; ranges may overlap. What was never written stays so.
  void copy(DeviceAddress to, DeviceAddress from, std::uint64_t size_bytes);
  void clear(DeviceAddress base);   // zeros again, as allocated; costs what was touched
  void poison(DeviceAddress base);  // of a whole allocation: forget what was written (only for Fill::Poison)
  void poison(DeviceAddress base, std::byte value, std::uint64_t size_bytes);  // and lay out this value

  // Grows with each change, and each launch. Not with what the host writes into memory that it can reach.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  void changed_by_kernel() { ++changes_; }

  // The allocation that holds all bytes of [address, address + size_bytes), or null. Stable while it lives;
  // safe to call from many threads as long as no thread allocates.
  [[nodiscard]] const Allocation* find(DeviceAddress address, std::uint64_t size_bytes) const;
  // The same for bytes behind the end of a buffer, up to the next multiple of 512: a GPU reads them.
  [[nodiscard]] const Allocation* find_beyond(DeviceAddress address, std::uint64_t size_bytes) const;
  [[nodiscard]] std::vector<const Allocation*> allocations() const;  // by address
  [[nodiscard]] std::uint64_t allocated_bytes() const;
  // Where an access of size_bytes at `address` lies, as the end of a sentence: "4 bytes past the end of
  // `out`, a 4,096-byte buffer". Never fails.
  [[nodiscard]] Message describe(DeviceAddress address, std::uint64_t size_bytes) const {
    return nearby(address, size_bytes).words;
  }
  [[nodiscard]] Nearby nearby(DeviceAddress address, std::uint64_t size_bytes) const;

 private:
  struct Block;
  struct Released {
    std::uint64_t size_bytes = 0;
    std::string name;
  };
  [[nodiscard]] const Allocation& whole(DeviceAddress address, std::uint64_t size_bytes,
                                        const char* what) const;
  [[nodiscard]] bool has_room(std::uint64_t size_bytes) const;
  [[nodiscard]] Nearby nearby_unmapped(DeviceAddress address) const;
  void lay_out_pieces(const Allocation& a, std::uint64_t from, std::uint64_t size_bytes) const;

  FirstTouch zeroes_;
  std::map<DeviceAddress, std::unique_ptr<Block>> blocks_;
  std::map<DeviceAddress, Released> released_;   // the last few, for messages
  std::map<DeviceAddress, std::uint64_t> heap_;  // base and size
  std::vector<std::unique_ptr<Block>> heap_released_;
  std::uint64_t heap_used_bytes_ = 0, heap_limit_bytes_ = 8 << 20;  // as cudaLimitMallocHeapSize
  std::uint64_t changes_ = 0;
  struct WholeFill {
    DeviceAddress base = 0;
    std::byte value{};
    std::uint64_t changes = 0;
    bool operator==(const WholeFill&) const = default;
  };
  WholeFill last_fill_;
  std::uint32_t device_ = 0;
  bool several_ = false;
  std::array<std::uint32_t, kMostDevices> reach_{1, 2, 4, 8, 16, 32, 64, 128};  // of each GPU's memory
  DeviceAddress next_ = kGlobalBase, own_end_ = kVisibleBase;
  DeviceAddress other_next_ = kHighBase, other_end_ = kHighEnd;  // of the half that is not in use
  DeviceAddress next_visible_ = kVisibleBase;
};

// "4 096": how all that is printed for people writes a count. Coordinates, shapes and addresses stay plain.
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace lab::sim
