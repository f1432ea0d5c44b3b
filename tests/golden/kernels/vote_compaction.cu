// launch: entry=k grid=2 block=64 args=out:i32[128],in:i32[128]
extern "C" __global__ void k(int* out, const int* in) {
  int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32, v = in[i];
  unsigned keep = __ballot_sync(0xffffffffu, v % 3 == 0);
  if (v % 3 == 0) out[i - lane + __popc(keep & ((1u << lane) - 1))] = v;
}
