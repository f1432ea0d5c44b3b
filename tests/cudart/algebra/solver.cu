// Calls of cuSOLVER, as a list asks for them: test_algebra.py compares what they give with numpy.
//
// nvcc: -std=c++20 -lcusolver
// Enters: a file with a line of numbers for each call, a file with the bytes of its arrays. Leaves: the bytes of all its arrays behind the call.
#include <cuda_runtime.h>
#include <cusolverDn.h>

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

enum Kind { kGetrf, kGetrs, kPotrf, kPotrs, kPotri, kGeqrf, kOrmqr, kOrgqr, kGesvd, kSyevd, kSyevj, kGesvdj, kGeev };
enum Array { kA, kB, kC, kScales, kPivots, kInfo, kArrays };

struct Call {
  int kind, type, m, n, k, lda, ldb, ldc, fill, op, side, job_u, job_vt, wide;
  void* at[kArrays];
};

cusolverDnHandle_t handle;
std::vector<void*> works;

template <class T>
T* work(int elems) {
  void* room;
  MUST(cudaMalloc(&room, elems * sizeof(T)));
  works.push_back(room);
  return static_cast<T*>(room);
}

// An array twice, one behind the other; the second goes back to where it came from.
template <class T>
struct Second {
  T *two, *at;
  int count;
  Second(T* array, int elems) : two(work<T>(2 * elems)), at(array), count(elems) {
    for (int k = 0; k < 2; ++k) MUST(cudaMemcpy(two + k * elems, array, elems * sizeof(T), cudaMemcpyDeviceToDevice));
    MUST(cudaDeviceSynchronize());
  }
  ~Second() {
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(at, two + count, count * sizeof(T), cudaMemcpyDeviceToDevice));
    MUST(cudaDeviceSynchronize());
  }
};

