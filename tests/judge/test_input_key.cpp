// Inputs come from a key and from what a kernel is, not from how its source looks.
#include <doctest/doctest.h>

#include <set>

#include "common/base/sha256.h"
#include "common/course/judge/input_key.h"
#include "common/course/judge/pattern.h"

using namespace lab;
using namespace lab::judge;

TEST_CASE("HMAC-SHA256 as RFC 4231 has it") {
  CHECK(base::hmac_sha256("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(
      base::hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("SipHash-2-4 of one word, as its authors have it") {
  // The key 00 01 … 0f is what an InputKey of no kernel holds; the message is 00 01 … 07.
  CHECK(InputKey().draw({0x0706050403020100}) == 0x93f5f5799a932462u);
}

TEST_CASE("comments, places and debug sections are no part of a kernel; all else is") {
  const std::string kernel = ".version 8.0\n.entry f()\n{\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
  const std::string dressed =
      "// by a compiler\n.version 8.0\n.file 1 \"a // b.cu\"\n.entry f()\n{ // here\n\t.loc 1 7 3\n"
      "  .loc 2 9 1, function_name $L__info_string0, inlined_at 1 7 3\n\tst.global.u32 /* x */ [%rd1], %r1;\n"
      "\n\tret;\n}\n.section .debug_str\n{\n$L__info_string0:\n.b8 95\n}\n.section .debug_loc { }\n";
  CHECK(without_debug_rows(dressed) == without_debug_rows(kernel));
  CHECK(without_debug_rows(dressed).find("95") == std::string::npos);
  CHECK(without_debug_rows(dressed).find("loc") == std::string::npos);
  const auto words = [](const std::string& ptx) { return InputKey("k", ptx).draw({1}); };
  CHECK(words(".entry f()\n.loc 1 7 3\nret;") == words(".entry f()\n   ret; // no more"));
  CHECK(words(kernel) != words(kernel + ".const .b8 x = 1;"));
  // An instruction cannot hide behind a place.
  CHECK(words("ret;\n.loc 1 7 3 trap;") != words("ret;"));
  CHECK(words("ret;\n.file 1 \"a\" trap;") != words("ret;"));
  CHECK(words("ret;\n.section .debug_x { } .const .u32 hidden = 42;") != words("ret;"));
  CHECK(words("ret;\n.section .debug_x {\n.b8 1 } .const .u32 hidden = 42;") != words("ret;"));
  CHECK(words("ret;\n.section .debug_x { .b8 1 /* } */ }") == words("ret;"));
  CHECK(words(".pragma \"// a\";") != words(".pragma \"// b\";"));
}

TEST_CASE("another key, kernel or shape: other words; the same three: the same") {
  std::set<std::uint32_t> seen;
  for (const char* key : {"practice", "class of 2027"}) {
    for (const char* kernel : {"ret;", "trap;"}) {
      for (const Problem& p : {Problem{8, 8}, Problem{8, 9}, Problem{9, 8}}) {
        const std::uint32_t word = words_for(p, InputKey(key, kernel)).word(3);
        CHECK(word == words_for(p, InputKey(key, kernel)).word(3));
        seen.insert(word);
      }
    }
  }
  CHECK(seen.size() == 12);
}
