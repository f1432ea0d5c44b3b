// Rows on aligned starts: cudaMallocPitch, 2D copies both ways, a kernel that steps by the pitch, cudaMemset2D on a window.
#include <iostream>
#include <iomanip>
#include <vector>

#define CUDA_CHECK_RETURN(value) CheckCudaErrorAux(__FILE__, __LINE__, #value, value)
static void CheckCudaErrorAux(const char *file, unsigned line, const char *statement, cudaError_t err) {
  if (err == cudaSuccess) return;
  std::cerr << statement << " returned " << cudaGetErrorString(err) << "(" << err << ") at " << file << ":" << line << std::endl;
  exit(1);
}

__global__ void addBorders(float *devPtr, size_t pitch, int width, int height) {
  for (int r = blockIdx.x; r < height; r += gridDim.x) {
    float *row = (float *)((char *)devPtr + r * pitch);
    for (int c = threadIdx.x; c < width; c += blockDim.x) row[c] = row[c] * 2 + (r == 0 || c == 0 || r == height - 1 || c == width - 1);
  }
}

__global__ void transposePitched(float *out, size_t outPitch, const float *in, size_t inPitch, int width, int height) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = ((const float *)((const char *)in + y * inPitch))[x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) ((float *)((char *)out + y * outPitch))[x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int width = 75, height = 41;
  std::vector<float> h(width * height), back(width * height), turned(width * height);
  for (size_t i = 0; i < h.size(); ++i) h[i] = i % 50;
  float *d, *dt;
  size_t pitch, pitchT;
  CUDA_CHECK_RETURN(cudaMallocPitch(&d, &pitch, width * sizeof(float), height));
  CUDA_CHECK_RETURN(cudaMallocPitch((void **)&dt, &pitchT, height * sizeof(float), width));
  CUDA_CHECK_RETURN(cudaMemcpy2D(d, pitch, h.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
  addBorders<<<10, 32>>>(d, pitch, width, height);
  CUDA_CHECK_RETURN(cudaGetLastError());
  // A window of 4 x 3 elements to zero.
  CUDA_CHECK_RETURN(cudaMemset2D((char *)d + 10 * pitch + 20 * sizeof(float), pitch, 0, 4 * sizeof(float), 3));
  transposePitched<<<dim3(5, 3), dim3(16, 16)>>>(dt, pitchT, d, pitch, width, height);
  CUDA_CHECK_RETURN(cudaDeviceSynchronize());
  CUDA_CHECK_RETURN(cudaMemcpy2D(back.data(), width * sizeof(float), d, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
  CUDA_CHECK_RETURN(cudaMemcpy2DAsync(turned.data(), height * sizeof(float), dt, pitchT, height * sizeof(float), width, cudaMemcpyDeviceToHost, 0));
  CUDA_CHECK_RETURN(cudaStreamSynchronize(0));
  int wrong = 0;
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c) {
      float want = h[r * width + c] * 2 + (r == 0 || c == 0 || r == height - 1 || c == width - 1);
      if (r >= 10 && r < 13 && c >= 20 && c < 24) want = 0;
      wrong += back[r * width + c] != want;
      wrong += turned[c * height + r] != want;
    }
  for (int r = 9; r < 14; ++r) {
    for (int c = 18; c < 26; ++c) std::cout << std::setw(5) << back[r * width + c];
    std::cout << "\n";
  }
  std::cout << "pitch " << (pitch >= width * sizeof(float) && pitch % 64 == 0 ? "is" : "is NOT") << " a multiple of 64 bytes, " << wrong << " wrong\n";
  CUDA_CHECK_RETURN(cudaFree(d));
  CUDA_CHECK_RETURN(cudaFree(dt));
  CUDA_CHECK_RETURN(cudaDeviceReset());
  return wrong ? 1 : 0;
}
