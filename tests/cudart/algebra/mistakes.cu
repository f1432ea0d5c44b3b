// One call with one mistake, by its name: test_algebra.py asks that a sentence names its line. Names without a mistake have none.
//
// nvcc: -lcusparse -lcusolver
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>
#include <cstring>

__global__ void scale(float* values) { values[threadIdx.x] *= 2; }

template <class T, int n>
T* on_device(const T (&values)[n]) {
  T* pointer;
  cudaMalloc(&pointer, sizeof values);
  cudaMemcpy(pointer, values, sizeof values, cudaMemcpyHostToDevice);
  return pointer;
}

int main(int, char** words) {
  const auto is = [&](const char* name) { return std::strcmp(words[1], name) == 0; };
  int starts[] = {0, 2, 3, 4}, columns[] = {0, 1, 2, 0};
  const float values[] = {1, 2, 3, 4}, ones[] = {1, 1, 1, 1}, not_all[] = {1, 1, 1};
  if (is("column")) columns[2] = 7;
  if (is("offset")) starts[2] = 900;
  int *d_starts = on_device(starts), *d_columns = on_device(columns);
  float *d_values = on_device(values), *d_x = is("short") ? on_device(not_all) : on_device(ones), *d_y = on_device(ones), *d_empty, *d_buffer;
  cudaMalloc(&d_empty, 4 * sizeof(float));
  if (is("unreferenced")) cudaMemset(d_empty, 0, 3 * sizeof(float));  // the matrix has no entry in its last column
  cusparseHandle_t handle;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t x, y;
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  cusparseCreate(&handle);
  cusparseSetStream(handle, one);
  const int width = is("short") || is("unreferenced") ? 4 : 3;
  if (is("short")) columns[3] = 3, cudaMemcpy(d_columns, columns, sizeof columns, cudaMemcpyHostToDevice);
  cusparseCreateCsr(&a, 3, width, 4, d_starts, d_columns, d_values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&x, width, is("unwritten") || is("unreferenced") ? d_empty : d_x, CUDA_R_32F);
  cusparseCreateDnVec(&y, 3, is("beta") ? d_empty : d_y, CUDA_R_32F);
  const float alpha = 1, beta = is("beta") ? 0 : 1;
  std::size_t bytes = 0;
  const auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const auto how = CUSPARSE_SPMV_ALG_DEFAULT;
  cusparseSpMV_bufferSize(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, &bytes);
  cudaMalloc(&d_buffer, is("buffer") ? bytes / 2 : bytes);
  if (is("column")) cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);     // HERE column
  if (is("offset")) cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);     // HERE offset
  if (is("unwritten")) cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);  // HERE unwritten
  if (is("short")) cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);      // HERE short
  if (is("buffer")) cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);     // HERE buffer
  if (is("beta")) cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);       // HERE beta
  if (is("unreferenced")) cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);  // HERE unreferenced
  if (is("race") || is("ordered")) {
    cusparseSpMV(handle, op, &alpha, a, x, &beta, y, CUDA_R_32F, how, d_buffer);
    if (is("ordered")) cudaStreamSynchronize(one);
    scale<<<1, 3, 0, other>>>(d_y);
  }
  if (is("pivot") || is("half")) {
    cusolverDnHandle_t solver;
    float *d_a, *d_work;
    int *d_pivots, *d_info, elems;
    const float square[] = {4, 1, 1, 3};
    cusolverDnCreate(&solver);
    cudaMalloc(&d_a, 4 * sizeof(float)), cudaMalloc(&d_pivots, 2 * sizeof(int)), cudaMalloc(&d_info, sizeof(int));
    cudaMemcpy(d_a, square, (is("half") ? 2 : 4) * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_a + 3, square + 3, sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_pivots, 0, 2 * sizeof(int));
    cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 2, d_a, 2, &elems);
    cudaMalloc(&d_work, elems * sizeof(float));
    if (is("half")) {
      const int status = cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 2, d_a, 2, d_work, elems, d_info);  // HERE half
      std::printf("status %d\n", status);
    }
    if (is("pivot")) cusolverDnSgetrs(solver, CUBLAS_OP_N, 2, 1, d_a, 2, d_pivots, d_y, 2, d_info);  // HERE pivot
    cusolverDnDestroy(solver);
    cudaFree(d_a), cudaFree(d_pivots), cudaFree(d_info), cudaFree(d_work);
  }
  cudaDeviceSynchronize();
  cusparseDestroySpMat(a), cusparseDestroyDnVec(x), cusparseDestroyDnVec(y), cusparseDestroy(handle);
  cudaStreamDestroy(one), cudaStreamDestroy(other);
  for (void* p : {(void*)d_starts, (void*)d_columns, (void*)d_values, (void*)d_x, (void*)d_y, (void*)d_empty, (void*)d_buffer}) cudaFree(p);
  return 0;
}
