// The accesses to global memory: a row is one float4 a thread.
__global__ void softmax(float4* out, const float4* a) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = a[i];
}
int main() {
  float4 *a, *out;
  cudaMalloc(&a, 16 * 512 * 4), cudaMalloc(&out, 16 * 512 * 4);
  cudaMemset(a, 0, 16 * 512 * 4);
  softmax<<<16, 128>>>(out, a);
  return cudaDeviceSynchronize();
}
