// Which parts of its words a video instruction reads and writes: `vadd.u32.u32.u32 %r0.h1, %r1.b3, %r2, %r3`.
//
// Enters: what the text says behind its registers (decode_video.cpp). Leaves: Inst::immediate, for the handler of
// forms_video.cpp. Where all are 0 it says nothing: whole words, or all parts in their order.
#pragma once

#include <cstdint>

namespace lab::sim {

struct VideoParts {
  // The number of one word's part, and its bits. Where there are several parts: for each, four bits that say how its
  // number in the pair of both sources differs from the usual one.
  std::uint16_t a = 0, b = 0;
  std::uint8_t d : 4 = 0;  // of one word: the number of the part; of several: the parts that `c` gives
  bool minus_product : 1 = false, minus_c : 1 = false;
  std::uint8_t a_bits = 0, b_bits = 0, d_bits = 0;
};

}  // namespace lab::sim
