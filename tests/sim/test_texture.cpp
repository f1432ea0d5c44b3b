// What a texture unit gives, against 8,200 reads of an NVIDIA H200 (tests/golden/units.txt.gz, made by
// tools/golden/units.cu): every address mode and filter that stands there, bit for bit.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "common/sim/memory/texture.h"

using namespace lab::sim;

namespace {

// One row "texels NAME bytes…", and all rows "tex NAME x y z r g b a".
struct Case {
  std::vector<std::byte> texels;
  struct Read {
    std::array<float, 3> at{};
    std::array<float, 4> value{};
  };
  std::vector<Read> reads;
};

std::map<std::string, Case> golden_cases() {
  const std::string command = "gzip -dc '" LAB_GOLDEN_DIR "/units.txt.gz'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::map<std::string, Case> cases;
  std::string line;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    std::istringstream words(line);
    line.clear();
    std::string what, name, word;
    words >> what >> name;
    if (what == "texels") {
      while (words >> word)
        cases[name].texels.push_back(static_cast<std::byte>(std::stoi(word, nullptr, 16)));
    } else if (what == "tex") {
      Case::Read read;
      for (float& x : read.at) words >> word, x = std::strtof(word.c_str(), nullptr);
      for (float& x : read.value) words >> word, x = std::strtof(word.c_str(), nullptr);
      cases[name].reads.push_back(read);
    }
  }
  return cases;
}

bool has(const std::string& name, const char* word) { return name.find(word) != std::string::npos; }

// As tools/golden/units.cu makes them: 8 texels a row, 4 rows, 4 planes.
Texture texture_of(const std::string& name, int dimensions) {
  Texture t;
  Image& image = t.image;
  const bool integers = name.starts_with("u");
  image.width = 8;
  image.height = dimensions > 1 ? 4 : 1;
  image.depth = dimensions > 2 ? 4 : 1;
  if (integers) image.kind = TexelKind::Unsigned;
  if (integers) image.channel_bits = name.starts_with("ushort") ? 16 : 8;
  if (has(name, "4.")) image.channels = 4;
  image.pitch_bytes = std::uint64_t{image.width} * image.texel_bytes();
  image.plane_bytes = image.pitch_bytes * image.height;
  t.linear = has(name, "linear");
  t.to_float = integers;
  const AddressMode mode = has(name, "wrap")     ? AddressMode::Wrap
                           : has(name, "mirror") ? AddressMode::Mirror
                           : has(name, "border") ? AddressMode::Border
                                                 : AddressMode::Clamp;
  t.mode = {mode, mode, mode};
  t.normalised = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return t;
}

}  // namespace

TEST_CASE("texture reads give the bits of an H200") {
  const auto cases = golden_cases();
  CHECK(cases.size() == 16);
  std::size_t reads = 0, wrong = 0;
  for (const auto& [name, one] : cases) {
    const int dimensions = name.starts_with("1d") || name == "uchar.linear" ? 1
                           : name.starts_with("3d")                         ? 3
                                                                            : 2;
    const Texture t = texture_of(name, dimensions);
    REQUIRE(one.texels.size() == t.image.extent_bytes());
    for (const Case::Read& read : one.reads) {
      std::array<float, 3> at = read.at;
      for (int k = dimensions; k < 3; ++k) at[static_cast<std::size_t>(k)] = 0;  // not part of the read
      const auto value = value_of(t, sample_at(t, at, dimensions, 0), one.texels.data());
      ++reads;
      for (std::size_t k = 0; k < t.image.channels; ++k) {
        if (value.at(k) == std::bit_cast<std::uint32_t>(read.value.at(k))) continue;
        ++wrong;
        INFO(name, " at ", at[0], " ", at[1], " ", at[2], ": ", std::bit_cast<float>(value.at(k)), ", a GPU ",
             read.value.at(k));
        CHECK(wrong == 0);
      }
    }
  }
  CHECK(reads == 8200);
}

TEST_CASE("nobody but make_texture makes an object") {
  Memory memory;
  Texture t;
  t.image.base = memory.allocate(64, Fill::Written, "texels");
  const DeviceAddress object = make_texture(memory, t);
  REQUIRE(texture_at(memory, object) != nullptr);
  CHECK(texture_at(memory, object)->image.base == t.image.base);
  CHECK(texture_at(memory, object + 8) == nullptr);
  CHECK(texture_at(memory, t.image.base) == nullptr);
  // The same bytes elsewhere are no object.
  const DeviceAddress forged = memory.allocate(sizeof t, Fill::Written, "forged");
  memory.write(forged, std::as_bytes(std::span(&t, 1)));
  CHECK(texture_at(memory, forged) == nullptr);
  memory.release(object);
  CHECK(texture_at(memory, object) == nullptr);
}
