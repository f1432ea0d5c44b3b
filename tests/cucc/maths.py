"""Functions of CUDA's library: a kernel that adds up the bits of many results.

Enters: how many values each thread takes of each kind. Leaves: the texts, by function. Kinds: any bits, near and far, denormal, around 1, special.
"""
ONE = ["expf", "exp", "exp2f", "exp10f", "rsqrtf", "roundf", "__tanf"]
TWO = ["__powf", "fdimf", "copysignf"]

TEXT = """
__device__ float special(unsigned k) {
  const float all[8] = {0.0f, -0.0f, 1.0f, -1.0f, __uint_as_float(0x7f800000), __uint_as_float(0xff800000), __uint_as_float(0x7fc00001), -3.0f};
  return all[k];
}
extern "C" __global__ void test(unsigned* out, const unsigned* in, int n) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = id * 2654435761u + in[0];
  const auto next = [&] { state = state * 1664525u + 1013904223u; return state ^ state >> 13; };
  for (int kind = 0; kind < 8; ++kind) {
    unsigned sum = 0;
    for (int i = 0; i < VALUES; ++i) {
      const unsigned a = next(), b = next();
      float x = __uint_as_float(a), y = __uint_as_float(b);
      if (kind == 1) x = (float)(int)a * 0x1p-28f, y = (float)(int)b * 0x1p-28f;
      if (kind == 2) x = (float)(int)a * 0x1p-22f, y = (float)(int)(b >> 28);
      if (kind == 3) x = (float)a * 0x1p-31f, y = (float)(int)b * 0x1p-26f;
      if (kind == 4) x = (float)(int)a * 0x1p-10f, y = (float)(int)b * 0x1p-31f;
      if (kind == 5) x = __uint_as_float(a & 0x807fffff), y = (float)(int)(b & 15) - 7.0f;
      if (kind == 6) x = 1.0f + (float)(int)a * 0x1p-45f, y = (float)(int)b * 0x1p-18f;
      if (kind == 7) x = special(a >> 29), y = special(b >> 29);
      sum = sum * 31 + __float_as_uint(CALL);
    }
    out[id * 8 + kind] = sum;
  }
}
"""


def texts(values):
    calls = {name: f"{name}(x)" for name in ONE} | {name: f"{name}(x, y)" for name in TWO}
    return {f"maths_{name}": TEXT.replace("VALUES", str(values)).replace("CALL", call) for name, call in calls.items()}
