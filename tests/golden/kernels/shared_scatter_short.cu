// launch: entry=k grid=4 block=128 args=out:i16[512],in:i16[512]
extern "C" __global__ void k(short* out, const short* in) {
  __shared__ short tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  tile[(threadIdx.x * 37 + 11) % 128] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x];
}
