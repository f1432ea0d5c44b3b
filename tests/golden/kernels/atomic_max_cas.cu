// launch: entry=k grid=2 block=64 args=out:i32[16],in:i32[128]
extern "C" __global__ void k(int* out, const int* in) {
  int i = blockIdx.x * 64 + threadIdx.x;
  atomicMax(&out[i % 16], in[i] & 0xffff);
}
