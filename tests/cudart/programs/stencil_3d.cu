// Seven points in three dimensions, on a pitched volume from cudaMalloc3D; planes are kept in registers while z advances.
#include <cstdio>
#include <cstdlib>

#define DIM 34
#define CK(x) if ((x) != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(cudaPeekAtLastError())); exit(3); }

__global__ void seven_points(cudaPitchedPtr in, cudaPitchedPtr out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  size_t slice = in.pitch * ny;
  auto cell = [&](cudaPitchedPtr p, int dz, int dy, int dx, int z) -> int & {
    return *((int *)((char *)p.ptr + (z + dz) * slice + (y + dy) * p.pitch) + x + dx);
  };
  int below = cell(in, 0, 0, 0, 0), here = cell(in, 1, 0, 0, 0), above;
  for (int z = 1; z < nz - 1; ++z) {
    above = cell(in, 1, 0, 0, z);
    cell(out, 0, 0, 0, z) = below + above + cell(in, 0, -1, 0, z) + cell(in, 0, 1, 0, z) +
                            cell(in, 0, 0, -1, z) + cell(in, 0, 0, 1, z) - 6 * here;
    below = here;
    here = above;
  }
}

int main() {
  static int host[DIM][DIM][DIM], result[DIM][DIM][DIM];
  for (int z = 0; z < DIM; ++z)
    for (int y = 0; y < DIM; ++y)
      for (int x = 0; x < DIM; ++x) host[z][y][x] = x * x + 3 * y * y - 2 * z * z + (x * y * z) % 5;
  cudaExtent extent = make_cudaExtent(DIM * sizeof(int), DIM, DIM);
  cudaPitchedPtr d_in, d_out;
  CK(cudaMalloc3D(&d_in, extent));
  CK(cudaMalloc3D(&d_out, extent));
  CK(cudaMemset3D(d_out, 0, extent));
  cudaMemcpy3DParms up = {0};
  up.srcPtr = make_cudaPitchedPtr(host, DIM * sizeof(int), DIM, DIM);
  up.dstPtr = d_in;
  up.extent = extent;
  up.kind = cudaMemcpyHostToDevice;
  CK(cudaMemcpy3D(&up));
  dim3 block(32, 4), grid(2, (DIM + 3) / 4);
  seven_points<<<grid, block>>>(d_in, d_out, DIM, DIM, DIM);
  CK(cudaGetLastError());
  cudaMemcpy3DParms down = {0};
  down.srcPtr = d_out;
  down.dstPtr = make_cudaPitchedPtr(result, DIM * sizeof(int), DIM, DIM);
  down.extent = extent;
  down.kind = cudaMemcpyDeviceToHost;
  CK(cudaMemcpy3D(&down));
  long long sum = 0;
  for (int z = 0; z < DIM; ++z)
    for (int y = 0; y < DIM; ++y)
      for (int x = 0; x < DIM; ++x) {
        bool inside = x && y && z && x < DIM - 1 && y < DIM - 1 && z < DIM - 1;
        int want = !inside ? 0
                           : host[z - 1][y][x] + host[z + 1][y][x] + host[z][y - 1][x] + host[z][y + 1][x] +
                                 host[z][y][x - 1] + host[z][y][x + 1] - 6 * host[z][y][x];
        sum += result[z][y][x];
        if (result[z][y][x] != want) {
          printf("at %d %d %d: %d, expected %d\n", z, y, x, result[z][y][x], want);
          return 1;
        }
      }
  printf("pitch is a multiple of 32 bytes: %s\n", d_in.pitch % 32 == 0 && d_in.pitch >= DIM * 4 ? "yes" : "no");
  printf("sum %lld, all %d cells right\n", sum, DIM * DIM * DIM);
  CK(cudaFree(d_in.ptr));
  CK(cudaFree(d_out.ptr));
  return 0;
}
