// memset and memcpy in the place of Emscripten's, whose loops go word by word and leave what is long to JavaScript: vectors for
// rows and pages, the engine's own instructions for what is longer. Linked into the lab for browsers alone (wasm.py).
#include <wasm_simd128.h>

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kLong = 512;  // from here on a call into the engine pays

}  // namespace

extern "C" {

__attribute__((no_builtin)) void* memset(void* to, int value, std::size_t bytes) {
  auto* at = static_cast<std::uint8_t*>(to);
  if (bytes >= kLong) return __builtin_memset(to, value, bytes);
  const v128_t all = wasm_i8x16_splat(static_cast<std::int8_t>(value));
  for (; bytes >= sizeof all; bytes -= sizeof all, at += sizeof all) wasm_v128_store(at, all);
  for (; bytes != 0; --bytes) *at++ = static_cast<std::uint8_t>(value);
  return to;
}

__attribute__((no_builtin)) void* memcpy(void* to, const void* from, std::size_t bytes) {
  auto* at = static_cast<std::uint8_t*>(to);
  const auto* source = static_cast<const std::uint8_t*>(from);
  if (bytes >= kLong) return __builtin_memcpy(to, from, bytes);
  for (; bytes >= sizeof(v128_t); bytes -= sizeof(v128_t), at += sizeof(v128_t), source += sizeof(v128_t))
    wasm_v128_store(at, wasm_v128_load(source));
  for (; bytes != 0; --bytes) *at++ = *source++;
  return to;
}
}
