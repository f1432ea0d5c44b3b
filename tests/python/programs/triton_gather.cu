__global__ void gather(float* out, const float* table, const int* index) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = table[index[i]];
}
int main() {
  static int host[1024];
  for (int i = 0; i < 1024; ++i) host[i] = i * 33 % 1024;
  float *table, *out;
  int* index;
  cudaMalloc(&table, 4096), cudaMalloc(&out, 4096), cudaMalloc(&index, 4096);
  cudaMemset(table, 0, 4096), cudaMemcpy(index, host, 4096, cudaMemcpyHostToDevice);
  gather<<<8, 128>>>(out, table, index);
  return cudaDeviceSynchronize();
}
