"""A PTX kernel on numpy arrays, with one launch that goes too far."""
import numpy as np

import transpose_lab as lab

TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .f32 %f<3>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r1, %r4;
  @%p ret;
  ld.param.u64 %rd1, [y];
  ld.param.u64 %rd2, [x];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd2];
  ld.param.f32 %f2, [a];
  mul.f32 %f1, %f1, %f2;
  st.global.f32 [%rd1], %f1;
  ret;
}
"""

x = np.arange(100, dtype=np.float32)
y = np.zeros_like(x)
ran = lab.run_ptx(TEXT, 4, 32, {"y": y, "x": x, "a": 2.0, "n": 100})
print(ran.counters["global_load"]["requests"], "requests,", y[99])
print(lab.run_ptx(TEXT, 4, 32, {"y": y, "x": x, "a": 2.0, "n": 101}).findings[0])  # an element too many
