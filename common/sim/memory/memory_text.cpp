// Sentences on places in global memory: what lies at an address, or near it.
//
// Enters: an address. Leaves: the end of a sentence.
#include <algorithm>
#include <stdexcept>

#include "common/sim/memory/block.h"

namespace lab::sim {
namespace {

constexpr DeviceAddress kNullPage = 4096;
constexpr DeviceAddress kHostLike = 0x0000'5000'0000'0000ull;  // where Linux puts programs, heaps and stacks

Message bytes_of(std::uint64_t count) {
  if (count == 1) return /* message */ "1 byte";
  return msg("{} bytes", big(count));
}

Message called(const std::string& name, std::uint64_t size_bytes) {
  const Big size = big(size_bytes);
  std::uint64_t spoken = size_bytes;
  while (spoken >= 1000) spoken /= 1000;
  const std::uint64_t first = spoken >= 100 ? spoken / 100 : spoken >= 10 ? spoken / 10 : spoken;
  if (first == 8 || spoken == 11 || spoken == 18)  // eight, eleven, eighteen: an
    return name.empty() ? msg("an {}-byte buffer", size) : msg("`{}`, an {}-byte buffer", name, size);
  return name.empty() ? msg("a {}-byte buffer", size) : msg("`{}`, a {}-byte buffer", name, size);
}

}  // namespace

const Allocation& Memory::whole(DeviceAddress address, std::uint64_t size_bytes, const char* what) const {
  const Allocation* a = find(address, size_bytes);
  if (a == nullptr) {
    throw text::Said<std::out_of_range>(
        msg("{} of {}: the range is {}", what, bytes_of(size_bytes), describe(address, size_bytes)));
  }
  lay_out(*a, address, size_bytes);
  return *a;
}

Message Memory::no_access(const Allocation& a) const {
  const std::string own = std::to_string(device_), other = std::to_string(a.device);
  return msg(
      "in the memory of GPU {}, which kernels of GPU {} may not use. Call cudaDeviceEnablePeerAccess({}, 0) "
      "behind cudaSetDevice({}) first (for memory of a pool cudaMemPoolSetAccess), or launch the kernel on "
      "the GPU whose memory it is.",
      other, own, other, own);
}

Nearby Memory::nearby(DeviceAddress address, std::uint64_t size_bytes) const {
  using Where = Nearby::Where;
  if (const Allocation* a = find(address, size_bytes)) {
    return {Where::Inside, a->name,
            msg("byte {} of {}", big(address - a->base), called(a->name, a->size_bytes))};
  }
  const auto above = blocks_.upper_bound(address);
  if (above != blocks_.begin()) {
    const Allocation& a = std::prev(above)->second->allocation;
    const std::uint64_t offset = address - a.base;
    const Message buffer = called(a.name, a.size_bytes);
    if (offset < a.size_bytes)
      return {Where::Edge, a.name,
              msg("{} too long for {}", bytes_of(size_bytes - (a.size_bytes - offset)), buffer),
              a.size_bytes};
    const std::uint64_t past = offset - a.size_bytes;
    if (past == 0) return {Where::Edge, a.name, msg("right behind the end of {}", buffer), a.size_bytes};
    const bool next_is_nearer = above != blocks_.end() && above->first - address < past;
    if (past < kGuardBytes && !next_is_nearer)
      return {Where::Edge, a.name, msg("{} past the end of {}", bytes_of(past), buffer), a.size_bytes};
  }
  if (above != blocks_.end() && above->first - address <= kGuardBytes) {
    const Allocation& a = above->second->allocation;
    return {Where::Edge, a.name,
            msg("{} before the start of {}", bytes_of(a.base - address), called(a.name, a.size_bytes)),
            a.size_bytes};
  }
  return nearby_unmapped(address);
}

Nearby Memory::nearby_unmapped(DeviceAddress address) const {
  const auto elsewhere = [](Message words) { return Nearby{Nearby::Where::Elsewhere, {}, std::move(words)}; };
  if (address == 0) return elsewhere("a null pointer");
  if (address < kNullPage) return elsewhere(msg("{} past a null pointer", bytes_of(address)));
  if (address - kSharedWindow < kWindowBytes) {
    return elsewhere(msg("a shared-memory address, {} from its start", bytes_of(address - kSharedWindow)));
  }
  if (in_local_window(address)) {
    return elsewhere(msg("a local-memory address, {} from its start",
                         bytes_of((address - kLocalWindow) % kLocalThreadBytes)));
  }
  if (auto it = released_.upper_bound(address); it != released_.begin()) {
    --it;
    const std::uint64_t offset = address - it->first;
    if (offset < std::max<std::uint64_t>(it->second.size_bytes, 1)) {
      return {
          Nearby::Where::Freed, it->second.name,
          msg("in freed memory: byte {} of {}", big(offset), called(it->second.name, it->second.size_bytes))};
    }
  }
  // Where memory of the host is the GPU's own, as a program that embeds the simulator has it, that says nothing.
  const bool ours = std::any_of(blocks_.lower_bound(kHostLike), blocks_.end(),
                                [](const auto& one) { return one.second->allocation.device != kNoDevice; });
  if (!ours && address >= kHostLike && address < (1ull << 47))
    return elsewhere("in no buffer; it looks like a host address");
  if (blocks_.empty()) return elsewhere("in no buffer; none is allocated");
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
  if (distance > kFar) return elsewhere("in no buffer, and far from all of them");
  const Message where =
      past_it ? msg("{} past its end", bytes_of(distance)) : msg("{} before its start", bytes_of(distance));
  return elsewhere(
      msg("in no buffer; the nearest is {}, and {}", called(nearest->name, nearest->size_bytes), where));
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

}  // namespace lab::sim
