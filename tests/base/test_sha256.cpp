// The fingerprint against the examples of FIPS 180-4.
#include <doctest/doctest.h>

#include "common/base/sha256.h"

using lab::base::Sha256;
using lab::base::sha256;

TEST_CASE("SHA-256 of the standard's examples") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the bytes arrive") {
  const std::string bytes(300, 'x');
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Sha256 hash;
    hash.update(std::string_view(bytes).substr(0, cut));
    hash.update(std::string_view(bytes).substr(cut));
    REQUIRE(hash.hex() == sha256(bytes));
  }
}

TEST_CASE("fields that share their bytes differ") {
  Sha256 one, two;
  one.update_field("ab"), one.update_field("c");
  two.update_field("a"), two.update_field("bc");
  CHECK(one.hex() != two.hex());
}
