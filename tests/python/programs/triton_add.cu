__global__ void add(float4* out, const float4* x, const float4* y) {
  for (int k = 0; k < 2; ++k) {
    int i = blockIdx.x * 256 + k * 128 + threadIdx.x;
    float4 a = x[i], b = y[i];
    out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }
}
int main() {
  float4 *x, *y, *out;
  cudaMalloc(&x, 4096 * 4), cudaMalloc(&y, 4096 * 4), cudaMalloc(&out, 4096 * 4);
  cudaMemset(x, 0, 4096 * 4), cudaMemset(y, 0, 4096 * 4);
  add<<<4, 128>>>(out, x, y);
  return cudaDeviceSynchronize();
}
