// launch: entry=k grid=2 block=64 args=out:i32[128],in:i32[1024],idx:i32[128]%8
extern "C" __global__ void k(int* out, const int* in, const int* idx) {
  int i = blockIdx.x * 64 + threadIdx.x, own[8];
  for (int j = 0; j < 8; ++j) own[j] = in[j * 128 + i];
  out[i] = own[idx[i]] + own[(idx[i] + 3) % 8];
}
