// launch: entry=k grid=4 block=128 args=out:i32[64],in:i32[512]%64
extern "C" __global__ void k(int* out, const int* in) {
  atomicAdd(&out[in[blockIdx.x * 128 + threadIdx.x]], 1);
}
