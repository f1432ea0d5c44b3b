// From the fat binary that the compiler embedded to the images in it. See fatbin.h.
//
// Layout, as seen in the output of nvcc 12 and 13: a header of 16 bytes (magic, version, header size, size of
// what follows), then entries, each a header of 64 bytes or more and its payload.
#include "common/run/cudart/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace lab::cudart {
namespace {

constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::size_t kContainerHeaderBytes = 16;
constexpr std::uint64_t kLargestPtxBytes = 256ull << 20;  // what the parser reads
constexpr std::uint64_t kFlagDebug = 0x2, kFlagLz4 = 0x2000, kFlagZstd = 0x8000;

struct EntryHeader {
  std::uint16_t kind;  // 1: PTX, 2: ELF
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t compressed_bytes;  // of the payload, the rest is padding; 0 when it is not compressed
  std::uint32_t options_offset;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_offset, name_bytes;
  std::uint64_t flags;
  std::uint64_t unused;
  std::uint64_t inflated_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

template <class T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::string inflate(const EntryHeader& entry, std::span<const std::byte> payload) {
  const bool zstd = (entry.flags & kFlagZstd) != 0, lz4 = (entry.flags & kFlagLz4) != 0;
  if (!zstd && !lz4) return {reinterpret_cast<const char*>(payload.data()), payload.size()};
  if (entry.compressed_bytes > payload.size() || entry.inflated_bytes > kLargestPtxBytes) {
    throw BadFatBinary("a compressed image of the fat binary claims a size that it cannot have.");
  }
  const std::size_t packed = entry.compressed_bytes;
  std::string text(entry.inflated_bytes, '\0');
  if (zstd) {
    const std::size_t made = ZSTD_decompress(text.data(), text.size(), payload.data(), packed);
    if (ZSTD_isError(made) != 0 || made != text.size()) {
      throw BadFatBinary("an image of the fat binary does not inflate (zstd).");
    }
  } else {
    const int made = packed > INT32_MAX || text.size() > INT32_MAX
                         ? -1
                         : LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()), text.data(),
                                               static_cast<int>(packed), static_cast<int>(text.size()));
    if (made < 0 || static_cast<std::size_t>(made) != text.size()) {
      throw BadFatBinary("an image of the fat binary does not inflate (LZ4).");
    }
  }
  return text;
}

Image read_entry(const EntryHeader& entry, std::span<const std::byte> payload) {
  Image image;
  image.kind = entry.kind == 1 ? ImageKind::Ptx : entry.kind == 2 ? ImageKind::MachineCode : ImageKind::Other;
  image.architecture = static_cast<int>(std::min<std::uint32_t>(entry.architecture, 9999));
  image.debug = (entry.flags & kFlagDebug) != 0;
  if (image.kind != ImageKind::Ptx) return image;
  image.ptx = inflate(entry, payload);
  image.ptx.erase(std::min(image.ptx.find('\0'), image.ptx.size()));
  return image;
}

}  // namespace

std::size_t container_bytes(const void* container) {
  const auto* at = static_cast<const std::byte*>(container);
  const auto header_bytes = read_as<std::uint16_t>(at + 6);
  if (read_as<std::uint32_t>(at) != kContainerMagic || header_bytes < kContainerHeaderBytes) {
    throw BadFatBinary("the program's kernels are in no form that nvcc 12 or 13 writes.");
  }
  const auto size = read_as<std::uint64_t>(at + 8);
  if (size > (1ull << 40)) throw BadFatBinary("the fat binary claims a size that it cannot have.");
  return header_bytes + size;
}

std::vector<Image> read_container(std::span<const std::byte> bytes) {
  if (bytes.size() < kContainerHeaderBytes) throw BadFatBinary("the fat binary ends inside its header.");
  const std::size_t claimed = container_bytes(bytes.data());
  if (claimed > bytes.size()) throw BadFatBinary("the fat binary is cut off.");
  std::vector<Image> images;
  std::span<const std::byte> rest = bytes.first(claimed).subspan(read_as<std::uint16_t>(bytes.data() + 6));
  while (rest.size() >= sizeof(EntryHeader)) {
    const auto entry = read_as<EntryHeader>(rest.data());
    if (entry.header_bytes < sizeof(EntryHeader) || entry.header_bytes > rest.size() ||
        entry.payload_bytes > rest.size() - entry.header_bytes) {
      throw BadFatBinary("an image of the fat binary claims more bytes than there are.");
    }
    images.push_back(read_entry(entry, rest.subspan(entry.header_bytes, entry.payload_bytes)));
    rest = rest.subspan(entry.header_bytes + entry.payload_bytes);
  }
  return images;
}

}  // namespace lab::cudart
