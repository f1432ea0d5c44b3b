// launch: entry=k grid=4 block=128 args=out:u8[512],in:u8[512],i32:500
extern "C" __global__ void k(unsigned char* out, const unsigned char* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] ^ 0x5a;
}
