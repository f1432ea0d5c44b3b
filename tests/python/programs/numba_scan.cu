__global__ void scan(int* out, const int* a) {
  __shared__ int part[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = a[i];
  for (int step = 1; step < 128; step *= 2) {
    __syncthreads();
    int other = 0;
    if (t >= step) other = part[t - step];
    __syncthreads();
    part[t] += other;
  }
  out[i] = part[t];
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 512 * 4), cudaMalloc(&out, 512 * 4);
  cudaMemset(in, 0, 512 * 4);
  scan<<<4, 128>>>(out, in);
  return cudaDeviceSynchronize();
}
