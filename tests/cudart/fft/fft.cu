// Transforms by cuFFT, as a list asks for them: test_fft.py compares what they give with numpy.
//
// nvcc: -std=c++20 -lcufft
// Enters: a file with a line for each transform, a file with the bytes that they read. Leaves: the bytes that they wrote. A line: type, rank,
// direction, in place, batch, is embedded, bytes in, bytes out, then three numbers each: sizes, embedding in and out, and stride and distance in and out.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define MUST(call)                                                                 \
  do {                                                                             \
    if (const int code = static_cast<int>(call); code != 0) {                      \
      std::fprintf(stderr, "line %d: %s gives %d\n", __LINE__, #call, code);       \
      std::exit(1);                                                                \
    }                                                                              \
  } while (false)

int main(int, char** words) {
  std::FILE* const list = std::fopen(words[1], "r");
  std::FILE* const data = std::fopen(words[2], "rb");
  std::FILE* const results = std::fopen(words[3], "wb");
  cudaStream_t stream;
  MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int type, rank, direction, in_place, batch, embedded;
  std::size_t bytes_in, bytes_out;
  while (std::fscanf(list, "%d %d %d %d %d %d %zu %zu", &type, &rank, &direction, &in_place, &batch, &embedded, &bytes_in, &bytes_out) == 8) {
    int n[3], in[3], out[3], in_step[2], out_step[2];
    for (int* const at : {n, in, out})
      for (int k = 0; k < 3; ++k)
        if (std::fscanf(list, "%d", at + k) != 1) return 2;
    if (std::fscanf(list, "%d %d %d %d", in_step, in_step + 1, out_step, out_step + 1) != 4) return 2;
    std::vector<char> host(bytes_in), written(bytes_out);
    if (std::fread(host.data(), 1, bytes_in, data) != bytes_in) return 2;
    char *from, *to;
    MUST(cudaMalloc(&from, in_place && bytes_out > bytes_in ? bytes_out : bytes_in));
    MUST(cudaMemcpy(from, host.data(), bytes_in, cudaMemcpyHostToDevice));
    to = from;
    if (!in_place) {
      MUST(cudaMalloc(&to, bytes_out));
      MUST(cudaMemset(to, 0, bytes_out));
    }
    cufftHandle plan;
    if (embedded) {
      MUST(cufftPlanMany(&plan, rank, n, in, in_step[0], in_step[1], out, out_step[0], out_step[1], static_cast<cufftType>(type), batch));
    } else if (batch == 1 && rank == 3) {
      MUST(cufftPlan3d(&plan, n[0], n[1], n[2], static_cast<cufftType>(type)));
    } else if (batch == 1 && rank == 2) {
      MUST(cufftPlan2d(&plan, n[0], n[1], static_cast<cufftType>(type)));
    } else if (rank == 1) {
      MUST(cufftPlan1d(&plan, n[0], static_cast<cufftType>(type), batch));
    } else {
      std::size_t work;
      MUST(cufftCreate(&plan));
      MUST(cufftMakePlanMany(plan, rank, n, nullptr, 1, 0, nullptr, 1, 0, static_cast<cufftType>(type), batch, &work));
    }
    MUST(cudaDeviceSynchronize());
    MUST(cufftSetStream(plan, stream));
    switch (type) {
      case CUFFT_C2C: MUST(cufftExecC2C(plan, (cufftComplex*)from, (cufftComplex*)to, direction)); break;
      case CUFFT_Z2Z: MUST(cufftExecZ2Z(plan, (cufftDoubleComplex*)from, (cufftDoubleComplex*)to, direction)); break;
      case CUFFT_R2C: MUST(cufftExecR2C(plan, (float*)from, (cufftComplex*)to)); break;
      case CUFFT_C2R: MUST(cufftExecC2R(plan, (cufftComplex*)from, (float*)to)); break;
      case CUFFT_D2Z: MUST(cufftExecD2Z(plan, (double*)from, (cufftDoubleComplex*)to)); break;
      case CUFFT_Z2D: MUST(cufftExecZ2D(plan, (cufftDoubleComplex*)from, (double*)to)); break;
    }
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(written.data(), to, bytes_out, cudaMemcpyDeviceToHost));
    std::fwrite(written.data(), 1, bytes_out, results);
    MUST(cufftDestroy(plan));
    cudaFree(from);
    if (!in_place) cudaFree(to);
  }
  cufftHandle none;
  if (cufftPlan1d(&none, 0, CUFFT_C2C, 1) != CUFFT_INVALID_SIZE || cufftExecC2C(12345, nullptr, nullptr, 1) != CUFFT_INVALID_PLAN) return 3;
  std::fclose(results);
  cudaStreamDestroy(stream);
  return 0;
}
