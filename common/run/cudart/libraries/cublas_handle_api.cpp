// cuBLAS: handles, streams, modes, copies of vectors and matrices.
//
// Enters: calls of libcublas.so. Leaves: what a handle remembers. Nothing that computes stands here.
#include <cstring>

#include "common/run/cudart/driver.h"
#include "common/run/cudart/libraries/handle.h"
#include "common/run/cudart/libraries/library_call.h"

using namespace lab::cudart;

namespace lab::cudart {

Scalar::Scalar(const BlasHandle& handle, const void* at, Elem type)
    : place_{at, 1, 1, 1, type, false}, on_device_(handle.device_scalars) {
  if (at == nullptr) throw ApiError{Error::InvalidValue, "a scalar (alpha or beta) is a null pointer."};
  if (!on_device_) std::memcpy(on_host_.data(), at, bytes_of(type));
}

}  // namespace lab::cudart

namespace {

constexpr int kVersion = 130000;

struct StatusRow {
  int code;
  const char *name, *text;
};
constexpr StatusRow kStatus[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"}};

const StatusRow* status_row(int code) {
  for (const StatusRow& row : kStatus) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

template <class Body>
int with(BlasHandle* handle, const Body& body) {
  if (handle == nullptr) return kBlasNotInitialised;
  body(*handle);
  return 0;
}

// `count` elements that lie `from_step` and `to_step` elements apart.
int copy_vector(std::int64_t count, std::int64_t elem_bytes, const void* from, std::int64_t from_step,
                void* to, std::int64_t to_step, StreamHandle stream, bool waits) {
  if (count < 0 || elem_bytes <= 0 || from_step <= 0 || to_step <= 0) return kBlasInvalidValue;
  const int code = as_driver(Needs::Nothing, [&] {
    return cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_step * elem_bytes), from,
                             static_cast<std::size_t>(from_step * elem_bytes),
                             static_cast<std::size_t>(elem_bytes), static_cast<std::size_t>(count),
                             CopyKind::Default, stream);
  });
  if (waits) (void)as_driver(Needs::Nothing, [&] { return cudaStreamSynchronize(stream); });
  return code == 0 ? 0 : 11;  // CUBLAS_STATUS_MAPPING_ERROR
}

int copy_matrix(std::int64_t rows, std::int64_t cols, std::int64_t elem_bytes, const void* from,
                std::int64_t from_ld, void* to, std::int64_t to_ld, StreamHandle stream, bool waits) {
  if (rows < 0 || cols < 0 || elem_bytes <= 0 || from_ld <= 0 || to_ld <= 0) return kBlasInvalidValue;
  const int code = as_driver(Needs::Nothing, [&] {
    return cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_ld * elem_bytes), from,
                             static_cast<std::size_t>(from_ld * elem_bytes),
                             static_cast<std::size_t>(rows * elem_bytes), static_cast<std::size_t>(cols),
                             CopyKind::Default, stream);
  });
  if (waits) (void)as_driver(Needs::Nothing, [&] { return cudaStreamSynchronize(stream); });
  return code == 0 ? 0 : 11;
}

}  // namespace

