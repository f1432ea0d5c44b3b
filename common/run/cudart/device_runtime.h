// What NVIDIA's device runtime library has of grid-wide barriers, for kernels that call it instead of holding
// the code themselves (numba). The handle is where the runtime keeps the grid's counter, which counts at
// byte 4.
#pragma once

namespace lab::cudart {

constexpr const char* kGridBarrier[] = {"cudaCGGetIntrinsicHandle", "cudaCGSynchronize"};

// As cooperative_groups/details/sync.h has it: block 0 makes the highest bit turn when all have arrived.
constexpr const char* kDeviceRuntime = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %rd1, {%r2, %r1};
  st.param.b64 [handle], %rd1;
  ret;
}
.visible .func (.param .b32 code) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<2>;
  ld.param.b64 %rd1, [handle];
  barrier.sync 0;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %tid.z;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ALL;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  setp.eq.u32 %p2, %r1, 0;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %nctaid.y;
  mov.u32 %r6, %nctaid.z;
  mul.lo.u32 %r4, %r4, %r5;
  mul.lo.u32 %r4, %r4, %r6;
  sub.u32 %r7, 0x80000001, %r4;
  selp.u32 %r8, %r7, 1, %p2;
  atom.add.release.gpu.u32 %r9, [%rd1+4], %r8;
AGAIN:
  ld.acquire.gpu.u32 %r10, [%rd1+4];
  xor.b32 %r10, %r10, %r9;
  setp.ge.s32 %p3, %r10, 0;
  @%p3 bra AGAIN;
ALL:
  barrier.sync 0;
  mov.u32 %r11, 0;
  st.param.b32 [code], %r11;
  ret;
}
)";

}  // namespace lab::cudart
