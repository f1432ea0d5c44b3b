// exit: 1
// golden: none
// A texture object that was destroyed before the kernel reads through it.
#include <cstdio>

__global__ void read(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);  // FAULT out-of-bounds
}

int main() {
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 128);
  cudaMemset(in, 0, 128);
  cudaMalloc(&out, 128);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 128;
  cudaTextureDesc how = {};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &resource, &how, nullptr);
  cudaDestroyTextureObject(t);
  read<<<1, 32>>>(t, out);
  std::printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "done" : "a fault");
  return 1;
}
