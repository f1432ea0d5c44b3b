// Bytes as text: known pairs, drawn bytes there and back, texts that are no base64.
#include <doctest/doctest.h>

#include <span>
#include <string_view>
#include <vector>

#include "common/base/base64.h"
#include "tests/drawn/draws.h"

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("base64: the pairs of RFC 4648") {
  for (const auto& [plain, text] :
       {std::pair{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}}) {
    CHECK(lab::base::to_base64(bytes_of(plain)) == text);
    CHECK(lab::base::from_base64(text) == bytes_of(plain));
  }
}

TEST_CASE("base64: what is none") {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm 9", "Zm9v\n", "Z=m9"})
    CHECK_FALSE(lab::base::from_base64(text));
}

TEST_CASE("base64: there and back") {
  lab::drawn::Draws draw(lab::drawn::seed_of_run("base64"));
  for (std::size_t n = 0; n < lab::drawn::draws_of_run(200); ++n) {
    std::vector<std::byte> bytes(draw.below(70));
    for (std::byte& one : bytes) one = static_cast<std::byte>(draw.below(256));
    CHECK(lab::base::from_base64(lab::base::to_base64(bytes)) == bytes);
  }
}
