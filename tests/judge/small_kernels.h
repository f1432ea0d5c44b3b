// Small kernels as PTX text, so that tests of the judge need no kernel compiler.
//
// Enters: how the output index is made. Leaves: a module with launch shape and predictions.
#pragma once

#include <array>
#include <bit>
#include <string>

#include "common/kernel/launch_shape.h"

namespace lab::test {

inline LaunchShape shape_of(BlockShape block) {
  LaunchShape shape;
  shape.block = block;
  shape.tile = {8, 32};
  return shape;
}

// The bytes as PTX lists them: "2,0,0,0,32,…".
inline std::string listed(const LaunchShape& shape) {
  std::string text;
  for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof(LaunchShape)>>(shape))
    text += (text.empty() ? "" : ",") + std::to_string(byte);
  return text;
}

// `out_index` computes %r10, the element of `out` to write, from %r5 row, %r6 col, %r3 rows, %r4 cols.
inline std::string module_with(const std::string& out_index, int predicted_store_sectors = 0,
                               const LaunchShape& shape = shape_of({32, 8})) {
  const auto little_endian = [](int n) {
    return std::to_string(n & 255) + "," + std::to_string(n >> 8 & 255) + "," +
           std::to_string(n >> 16 & 255) + ",0";
  };
  return R"(.version 8.0
.target sm_90
.address_size 64
.file 1 "kernel.cu"
.const .align 4 .b8 lab_launch_shape[)" +
         std::to_string(sizeof(LaunchShape)) + "] = {" + listed(shape) + R"(};
.const .align 4 .b8 lab_predictions[)" +
         std::to_string(sizeof(Predictions)) + R"(] = {1,0,0,0,0,0,0,0,)" +
         little_endian(predicted_store_sectors) +
         R"(};
.visible .entry transpose(.param .u64 out, .param .u64 in, .param .u32 rows, .param .u32 cols)
{
.reg .pred %p<4>;
.reg .b32 %r<20>;
.reg .b64 %rd<10>;
ld.param.u64 %rd1, [out];
ld.param.u64 %rd2, [in];
ld.param.u32 %r3, [rows];
ld.param.u32 %r4, [cols];
mov.u32 %r1, %ctaid.y;
mov.u32 %r2, %tid.y;
mad.lo.s32 %r5, %r1, 8, %r2;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.s32 %r6, %r1, 32, %r2;
setp.ge.s32 %p1, %r5, %r3;
setp.ge.s32 %p2, %r6, %r4;
or.pred %p3, %p1, %p2;
@%p3 bra DONE;
.loc 1 7 3
mad.lo.s32 %r7, %r5, %r4, %r6;
mul.wide.s32 %rd3, %r7, 4;
add.s64 %rd4, %rd2, %rd3;
ld.global.u32 %r8, [%rd4];
.loc 1 9 3
)" + out_index +
         R"(
mul.wide.s32 %rd5, %r10, 4;
add.s64 %rd6, %rd1, %rd5;
st.global.u32 [%rd6], %r8;
DONE:
ret;
}
)";
}

inline const std::string kRight = "mad.lo.s32 %r10, %r6, %r3, %r5;";
inline const std::string kCopies = "mov.u32 %r10, %r7;";
inline const std::string kBeyond = "mad.lo.s32 %r10, %r6, %r3, %r5; add.s32 %r10, %r10, 1;";
inline const std::string kEndless = "FOREVER: mad.lo.s32 %r10, %r6, %r3, %r5; bra.uni FOREVER;";

}  // namespace lab::test
