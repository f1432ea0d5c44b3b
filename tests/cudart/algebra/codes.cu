// What calls of cuSPARSE and cuSOLVER say of arguments that cannot be. Those of descriptors are what the library of CUDA 13 (12.6.3) says without a GPU. Sizes for any leading dimension: an H200.
//
// nvcc: -lcusparse -lcusolver
// Leaves: exit 1 and a line for each call that gives another code.
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>
#include <cstring>

int wrong = 0;
#define GIVES(wanted, ...)                                                            \
  do {                                                                                \
    if (const int code = static_cast<int>(__VA_ARGS__); code != (wanted)) {           \
      std::printf("line %d: %s gives %d\n", __LINE__, #__VA_ARGS__, code);            \
      ++wrong;                                                                        \
    }                                                                                 \
  } while (false)

int main() {
  constexpr auto kInt = CUSPARSE_INDEX_32I, kLong = CUSPARSE_INDEX_64I, kShort = CUSPARSE_INDEX_16U;
  constexpr auto kZero = CUSPARSE_INDEX_BASE_ZERO;
  constexpr auto kN = CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr int kOk = 0, kInvalid = 3, kNot = 10;
  void* d;
  cudaMalloc(&d, 4096);
  cudaMemset(d, 0, 4096);
  cusparseSpMatDescr_t a, coo;
  GIVES(kOk, cusparseCreateCsr(&a, 4, 5, 3, d, d, d, kInt, kInt, kZero, CUDA_R_32F));
  GIVES(kOk, cusparseCreateCoo(&coo, 4, 5, 3, d, d, d, kLong, kZero, CUDA_R_32F));
  cusparseSpMatDescr_t other;
  GIVES(kInvalid, cusparseCreateCsr(nullptr, 4, 5, 3, d, d, d, kInt, kInt, kZero, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateCsr(&other, -1, 5, 3, d, d, d, kInt, kInt, kZero, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateCsr(&other, 4, -5, 3, d, d, d, kInt, kInt, kZero, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateCsr(&other, 4, 5, -3, d, d, d, kInt, kInt, kZero, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateCsr(&other, 4, 5, 21, d, d, d, kInt, kInt, kZero, CUDA_R_32F));
  GIVES(kNot, cusparseCreateCsr(&other, 4, 5, 3, d, d, d, kShort, kInt, kZero, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateCsr(&other, 4, 5, 3, d, d, d, static_cast<cusparseIndexType_t>(4), kInt, kZero, CUDA_R_32F));
  GIVES(kNot, cusparseCreateCsr(&other, 4, 5, 3, d, d, d, kInt, kLong, kZero, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateCsr(&other, 4, 5, 3, d, d, d, kInt, kInt, static_cast<cusparseIndexBase_t>(2), CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateCsr(&other, 4, 5, 3, d, d, d, kInt, kInt, kZero, CUDA_R_64I));
  GIVES(kInvalid, cusparseCreateCsr(&other, 4, 5, 3, d, d, d, kInt, kInt, kZero, static_cast<cudaDataType>(99)));
  GIVES(kInvalid, cusparseCreateCoo(&other, 4, 4, 17, d, d, d, kInt, kZero, CUDA_R_32F));
  cusparseSpVecDescr_t v;
  GIVES(kInvalid, cusparseCreateSpVec(&v, 4, 5, d, d, kInt, kZero, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateSpVec(&v, 4, -2, d, d, kInt, kZero, CUDA_R_32F));
  cusparseDnVecDescr_t x, y, bad;
  GIVES(kOk, cusparseCreateDnVec(&x, 5, d, CUDA_R_32F));
  GIVES(kOk, cusparseCreateDnVec(&y, 4, d, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateDnVec(&bad, -4, d, CUDA_R_32F));
  GIVES(kInvalid, cusparseCreateDnVec(&bad, 4, d, CUDA_R_64I));
  GIVES(kInvalid, cusparseCreateDnVec(nullptr, 4, d, CUDA_R_32F));
  cusparseDnMatDescr_t m, none;
  GIVES(kOk, cusparseCreateDnMat(&m, 4, 3, 4, d, CUDA_R_32F, CUSPARSE_ORDER_COL));
  GIVES(kInvalid, cusparseCreateDnMat(&none, 4, 3, 3, d, CUDA_R_32F, CUSPARSE_ORDER_COL));
  GIVES(kInvalid, cusparseCreateDnMat(&none, 4, 3, 2, d, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  GIVES(kInvalid, cusparseCreateDnMat(&none, 4, 3, 4, d, CUDA_R_32F, static_cast<cusparseOrder_t>(3)));
  GIVES(kInvalid, cusparseDnMatSetStridedBatch(m, 2, 11));
  GIVES(kInvalid, cusparseDnMatSetStridedBatch(m, 0, 12));
  GIVES(kOk, cusparseCsrSetStridedBatch(a, 2, 0, 3));
  GIVES(kInvalid, cusparseCsrSetStridedBatch(a, 2, 4, 3));
  GIVES(kInvalid, cusparseCsrSetStridedBatch(a, 2, 5, 1));
  GIVES(kOk, cusparseCsrSetStridedBatch(a, 1, 0, 0));
  int value = 1;
  GIVES(kOk, cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &value, sizeof value));
  GIVES(kInvalid, cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &value, 8));
  GIVES(kInvalid, cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, nullptr, sizeof value));
  GIVES(kInvalid, cusparseSpMatSetAttribute(a, static_cast<cusparseSpMatAttribute_t>(5), &value, sizeof value));
  GIVES(kInvalid, cusparseCooSetPointers(a, d, d, d));
  int64_t rows, cols, count;
  GIVES(kInvalid, cusparseSpMatGetSize(nullptr, &rows, &cols, &count));
  GIVES(kInvalid, cusparseSpMatGetSize(a, nullptr, &cols, &count));
  GIVES(kOk, cusparseSpMatGetSize(coo, &rows, &cols, &count));
  if (rows != 4 || cols != 5 || count != 3) ++wrong;
  if (std::strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT") != 0 ||
      std::strcmp(cusparseGetErrorString(CUSPARSE_STATUS_NOT_SUPPORTED), "operation not supported") != 0)
    ++wrong, std::puts("the text of a code");
  cusparseMatDescr_t how;
  GIVES(kOk, cusparseCreateMatDescr(&how));
  GIVES(kInvalid, cusparseSetMatType(how, static_cast<cusparseMatrixType_t>(9)));
  GIVES(kInvalid, cusparseSetMatIndexBase(how, static_cast<cusparseIndexBase_t>(5)));
  GIVES(kOk, cusparseSetMatType(how, CUSPARSE_MATRIX_TYPE_SYMMETRIC));
  GIVES(1, cusparseGetMatType(how));
  GIVES(kInvalid, cusparseSetStream(nullptr, nullptr));
  GIVES(kInvalid, cusparseCreate(nullptr));
  GIVES(kOk, cusparseDestroy(nullptr));
  GIVES(kOk, cusparseDestroySpMat(nullptr));

  cusparseHandle_t handle;
  GIVES(kOk, cusparseCreate(&handle));
  const float one = 1;
  std::size_t bytes;
  const auto spmv = [&](cusparseHandle_t h, cusparseOperation_t op, const void* alpha, cusparseSpMatDescr_t matrix, cusparseDnVecDescr_t from,
                        cusparseDnVecDescr_t to, cudaDataType type, std::size_t* size) {
    return cusparseSpMV_bufferSize(h, op, alpha, matrix, from, &one, to, type, CUSPARSE_SPMV_ALG_DEFAULT, size);
  };
  GIVES(kOk, spmv(handle, kN, &one, a, x, y, CUDA_R_32F, &bytes));
  GIVES(kOk, spmv(handle, CUSPARSE_OPERATION_TRANSPOSE, &one, a, y, x, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(nullptr, kN, &one, a, x, y, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(handle, static_cast<cusparseOperation_t>(5), &one, a, x, y, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(handle, kN, nullptr, a, x, y, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(handle, kN, &one, nullptr, x, y, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(handle, kN, &one, a, nullptr, y, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(handle, kN, &one, a, y, y, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(handle, kN, &one, a, x, x, CUDA_R_32F, &bytes));
  GIVES(kInvalid, spmv(handle, kN, &one, a, x, y, CUDA_R_32F, nullptr));
  GIVES(kNot, spmv(handle, kN, &one, a, x, y, CUDA_R_64F, &bytes));
  GIVES(kInvalid, cusparseSpMV(handle, kN, &one, a, x, &one, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
  cusparseSpSVDescr_t solve;
  GIVES(kOk, cusparseSpSV_createDescr(&solve));
  GIVES(kInvalid, cusparseSpSV_bufferSize(handle, kN, &one, a, x, y, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, solve, &bytes));
  GIVES(kInvalid, cusparseXcoo2csr(handle, static_cast<int*>(d), -1, 4, static_cast<int*>(d), kZero));
  GIVES(kInvalid, cusparseXcsr2coo(handle, static_cast<int*>(d), 3, -4, static_cast<int*>(d), kZero));
  GIVES(kInvalid, cusparseCreateIdentityPermutation(handle, -4, static_cast<int*>(d)));
  GIVES(kNot, cusparseXcsric02_zeroPivot(handle, nullptr, &value));
  cusparseSpSV_destroyDescr(solve), cusparseDestroyMatDescr(how), cusparseDestroy(handle);
  cusparseDestroySpMat(a), cusparseDestroySpMat(coo), cusparseDestroyDnVec(x), cusparseDestroyDnVec(y), cusparseDestroyDnMat(m);

  cusolverDnHandle_t solver;
  GIVES(kOk, cusolverDnCreate(&solver));
  auto* const f = static_cast<float*>(d);
  auto* const i = static_cast<int*>(d);
  int elems = 0;
  GIVES(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverDnSgetrf_bufferSize(nullptr, 4, 4, f, 4, &elems));
  GIVES(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverDnDestroy(nullptr));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSgetrf_bufferSize(solver, -4, 4, f, 4, &elems));
  GIVES(kOk, cusolverDnSgetrf_bufferSize(solver, 4, 4, f, 3, &elems));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSgetrf_bufferSize(solver, 4, 4, f, 4, nullptr));
  GIVES(kOk, cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 4, f, 4, &elems));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 4, f, 4, f, elems - 1, i));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 4, f, 4, nullptr, elems, i));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, f, elems, i));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_FULL, 4, f, 4, f, elems, i));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSgetrs(solver, CUBLAS_OP_N, 4, -1, f, 4, i, f, 4, i));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSgesvd_bufferSize(solver, 3, 4, &elems));
  GIVES(kOk, cusolverDnSgesvd_bufferSize(solver, 4, 3, &elems));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSgesvd(solver, 'X', 'N', 4, 3, f, 4, f, f, 4, f, 3, f, elems, f, i));
  GIVES(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnSgesvd(solver, 'A', 'N', 4, 3, f, 4, f, f, 3, f, 3, f, elems, f, i));
  GIVES(CUSOLVER_STATUS_NOT_SUPPORTED, cusolverDnSsytrf_bufferSize(solver, 4, f, 4, &elems));
  cusolverDnDestroy(solver);
  cudaFree(d);
  return wrong == 0 ? 0 : 1;
}