#define RUN(name, T, R, L, ORMQR, ORGQR, SYEVD, SYEVJ)                                                                                           \
  void name(const Call& c) {                                                                                                               \
    T *a = (T*)c.at[kA], *b = (T*)c.at[kB], *extra = (T*)c.at[kC], *scales = (T*)c.at[kScales];                                            \
    R* values = (R*)c.at[kScales];                                                                                                         \
    int *pivots = c.k == 0 ? nullptr : (int*)c.at[kPivots], *info = (int*)c.at[kInfo], elems = 0;                                         \
    const auto fill = (cublasFillMode_t)c.fill;                                                                                            \
    const auto op = (cublasOperation_t)c.op;                                                                                               \
    const auto side = (cublasSideMode_t)c.side;                                                                                            \
    const auto vectors = (cusolverEigMode_t)c.job_u;                                                                                       \
    switch (c.kind) {                                                                                                                      \
      case kGetrf:                                                                                                                         \
      case kGetrs:                                                                                                                         \
        MUST(cusolverDn##L##getrf_bufferSize(handle, c.m, c.n, a, c.lda, &elems));                                                         \
        MUST(cusolverDn##L##getrf(handle, c.m, c.n, a, c.lda, work<T>(elems), pivots, info));                                              \
        if (c.kind == kGetrs) MUST(cusolverDn##L##getrs(handle, op, c.n, c.k, a, c.lda, pivots, b, c.ldb, info));                          \
        break;                                                                                                                             \
      case kPotrf:                                                                                                                         \
      case kPotrs:                                                                                                                         \
      case kPotri:                                                                                                                         \
        MUST(cusolverDn##L##potrf_bufferSize(handle, fill, c.n, a, c.lda, &elems));                                                        \
        MUST(cusolverDn##L##potrf(handle, fill, c.n, a, c.lda, work<T>(elems), elems, info));                                              \
        if (c.kind == kPotrs) MUST(cusolverDn##L##potrs(handle, fill, c.n, c.k, a, c.lda, b, c.ldb, info));                                \
        if (c.kind != kPotri) break;                                                                                                       \
        MUST(cusolverDn##L##potri_bufferSize(handle, fill, c.n, a, c.lda, &elems));                                                        \
        MUST(cusolverDn##L##potri(handle, fill, c.n, a, c.lda, work<T>(elems), elems, info));                                              \
        break;                                                                                                                             \
      case kGeqrf:                                                                                                                         \
      case kOrmqr:                                                                                                                         \
      case kOrgqr:                                                                                                                         \
        MUST(cusolverDn##L##geqrf_bufferSize(handle, c.m, c.n, a, c.lda, &elems));                                                         \
        MUST(cusolverDn##L##geqrf(handle, c.m, c.n, a, c.lda, scales, work<T>(elems), elems, info));                                       \
        if (c.kind == kOrmqr) {                                                                                                            \
          const int rows = c.side == 0 ? c.m : c.k, cols = c.side == 0 ? c.k : c.m;                                                        \
          MUST(cusolverDn##L##ORMQR##_bufferSize(handle, side, op, rows, cols, c.n, a, c.lda, scales, b, c.ldb, &elems));                  \
          MUST(cusolverDn##L##ORMQR(handle, side, op, rows, cols, c.n, a, c.lda, scales, b, c.ldb, work<T>(elems), elems, info));          \
        } else if (c.kind == kOrgqr) {                                                                                                     \
          MUST(cudaDeviceSynchronize());                                                                                                   \
          MUST(cudaMemcpy2D(b, c.ldb * sizeof(T), a, c.lda * sizeof(T), c.m * sizeof(T), c.n, cudaMemcpyDeviceToDevice));                  \
          MUST(cudaDeviceSynchronize());                                                                                                   \
          MUST(cusolverDn##L##ORGQR##_bufferSize(handle, c.m, c.k, c.n, b, c.ldb, scales, &elems));                                        \
          MUST(cusolverDn##L##ORGQR(handle, c.m, c.k, c.n, b, c.ldb, scales, work<T>(elems), elems, info));                                \
        }                                                                                                                                  \
        break;                                                                                                                             \
      case kGesvd:                                                                                                                         \
        MUST(cusolverDn##L##gesvd_bufferSize(handle, c.m, c.n, &elems));                                                                   \
        MUST(cusolverDn##L##gesvd(handle, c.job_u, c.job_vt, c.m, c.n, a, c.lda, values, b, c.ldb, extra, c.ldc, work<T>(elems), elems,     \
                                  nullptr, info));                                                                                         \
        break;                                                                                                                             \
      case kSyevd:                                                                                                                         \
        MUST(cusolverDn##L##SYEVD##_bufferSize(handle, vectors, fill, c.n, a, c.lda, values, &elems));                                     \
        MUST(cusolverDn##L##SYEVD(handle, vectors, fill, c.n, a, c.lda, values, work<T>(elems), elems, info));                             \
        break;                                                                                                                             \
      case kSyevj: {                                                                                                                       \
        syevjInfo_t how;                                                                                                                   \
        MUST(cusolverDnCreateSyevjInfo(&how));                                                                                             \
        if (c.side == 0) {                                                                                                                 \
          MUST(cusolverDn##L##SYEVJ##_bufferSize(handle, vectors, fill, c.n, a, c.lda, values, &elems, how));                              \
          MUST(cusolverDn##L##SYEVJ(handle, vectors, fill, c.n, a, c.lda, values, work<T>(elems), elems, info, how));                      \
        } else {                                                                                                                           \
          const Second<T> m(a, c.lda * c.n);                                                                                               \
          const Second<R> w(values, c.n);                                                                                                  \
          const Second<int> said(info, 1);                                                                                                 \
          MUST(cusolverDn##L##SYEVJ##Batched_bufferSize(handle, vectors, fill, c.n, m.two, c.lda, w.two, &elems, how, 2));                 \
          MUST(cusolverDn##L##SYEVJ##Batched(handle, vectors, fill, c.n, m.two, c.lda, w.two, work<T>(elems), elems, said.two, how, 2));   \
        }                                                                                                                                  \
        MUST(cusolverDnDestroySyevjInfo(how));                                                                                             \
        break;                                                                                                                             \
      }                                                                                                                                    \
      case kGesvdj: {                                                                                                                      \
        gesvdjInfo_t how;                                                                                                                  \
        MUST(cusolverDnCreateGesvdjInfo(&how));                                                                                            \
        if (c.side == 0) {                                                                                                                 \
          MUST(cusolverDn##L##gesvdj_bufferSize(handle, vectors, c.op, c.m, c.n, a, c.lda, values, b, c.ldb, extra, c.ldc, &elems, how));  \
          MUST(cusolverDn##L##gesvdj(handle, vectors, c.op, c.m, c.n, a, c.lda, values, b, c.ldb, extra, c.ldc, work<T>(elems), elems, info, how));\
        } else {                                                                                                                           \
          const Second<T> m(a, c.lda * c.n), u(b, c.ldb * c.m), v(extra, c.ldc * c.n);                                                     \
          const Second<R> s(values, c.m < c.n ? c.m : c.n);                                                                                \
          const Second<int> said(info, 1);                                                                                                 \
          MUST(cusolverDn##L##gesvdjBatched_bufferSize(handle, vectors, c.m, c.n, m.two, c.lda, s.two, u.two, c.ldb, v.two, c.ldc, &elems, how, 2));\
          MUST(cusolverDn##L##gesvdjBatched(handle, vectors, c.m, c.n, m.two, c.lda, s.two, u.two, c.ldb, v.two, c.ldc, work<T>(elems), elems,\
                                            said.two, how, 2));                                                                            \
        }                                                                                                                                  \
        MUST(cusolverDnDestroyGesvdjInfo(how));                                                                                            \
        break;                                                                                                                             \
      }                                                                                                                                    \
    }                                                                                                                                      \
  }
// The 64-bit API, for what it has.
bool run_wide(const Call& c) {
  const auto type = static_cast<cudaDataType>(c.type), real = static_cast<cudaDataType>(c.type & 1);
  const auto fill = static_cast<cublasFillMode_t>(c.fill);
  const auto vectors = static_cast<cusolverEigMode_t>(c.job_u);
  void *const a = c.at[kA], *const b = c.at[kB], *const scales = c.at[kScales];
  auto *const pivots = c.k == 0 ? nullptr : static_cast<int64_t*>(c.at[kPivots]);
  int* const info = static_cast<int*>(c.at[kInfo]);
  std::size_t bytes = 0, host = 7;
  cusolverDnParams_t how;
  MUST(cusolverDnCreateParams(&how));
  switch (c.kind) {
    case kGetrf:
    case kGetrs:
      MUST(cusolverDnXgetrf_bufferSize(handle, how, c.m, c.n, type, a, c.lda, type, &bytes, &host));
      MUST(cusolverDnXgetrf(handle, how, c.m, c.n, type, a, c.lda, pivots, type, work<char>(bytes), bytes, nullptr, host, info));
      if (c.kind == kGetrs) MUST(cusolverDnXgetrs(handle, how, static_cast<cublasOperation_t>(c.op), c.n, c.k, type, a, c.lda, pivots, type, b, c.ldb, info));
      break;
    case kPotrf:
    case kPotrs:
      MUST(cusolverDnXpotrf_bufferSize(handle, how, fill, c.n, type, a, c.lda, type, &bytes, &host));
      MUST(cusolverDnXpotrf(handle, how, fill, c.n, type, a, c.lda, type, work<char>(bytes), bytes, nullptr, host, info));
      if (c.kind == kPotrs) MUST(cusolverDnXpotrs(handle, how, fill, c.n, c.k, type, a, c.lda, type, b, c.ldb, info));
      break;
    case kGeqrf:
      MUST(cusolverDnXgeqrf_bufferSize(handle, how, c.m, c.n, type, a, c.lda, type, scales, type, &bytes, &host));
      MUST(cusolverDnXgeqrf(handle, how, c.m, c.n, type, a, c.lda, type, scales, type, work<char>(bytes), bytes, nullptr, host, info));
      break;
    case kGesvd:
      MUST(cusolverDnXgesvd_bufferSize(handle, how, c.job_u, c.job_vt, c.m, c.n, type, a, c.lda, real, scales, type, b, c.ldb, type, c.at[kC], c.ldc, type,
                                       &bytes, &host));
      MUST(cusolverDnXgesvd(handle, how, c.job_u, c.job_vt, c.m, c.n, type, a, c.lda, real, scales, type, b, c.ldb, type, c.at[kC], c.ldc, type,
                            work<char>(bytes), bytes, nullptr, host, info));
      break;
    case kSyevd:
      MUST(cusolverDnXsyevd_bufferSize(handle, how, vectors, fill, c.n, type, a, c.lda, real, scales, type, &bytes, &host));
      MUST(cusolverDnXsyevd(handle, how, vectors, fill, c.n, type, a, c.lda, real, scales, type, work<char>(bytes), bytes, nullptr, host, info));
      break;
    case kGeev: {
      const auto pairs = static_cast<cudaDataType>(c.type | 4), none = type;
      const auto left = CUSOLVER_EIG_MODE_NOVECTOR;
      MUST(cusolverDnXgeev_bufferSize(handle, how, left, vectors, c.n, type, a, c.lda, pairs, scales, none, nullptr, 1, type, b, c.ldb, type, &bytes, &host));
      std::vector<char> on_host(host + 1);
      MUST(cusolverDnXgeev(handle, how, left, vectors, c.n, type, a, c.lda, pairs, scales, none, nullptr, 1, type, b, c.ldb, type, work<char>(bytes), bytes,
                           on_host.data(), host, info));
      host = 0;
      break;
    }
    default: return false;
  }
  MUST(cusolverDnDestroyParams(how));
  return host == 0;
}

RUN(run_s, float, float, S, ormqr, orgqr, syevd, syevj)
RUN(run_d, double, double, D, ormqr, orgqr, syevd, syevj)
RUN(run_c, cuComplex, float, C, unmqr, ungqr, heevd, heevj)
RUN(run_z, cuDoubleComplex, double, Z, unmqr, ungqr, heevd, heevj)

int main(int, char** words) {
  std::FILE* const list = std::fopen(words[1], "r");
  std::FILE* const data = std::fopen(words[2], "rb");
  std::FILE* const results = std::fopen(words[3], "wb");
  cudaStream_t stream;
  MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  MUST(cusolverDnCreate(&handle));
  MUST(cusolverDnSetStream(handle, stream));
  Call c;
  while (std::fscanf(list, "%d %d %d %d %d %d %d %d %d %d %d %d %d %d", &c.kind, &c.type, &c.m, &c.n, &c.k, &c.lda, &c.ldb, &c.ldc, &c.fill, &c.op, &c.side,
                     &c.job_u, &c.job_vt, &c.wide) == 14) {
    std::vector<char> host[kArrays];
    for (int k = 0; k < kArrays; ++k) {
      std::size_t bytes;
      if (std::fscanf(list, "%zu", &bytes) != 1) return 2;
      host[k].resize(bytes);
      if (std::fread(host[k].data(), 1, bytes, data) != bytes) return 2;
      MUST(cudaMalloc(c.at + k, bytes + 1));
      MUST(cudaMemcpy(c.at[k], host[k].data(), bytes, cudaMemcpyHostToDevice));
    }
    MUST(cudaDeviceSynchronize());
    if (c.wide == 0)
      (c.type == 0 ? run_s : c.type == 1 ? run_d : c.type == 4 ? run_c : run_z)(c);
    else if (!run_wide(c))
      return 4;
    MUST(cudaStreamSynchronize(stream));
    for (int k = 0; k < kArrays; ++k) {
      MUST(cudaMemcpy(host[k].data(), c.at[k], host[k].size(), cudaMemcpyDeviceToHost));
      std::fwrite(host[k].data(), 1, host[k].size(), results);
      cudaFree(c.at[k]);
    }
    for (void* const room : works) cudaFree(room);
    works.clear();
  }
  std::fclose(results);
  MUST(cusolverDnDestroy(handle));
  cudaStreamDestroy(stream);
  return 0;
}
