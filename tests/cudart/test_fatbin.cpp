// Fat binaries: what is in them, and that nothing a file can hold breaks the reader.
#include <doctest/doctest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <random>

#include "common/run/cudart/fatbin.h"

using namespace lab::cudart;

namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& bytes, const void* from, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) bytes.push_back(static_cast<const std::byte*>(from)[k]);
}

template <class T>
void put(Bytes& bytes, T value) {
  append(bytes, &value, sizeof value);
}

enum class Packing { None, Zstd, Lz4 };

Bytes pack(const std::string& text, Packing packing) {
  Bytes out(text.size() * 2 + 1024);
  std::size_t size = text.size();
  if (packing == Packing::None) std::memcpy(out.data(), text.data(), text.size());
  if (packing == Packing::Zstd) size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  if (packing == Packing::Lz4) {
    size = static_cast<std::size_t>(LZ4_compress_default(text.data(), reinterpret_cast<char*>(out.data()),
                                                         static_cast<int>(text.size()),
                                                         static_cast<int>(out.size())));
  }
  out.resize(size);
  return out;
}

Bytes entry(std::uint16_t kind, std::uint32_t architecture, const std::string& text, Packing packing,
            std::uint64_t more_flags = 0) {
  Bytes payload = pack(text, packing);
  const auto packed = static_cast<std::uint32_t>(payload.size());
  payload.resize((payload.size() + 7) / 8 * 8);
  Bytes bytes;
  put<std::uint16_t>(bytes, kind);
  put<std::uint16_t>(bytes, 0x101);
  put<std::uint32_t>(bytes, 64);
  put<std::uint64_t>(bytes, payload.size());
  put<std::uint32_t>(bytes, packing == Packing::None ? 0 : packed);
  put<std::uint32_t>(bytes, 0);
  put<std::uint32_t>(bytes, 0x00090000);
  put<std::uint32_t>(bytes, architecture);
  put<std::uint64_t>(bytes, 0);
  put<std::uint64_t>(bytes, (packing == Packing::Zstd  ? 0x8000
                             : packing == Packing::Lz4 ? 0x2000
                                                       : 0) |
                                more_flags);
  put<std::uint64_t>(bytes, 0);
  put<std::uint64_t>(bytes, packing == Packing::None ? 0 : text.size());
  append(bytes, payload.data(), payload.size());
  return bytes;
}

Bytes container(const std::vector<Bytes>& entries) {
  Bytes body;
  for (const Bytes& e : entries) append(body, e.data(), e.size());
  Bytes bytes;
  put<std::uint32_t>(bytes, 0xBA55ED50);
  put<std::uint16_t>(bytes, 1);
  put<std::uint16_t>(bytes, 16);
  put<std::uint64_t>(bytes, body.size());
  append(bytes, body.data(), body.size());
  return bytes;
}

const std::string kText =
    ".version 9.0\n.target sm_90\n.address_size 64\n" + std::string(2000, ' ') + "// end\n";

}  // namespace

TEST_CASE("every packing gives the text back") {
  for (const Packing packing : {Packing::None, Packing::Zstd, Packing::Lz4}) {
    const auto images = read_container(container({entry(1, 90, kText, packing)}));
    REQUIRE(images.size() == 1);
    CHECK(images[0].kind == ImageKind::Ptx);
    CHECK(images[0].architecture == 90);
    CHECK(!images[0].debug);
    CHECK(images[0].ptx == kText);
  }
}

TEST_CASE("several images, in their order") {
  const auto images =
      read_container(container({entry(2, 80, "ELF", Packing::None), entry(1, 75, kText, Packing::Zstd, 0x2),
                                entry(7, 1, "?", Packing::None)}));
  REQUIRE(images.size() == 3);
  CHECK(images[0].kind == ImageKind::MachineCode);
  CHECK(images[0].architecture == 80);
  CHECK(images[1].kind == ImageKind::Ptx);
  CHECK(images[1].debug);
  CHECK(images[2].kind == ImageKind::Other);
}

TEST_CASE("broken containers are named, never read past") {
  CHECK_THROWS_AS(static_cast<void>(read_container({})), BadFatBinary);
  Bytes good = container({entry(1, 90, kText, Packing::Zstd)});
  Bytes wrong_magic = good;
  wrong_magic[0] = std::byte{0};
  CHECK_THROWS_AS(static_cast<void>(read_container(wrong_magic)), BadFatBinary);
  Bytes short_one(good.begin(), good.end() - 1);
  CHECK_THROWS_AS(static_cast<void>(read_container(short_one)), BadFatBinary);
  Bytes too_long_payload = good;
  too_long_payload[16 + 8 + 7] = std::byte{0x7f};
  CHECK_THROWS_AS(static_cast<void>(read_container(too_long_payload)), BadFatBinary);
  Bytes wrong_size = good;
  wrong_size[16 + 56] ^= std::byte{1};
  CHECK_THROWS_AS(static_cast<void>(read_container(wrong_size)), BadFatBinary);
  CHECK(read_container(container({})).empty());
}

TEST_CASE("any change of any byte is read or refused") {
  std::mt19937 random(1);
  const Bytes good = container({entry(1, 90, kText, Packing::Zstd), entry(1, 80, kText, Packing::Lz4),
                                entry(1, 75, kText.substr(0, 50), Packing::None)});
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = good;
    for (unsigned change = random() % 4 + 1; change != 0; --change) {
      // Headers are where it matters: half of the changes go there.
      const std::size_t at = random() % (random() % 2 == 0 ? 80 : bytes.size());
      bytes[at] = static_cast<std::byte>(random());
    }
    bytes.resize(random() % 8 == 0 ? random() % bytes.size() : bytes.size());
    try {
      for (const Image& image : read_container(bytes)) CHECK(image.ptx.size() <= (1u << 30));
    } catch (const BadFatBinary&) {
    }
  }
}
