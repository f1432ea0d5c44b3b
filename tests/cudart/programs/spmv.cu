// Sparse matrix times vector: COO with atomics, CSR one thread a row, CSR one warp a row, ELL column by column.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Csr {
  int rows;
  std::vector<int> offsets, columns;
  std::vector<float> values;
};

#define CHECK_CUDA(func)                                                                      \
  {                                                                                           \
    cudaError_t status = (func);                                                              \
    if (status != cudaSuccess) {                                                              \
      printf("CUDA API failed at line %d with error: %s (%d)\n", __LINE__, cudaGetErrorString(status), status); \
      return EXIT_FAILURE;                                                                    \
    }                                                                                         \
  }

__global__ void spmv_coo(int nnz, const int *row, const int *col, const float *val, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nnz) atomicAdd(&y[row[i]], val[i] * x[col[i]]);
}

__global__ void spmv_csr_scalar(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    float dot = 0;
    for (int jj = ptr[row]; jj < ptr[row + 1]; jj++) dot += val[jj] * __ldg(&x[col[jj]]);
    y[row] = dot;
  }
}

__global__ void spmv_csr_vector(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y) {
  __shared__ float vals[128];
  int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
  int warp_id = thread_id / 32, lane = thread_id & 31;
  if (warp_id >= rows) return;
  vals[threadIdx.x] = 0;
  for (int jj = ptr[warp_id] + lane; jj < ptr[warp_id + 1]; jj += 32) vals[threadIdx.x] += val[jj] * x[col[jj]];
  // A fold inside one warp; each step is written before the next reads.
  for (int d = 16; d > 0; d /= 2) {
    __syncwarp();
    float other = lane < d ? vals[threadIdx.x + d] : 0;
    __syncwarp();
    vals[threadIdx.x] += other;
  }
  if (lane == 0) y[warp_id] = vals[threadIdx.x];
}

__global__ void spmv_ell(int rows, int width, const int *col, const float *val, const float *x, float *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row >= rows) return;
  float dot = 0;
  for (int n = 0; n < width; n++) {
    int c = col[rows * n + row];
    if (c >= 0) dot += val[rows * n + row] * x[c];
  }
  y[row] = dot;
}

Csr make(int rows) {
  Csr m{rows, {0}, {}, {}};
  for (int r = 0; r < rows; ++r) {
    int count = 1 + (r * 7) % 40;
    for (int k = 0; k < count; ++k) {
      m.columns.push_back((r * 13 + k * 29) % rows);
      m.values.push_back((float)((r + k) % 9 - 4));
    }
    m.offsets.push_back((int)m.columns.size());
  }
  return m;
}

template <class T>
T *upload(const std::vector<T> &v) {
  T *p = nullptr;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

int main() {
  const int rows = 1500;
  Csr m = make(rows);
  int nnz = m.columns.size(), width = 0;
  std::vector<float> x(rows), want(rows), y(rows);
  std::vector<int> coo_rows;
  for (int i = 0; i < rows; ++i) x[i] = (float)(i % 11 - 5);
  for (int r = 0; r < rows; ++r) {
    width = std::max(width, m.offsets[r + 1] - m.offsets[r]);
    for (int k = m.offsets[r]; k < m.offsets[r + 1]; ++k) want[r] += m.values[k] * x[m.columns[k]], coo_rows.push_back(r);
  }
  std::vector<int> ell_col(rows * width, -1);
  std::vector<float> ell_val(rows * width);
  for (int r = 0; r < rows; ++r)
    for (int k = m.offsets[r]; k < m.offsets[r + 1]; ++k) {
      ell_col[(k - m.offsets[r]) * rows + r] = m.columns[k];
      ell_val[(k - m.offsets[r]) * rows + r] = m.values[k];
    }
  int *d_ptr = upload(m.offsets), *d_col = upload(m.columns), *d_row = upload(coo_rows), *d_ell = upload(ell_col);
  float *d_val = upload(m.values), *d_x = upload(x), *d_y = upload(y), *d_ellv = upload(ell_val);
  const char *names[] = {"coo", "csr scalar", "csr vector", "ell"};
  for (int way = 0; way < 4; ++way) {
    CHECK_CUDA(cudaMemset(d_y, 0, rows * sizeof(float)))
    if (way == 0) spmv_coo<<<(nnz + 255) / 256, 256>>>(nnz, d_row, d_col, d_val, d_x, d_y);
    if (way == 1) spmv_csr_scalar<<<(rows + 127) / 128, 128>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
    if (way == 2) spmv_csr_vector<<<(rows * 32 + 127) / 128, 128>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
    if (way == 3) spmv_ell<<<(rows + 127) / 128, 128>>>(rows, width, d_ell, d_ellv, d_x, d_y);
    CHECK_CUDA(cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost))
    bool ok = y == want;
    printf("%-10s y[0] = %g, y[%d] = %g: %s\n", names[way], y[0], rows - 1, y[rows - 1], ok ? "PASSED" : "FAILED");
    if (!ok) return EXIT_FAILURE;
  }
  for (void *p : {(void *)d_ptr, (void *)d_col, (void *)d_row, (void *)d_ell, (void *)d_val, (void *)d_x, (void *)d_y, (void *)d_ellv})
    CHECK_CUDA(cudaFree(p))
  return EXIT_SUCCESS;
}