LAB_ENTRY int cublasCreate_v2(BlasHandle** handle) {
  if (handle == nullptr) return kBlasInvalidValue;
  *handle = new BlasHandle;
  return 0;
}
LAB_ENTRY int cublasDestroy_v2(BlasHandle* handle) {
  if (handle == nullptr) return kBlasNotInitialised;
  delete handle;
  return 0;
}
LAB_ENTRY int cublasGetVersion_v2(BlasHandle* /*handle*/, int* version) {
  *version = kVersion;
  return 0;
}
LAB_ENTRY int cublasGetProperty(int type, int* value) {
  *value = type == 0 ? kVersion / 10000 : 0;
  return 0;
}
LAB_ENTRY int cublasSetStream_v2(BlasHandle* handle, StreamHandle stream) {
  return with(handle, [&](BlasHandle& h) { h.stream = stream; });
}
LAB_ENTRY int cublasGetStream_v2(BlasHandle* handle, StreamHandle* stream) {
  return with(handle, [&](BlasHandle& h) { *stream = h.stream; });
}
LAB_ENTRY int cublasSetPointerMode_v2(BlasHandle* handle, int mode) {
  return with(handle, [&](BlasHandle& h) { h.device_scalars = mode == 1; });
}
LAB_ENTRY int cublasGetPointerMode_v2(BlasHandle* handle, int* mode) {
  return with(handle, [&](BlasHandle& h) { *mode = h.device_scalars ? 1 : 0; });
}
LAB_ENTRY int cublasSetMathMode(BlasHandle* handle, int mode) {
  return with(handle, [&](BlasHandle& h) { h.math_mode = mode; });
}
LAB_ENTRY int cublasGetMathMode(BlasHandle* handle, int* mode) {
  return with(handle, [&](BlasHandle& h) { *mode = h.math_mode; });
}
LAB_ENTRY int cublasSetAtomicsMode(BlasHandle* handle, int mode) {
  return with(handle, [&](BlasHandle& h) { h.atomics_mode = mode; });
}
LAB_ENTRY int cublasGetAtomicsMode(BlasHandle* handle, int* mode) {
  return with(handle, [&](BlasHandle& h) { *mode = h.atomics_mode; });
}
LAB_ENTRY int cublasSetWorkspace_v2(BlasHandle* handle, void* /*workspace*/, std::size_t /*bytes*/) {
  return with(handle, [](BlasHandle&) {});
}
LAB_ENTRY const char* cublasGetStatusName(int status) {
  const StatusRow* const row = status_row(status);
  return row == nullptr ? "unknown status" : row->name;
}
LAB_ENTRY const char* cublasGetStatusString(int status) {
  const StatusRow* const row = status_row(status);
  return row == nullptr ? "unknown status" : row->text;
}

LAB_ENTRY int cublasSetVector(int count, int elem_bytes, const void* from, int from_step, void* to,
                              int to_step) {
  return copy_vector(count, elem_bytes, from, from_step, to, to_step, nullptr, true);
}
LAB_ENTRY int cublasGetVector(int count, int elem_bytes, const void* from, int from_step, void* to,
                              int to_step) {
  return copy_vector(count, elem_bytes, from, from_step, to, to_step, nullptr, true);
}
LAB_ENTRY int cublasSetVectorAsync(int count, int elem_bytes, const void* from, int from_step, void* to,
                                   int to_step, StreamHandle stream) {
  return copy_vector(count, elem_bytes, from, from_step, to, to_step, stream, false);
}
LAB_ENTRY int cublasGetVectorAsync(int count, int elem_bytes, const void* from, int from_step, void* to,
                                   int to_step, StreamHandle stream) {
  return copy_vector(count, elem_bytes, from, from_step, to, to_step, stream, false);
}
LAB_ENTRY int cublasSetMatrix(int rows, int cols, int elem_bytes, const void* from, int from_ld, void* to,
                              int to_ld) {
  return copy_matrix(rows, cols, elem_bytes, from, from_ld, to, to_ld, nullptr, true);
}
LAB_ENTRY int cublasGetMatrix(int rows, int cols, int elem_bytes, const void* from, int from_ld, void* to,
                              int to_ld) {
  return copy_matrix(rows, cols, elem_bytes, from, from_ld, to, to_ld, nullptr, true);
}
LAB_ENTRY int cublasSetMatrixAsync(int rows, int cols, int elem_bytes, const void* from, int from_ld,
                                   void* to, int to_ld, StreamHandle stream) {
  return copy_matrix(rows, cols, elem_bytes, from, from_ld, to, to_ld, stream, false);
}
LAB_ENTRY int cublasGetMatrixAsync(int rows, int cols, int elem_bytes, const void* from, int from_ld,
                                   void* to, int to_ld, StreamHandle stream) {
  return copy_matrix(rows, cols, elem_bytes, from, from_ld, to, to_ld, stream, false);
}
