// Calls of cuSPARSE, as a list asks for them: test_algebra.py compares what they give with numpy.
//
// nvcc: -std=c++20 -lcusparse
// Enters: a file with a line of numbers for each call, a file with the bytes of its arrays. Leaves: the bytes of all its arrays behind the call.
#include <cuda_runtime.h>
#include <cusparse.h>

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

enum Kind { kSpMV, kSpMM, kSpSV, kSpSM, kSddmm, kToDense, kToSparse, kCsr2csc, kSpGemm, kAxpby, kGather, kScatter, kRot, kSpVV, kCoo2csr, kCsr2coo, kSort, kIlu, kNonzero, kSum };
enum Array { kStarts, kIndices, kValues, kB, kC, kAlpha, kBeta, kStarts2, kIndices2, kValues2, kStarts3, kIndices3, kValues3, kArrays };

int main(int, char** words) {
  std::FILE* const list = std::fopen(words[1], "r");
  std::FILE* const data = std::fopen(words[2], "rb");
  std::FILE* const results = std::fopen(words[3], "wb");
  cudaStream_t stream;
  cusparseHandle_t handle;
  MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  MUST(cusparseCreate(&handle));
  MUST(cusparseSetStream(handle, stream));
  int n[18];
  while (std::fscanf(list, "%d", n) == 1) {
    for (int k = 1; k < 18; ++k)
      if (std::fscanf(list, "%d", n + k) != 1) return 2;
    const int kind = n[0], format = n[1], rows = n[2], cols = n[3], count = n[4], inner = n[5], fill = n[16], unit = n[17];
    const auto index = static_cast<cusparseIndexType_t>(n[6]);
    const auto base = static_cast<cusparseIndexBase_t>(n[7]);
    const auto type = static_cast<cudaDataType>(n[8]), result_type = static_cast<cudaDataType>(n[9]), compute = static_cast<cudaDataType>(n[10]);
    const auto op_a = static_cast<cusparseOperation_t>(n[11]), op_b = static_cast<cusparseOperation_t>(n[12]);
    const auto order_b = static_cast<cusparseOrder_t>(n[13]), order_c = static_cast<cusparseOrder_t>(n[14]);
    const bool device_scalars = n[15] == 1;
    int b_rows, b_cols, ldb, c_rows, c_cols, ldc, batches, count3;
    if (std::fscanf(list, "%d %d %d %d %d %d %d %d", &b_rows, &b_cols, &ldb, &c_rows, &c_cols, &ldc, &batches, &count3) != 8) return 2;
    std::size_t bytes[kArrays];
    std::vector<char> host[kArrays];
    void* at[kArrays];
    for (int k = 0; k < kArrays; ++k) {
      if (std::fscanf(list, "%zu", bytes + k) != 1) return 2;
      host[k].resize(bytes[k]);
      if (std::fread(host[k].data(), 1, bytes[k], data) != bytes[k]) return 2;
      MUST(cudaMalloc(at + k, bytes[k] + 1));
      MUST(cudaMemcpy(at[k], host[k].data(), bytes[k], cudaMemcpyHostToDevice));
    }
    MUST(cudaDeviceSynchronize());
    const void* const alpha = device_scalars ? at[kAlpha] : host[kAlpha].data();
    const void* const beta = device_scalars ? at[kBeta] : host[kBeta].data();
    MUST(cusparseSetPointerMode(handle, device_scalars ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
    cusparseSpMatDescr_t a;
    const auto matrix = [&](cusparseSpMatDescr_t* made, int r, int c, int entries, int first) {
      if (format == CUSPARSE_FORMAT_COO) {
        MUST(cusparseCreateCoo(made, r, c, entries, at[first], at[first + 1], at[first + 2], index, base, type));
      } else {
        MUST((format == CUSPARSE_FORMAT_CSC ? cusparseCreateCsc : cusparseCreateCsr)(made, r, c, entries, at[first], at[first + 1], at[first + 2], index,
                                                                                     index, base, type));
      }
    };
    matrix(&a, rows, cols, count, kStarts);
    cusparseDnMatDescr_t b, c;
    MUST(cusparseCreateDnMat(&b, b_rows, b_cols, ldb, at[kB], type, order_b));
    MUST(cusparseCreateDnMat(&c, c_rows, c_cols, ldc, at[kC], result_type, order_c));
    if (batches > 1) {
      MUST(cusparseDnMatSetStridedBatch(b, batches, bytes[kB] / batches / (type == CUDA_R_32F ? 4 : 8)));
      MUST(cusparseDnMatSetStridedBatch(c, batches, bytes[kC] / batches / (type == CUDA_R_32F ? 4 : 8)));
      MUST(cusparseCsrSetStridedBatch(a, batches, 0, count));
    }
    cusparseDnVecDescr_t x, y;
    MUST(cusparseCreateDnVec(&x, b_rows, at[kB], type));
    MUST(cusparseCreateDnVec(&y, c_rows, at[kC], result_type));
    const auto fill_mode = static_cast<cusparseFillMode_t>(fill);
    const auto diagonal = static_cast<cusparseDiagType_t>(unit);
    MUST(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, const_cast<cusparseFillMode_t*>(&fill_mode), sizeof fill_mode));
    MUST(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_DIAG_TYPE, const_cast<cusparseDiagType_t*>(&diagonal), sizeof diagonal));
    std::size_t size = 0;
    void *buffer = nullptr, *second = nullptr;
    const auto room = [&] { MUST(cudaMalloc(&buffer, size)); };
    switch (kind) {
      case kSpMV:
        MUST(cusparseSpMV_bufferSize(handle, op_a, alpha, a, x, beta, y, compute, CUSPARSE_SPMV_ALG_DEFAULT, &size));
        room();
        MUST(cusparseSpMV_preprocess(handle, op_a, alpha, a, x, beta, y, compute, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
        MUST(cusparseSpMV(handle, op_a, alpha, a, x, beta, y, compute, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
        break;
      case kSpMM:
        MUST(cusparseSpMM_bufferSize(handle, op_a, op_b, alpha, a, b, beta, c, compute, CUSPARSE_SPMM_ALG_DEFAULT, &size));
        room();
        MUST(cusparseSpMM_preprocess(handle, op_a, op_b, alpha, a, b, beta, c, compute, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
        MUST(cusparseSpMM(handle, op_a, op_b, alpha, a, b, beta, c, compute, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
        break;
      case kSpSV: {
        cusparseSpSVDescr_t how;
        MUST(cusparseSpSV_createDescr(&how));
        MUST(cusparseSpSV_bufferSize(handle, op_a, alpha, a, x, y, compute, CUSPARSE_SPSV_ALG_DEFAULT, how, &size));
        room();
        MUST(cusparseSpSV_analysis(handle, op_a, alpha, a, x, y, compute, CUSPARSE_SPSV_ALG_DEFAULT, how, buffer));
        MUST(cusparseSpSV_solve(handle, op_a, alpha, a, x, y, compute, CUSPARSE_SPSV_ALG_DEFAULT, how));
        MUST(cusparseSpSV_destroyDescr(how));
        break;
      }
      case kSpSM: {
        cusparseSpSMDescr_t how;
        MUST(cusparseSpSM_createDescr(&how));
        MUST(cusparseSpSM_bufferSize(handle, op_a, op_b, alpha, a, b, c, compute, CUSPARSE_SPSM_ALG_DEFAULT, how, &size));
        room();
        MUST(cusparseSpSM_analysis(handle, op_a, op_b, alpha, a, b, c, compute, CUSPARSE_SPSM_ALG_DEFAULT, how, buffer));
        MUST(cusparseSpSM_solve(handle, op_a, op_b, alpha, a, b, c, compute, CUSPARSE_SPSM_ALG_DEFAULT, how));
        MUST(cusparseSpSM_destroyDescr(how));
        break;
      }
      case kSddmm:
        MUST(cusparseSDDMM_bufferSize(handle, op_a, op_b, alpha, b, c, beta, a, compute, CUSPARSE_SDDMM_ALG_DEFAULT, &size));
        room();
        MUST(cusparseSDDMM_preprocess(handle, op_a, op_b, alpha, b, c, beta, a, compute, CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
        MUST(cusparseSDDMM(handle, op_a, op_b, alpha, b, c, beta, a, compute, CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
        break;
      case kToDense:
        MUST(cusparseSparseToDense_bufferSize(handle, a, c, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size));
        room();
        MUST(cusparseSparseToDense(handle, a, c, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
        break;
      case kToSparse: {
        cusparseSpMatDescr_t to;
        matrix(&to, rows, cols, 0, kStarts2);
        MUST(cusparseDenseToSparse_bufferSize(handle, b, to, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &size));
        room();
        MUST(cusparseDenseToSparse_analysis(handle, b, to, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
        int64_t r, k, found;
        MUST(cusparseSpMatGetSize(to, &r, &k, &found));
        if (found != count) return std::fprintf(stderr, "%lld entries, not %d\n", static_cast<long long>(found), count), 1;
        MUST(cusparseDenseToSparse_convert(handle, b, to, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
        MUST(cusparseDestroySpMat(to));
        break;
      }
      case kCsr2csc: {
        auto* const in = reinterpret_cast<int**>(at);
        MUST(cusparseCsr2cscEx2_bufferSize(handle, rows, cols, count, at[kValues], in[kStarts], in[kIndices], at[kValues2], in[kStarts2], in[kIndices2], type,
                                           CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG_DEFAULT, &size));
        room();
        MUST(cusparseCsr2cscEx2(handle, rows, cols, count, at[kValues], in[kStarts], in[kIndices], at[kValues2], in[kStarts2], in[kIndices2], type,
                                CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG_DEFAULT, buffer));
        break;
      }
      case kSpGemm: {
        cusparseSpMatDescr_t right, to;
        matrix(&right, cols, inner, count3, kStarts3);
        MUST(cusparseCreateCsr(&to, rows, inner, 0, nullptr, nullptr, nullptr, index, index, base, type));
        cusparseSpGEMMDescr_t how;
        MUST(cusparseSpGEMM_createDescr(&how));
        MUST(cusparseSpGEMM_workEstimation(handle, op_a, op_a, alpha, a, right, beta, to, compute, CUSPARSE_SPGEMM_DEFAULT, how, &size, nullptr));
        room();
        MUST(cusparseSpGEMM_workEstimation(handle, op_a, op_a, alpha, a, right, beta, to, compute, CUSPARSE_SPGEMM_DEFAULT, how, &size, buffer));
        MUST(cusparseSpGEMM_compute(handle, op_a, op_a, alpha, a, right, beta, to, compute, CUSPARSE_SPGEMM_DEFAULT, how, &size, nullptr));
        MUST(cudaMalloc(&second, size));
        MUST(cusparseSpGEMM_compute(handle, op_a, op_a, alpha, a, right, beta, to, compute, CUSPARSE_SPGEMM_DEFAULT, how, &size, second));
        int64_t r, k, found;
        MUST(cusparseSpMatGetSize(to, &r, &k, &found));
        if (bytes[kIndices2] != static_cast<std::size_t>(found) * (index == CUSPARSE_INDEX_32I ? 4 : 8))
          return std::fprintf(stderr, "%lld entries of a product\n", static_cast<long long>(found)), 1;
        MUST(cusparseCsrSetPointers(to, at[kStarts2], at[kIndices2], at[kValues2]));
        MUST(cusparseSpGEMM_copy(handle, op_a, op_a, alpha, a, right, beta, to, compute, CUSPARSE_SPGEMM_DEFAULT, how));
        MUST(cusparseSpGEMM_destroyDescr(how));
        MUST(cusparseDestroySpMat(right));
        MUST(cusparseDestroySpMat(to));
        break;
      }
      case kAxpby:
      case kGather:
      case kScatter:
      case kRot:
      case kSpVV: {
        cusparseSpVecDescr_t v;
        MUST(cusparseCreateSpVec(&v, cols, count, at[kIndices], at[kValues], index, base, type));
        if (kind == kAxpby) MUST(cusparseAxpby(handle, alpha, v, beta, y));
        if (kind == kGather) MUST(cusparseGather(handle, y, v));
        if (kind == kScatter) MUST(cusparseScatter(handle, v, y));
        if (kind == kRot) MUST(cusparseRot(handle, alpha, beta, v, y));
        if (kind == kSpVV) {
          MUST(cusparseSpVV_bufferSize(handle, op_a, v, y, at[kB], compute, &size));
          room();
          MUST(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
          MUST(cusparseSpVV(handle, op_a, v, y, at[kB], compute, buffer));
        }
        MUST(cusparseDestroySpVec(v));
        break;
      }
      case kCoo2csr: MUST(cusparseXcoo2csr(handle, (int*)at[kStarts], count, rows, (int*)at[kStarts2], base)); break;
      case kCsr2coo: MUST(cusparseXcsr2coo(handle, (int*)at[kStarts], count, rows, (int*)at[kStarts2], base)); break;
      case kSort: {
        cusparseMatDescr_t how;
        MUST(cusparseCreateMatDescr(&how));
        MUST(cusparseSetMatIndexBase(how, base));
        MUST(cusparseXcsrsort_bufferSizeExt(handle, rows, cols, count, (int*)at[kStarts], (int*)at[kIndices], &size));
        room();
        MUST(cusparseCreateIdentityPermutation(handle, count, (int*)at[kIndices2]));
        MUST(cusparseXcsrsort(handle, rows, cols, count, how, (int*)at[kStarts], (int*)at[kIndices], (int*)at[kIndices2], buffer));
        MUST(cusparseDestroyMatDescr(how));
        break;
      }
      case kIlu: {
        cusparseMatDescr_t how;
        csrilu02Info_t info;
        int bytes_of_work, position;
        MUST(cusparseCreateMatDescr(&how));
        MUST(cusparseSetMatIndexBase(how, base));
        MUST(cusparseCreateCsrilu02Info(&info));
        auto *values = (double*)at[kValues];
        auto *starts = (int*)at[kStarts], *indices = (int*)at[kIndices];
        MUST(cusparseDcsrilu02_bufferSize(handle, rows, count, how, values, starts, indices, info, &bytes_of_work));
        size = bytes_of_work;
        room();
        MUST(cusparseDcsrilu02_analysis(handle, rows, count, how, values, starts, indices, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer));
        MUST(cusparseDcsrilu02(handle, rows, count, how, values, starts, indices, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer));
        MUST(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
        MUST(cusparseXcsrilu02_zeroPivot(handle, info, &position));
        MUST(cusparseDestroyCsrilu02Info(info));
        MUST(cusparseDestroyMatDescr(how));
        break;
      }
      case kNonzero: {
        cusparseMatDescr_t how;
        int total = 0;
        MUST(cusparseCreateMatDescr(&how));
        MUST(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
        MUST(cusparseDnnz(handle, static_cast<cusparseDirection_t>(unit), rows, cols, how, (double*)at[kB], ldb, (int*)at[kStarts2], &total));
        if (total != count) return std::fprintf(stderr, "%d elements that are not zero, not %d\n", total, count), 1;
        MUST(cusparseDestroyMatDescr(how));
        break;
      }
    }
    if (kind == kSum) {
      cusparseMatDescr_t how;
      int total = 0;
      MUST(cusparseCreateMatDescr(&how));
      MUST(cusparseSetMatIndexBase(how, base));
      auto** const d = reinterpret_cast<double**>(at);
      auto** const i = reinterpret_cast<int**>(at);
      const auto *by_a = static_cast<const double*>(alpha), *by_b = static_cast<const double*>(beta);
      MUST(cusparseDcsrgeam2_bufferSizeExt(handle, rows, cols, by_a, how, count, d[kValues], i[kStarts], i[kIndices], by_b, how, count3, d[kValues3],
                                           i[kStarts3], i[kIndices3], how, d[kValues2], i[kStarts2], i[kIndices2], &size));
      room();
      MUST(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
      MUST(cusparseXcsrgeam2Nnz(handle, rows, cols, how, count, i[kStarts], i[kIndices], how, count3, i[kStarts3], i[kIndices3], how, i[kStarts2], &total, buffer));
      if (bytes[kIndices2] != total * sizeof(int)) return std::fprintf(stderr, "%d entries of a sum\n", total), 1;
      MUST(cusparseSetPointerMode(handle, device_scalars ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
      MUST(cusparseDcsrgeam2(handle, rows, cols, by_a, how, count, d[kValues], i[kStarts], i[kIndices], by_b, how, count3, d[kValues3], i[kStarts3],
                             i[kIndices3], how, d[kValues2], i[kStarts2], i[kIndices2], buffer));
      MUST(cusparseDestroyMatDescr(how));
    }
    MUST(cudaStreamSynchronize(stream));
    for (int k = 0; k < kArrays; ++k) {
      MUST(cudaMemcpy(host[k].data(), at[k], bytes[k], cudaMemcpyDeviceToHost));
      std::fwrite(host[k].data(), 1, bytes[k], results);
      cudaFree(at[k]);
    }
    cudaFree(buffer);
    cudaFree(second);
    MUST(cusparseDestroySpMat(a));
    MUST(cusparseDestroyDnMat(b));
    MUST(cusparseDestroyDnMat(c));
    MUST(cusparseDestroyDnVec(x));
    MUST(cusparseDestroyDnVec(y));
  }
  std::fclose(results);
  MUST(cusparseDestroy(handle));
  cudaStreamDestroy(stream);
  return 0;
}
