// launch: entry=k grid=8,4 block=16,16 args=out:f32[8192],in:f32[8192],i32:64,i32:128
extern "C" __global__ void k(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[16][17];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[r * cols + c];
  __syncthreads();
  int tr = blockIdx.y * 16 + threadIdx.x, tc = blockIdx.x * 16 + threadIdx.y;
  out[tc * rows + tr] = tile[threadIdx.x][threadIdx.y];
}
