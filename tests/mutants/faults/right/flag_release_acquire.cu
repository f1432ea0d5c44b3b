// st.release and ld.acquire.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[100] = 42;
    store_release(out, 1);
  } else {
    while (load_acquire(out) == 0) {}
    out[200] = out[100];
  }
}
