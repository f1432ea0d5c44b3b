// A textbook's way: choose the kernel on the command line, time it with gettimeofday, any matrix shape, effective bandwidth.
// args: 5 16 16 200 120
// mask: elapsed [0-9.e-]+ sec
// mask: effective bandwidth [0-9.inf]+ GB
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define CHECK(call)                                                            \
{                                                                              \
    const cudaError_t error = call;                                            \
    if (error != cudaSuccess)                                                  \
    {                                                                          \
        fprintf(stderr, "Error: %s:%d, ", __FILE__, __LINE__);                 \
        fprintf(stderr, "code: %d, reason: %s\n", error,                       \
                cudaGetErrorString(error));                                    \
        exit(1);                                                               \
    }                                                                          \
}

inline double seconds()
{
    struct timeval tp;
    struct timezone tzp;
    gettimeofday(&tp, &tzp);
    return ((double)tp.tv_sec + (double)tp.tv_usec * 1.e-6);
}

#define BDIMX 16
#define BDIMY 16

void initialData(float *in, const int size)
{
    srand(7);
    for (int i = 0; i < size; i++) in[i] = (float)(rand() & 0xFF) / 10.0f;
}

void transposeHost(float *out, float *in, const int nx, const int ny)
{
    for (int iy = 0; iy < ny; ++iy)
        for (int ix = 0; ix < nx; ++ix) out[ix * ny + iy] = in[iy * nx + ix];
}

__global__ void warmup(float *out, float *in, const int nx, const int ny)
{
    unsigned int ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny) out[iy * nx + ix] = in[iy * nx + ix];
}

__global__ void copyRow(float *out, float *in, const int nx, const int ny)
{
    unsigned int ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny) out[iy * nx + ix] = in[iy * nx + ix];
}

__global__ void copyCol(float *out, float *in, const int nx, const int ny)
{
    unsigned int ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny) out[ix * ny + iy] = in[ix * ny + iy];
}

__global__ void transposeNaiveRow(float *out, float *in, const int nx, const int ny)
{
    unsigned int ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny) out[ix * ny + iy] = in[iy * nx + ix];
}

__global__ void transposeNaiveCol(float *out, float *in, const int nx, const int ny)
{
    unsigned int ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < ny && iy < nx) out[iy * ny + ix] = in[ix * nx + iy];
}

__global__ void transposeUnroll4Row(float *out, float *in, const int nx, const int ny)
{
    unsigned int ix = blockDim.x * blockIdx.x * 4 + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    unsigned int ti = iy * nx + ix, to = ix * ny + iy;
    if (ix + 3 * blockDim.x < nx && iy < ny)
    {
        out[to] = in[ti];
        out[to + ny * blockDim.x] = in[ti + blockDim.x];
        out[to + ny * 2 * blockDim.x] = in[ti + 2 * blockDim.x];
        out[to + ny * 3 * blockDim.x] = in[ti + 3 * blockDim.x];
    }
    else
    {
        for (unsigned int u = 0; u < 4; u++)
            if (ix + u * blockDim.x < nx && iy < ny)
                out[to + ny * u * blockDim.x] = in[ti + u * blockDim.x];
    }
}

__global__ void transposeSmem(float *out, float *in, int nx, int ny)
{
    __shared__ float tile[BDIMY][BDIMX];
    unsigned int ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    unsigned int ti = iy * nx + ix;
    // where this thread stands in the transposed tile
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;
    if (ix < nx && iy < ny) tile[threadIdx.y][threadIdx.x] = in[ti];
    __syncthreads();
    ix = blockIdx.y * blockDim.y + icol;
    iy = blockIdx.x * blockDim.x + irow;
    if (ix < ny && iy < nx) out[iy * ny + ix] = tile[icol][irow];
}

__global__ void transposeSmemDyn(float *out, float *in, int nx, int ny)
{
    extern __shared__ float dynamic_tile[];
    unsigned int ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int iy = blockDim.y * blockIdx.y + threadIdx.y;
    unsigned int row = threadIdx.y * (blockDim.x + 2) + threadIdx.x;
    unsigned int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int irow = bidx / blockDim.y;
    unsigned int icol = bidx % blockDim.y;
    unsigned int col = icol * (blockDim.x + 2) + irow;
    if (ix < nx && iy < ny) dynamic_tile[row] = in[iy * nx + ix];
    __syncthreads();
    ix = blockIdx.y * blockDim.y + icol;
    iy = blockIdx.x * blockDim.x + irow;
    if (ix < ny && iy < nx) out[iy * ny + ix] = dynamic_tile[col];
}

int main(int argc, char **argv)
{
    int dev = 0;
    cudaDeviceProp deviceProp;
    CHECK(cudaGetDeviceProperties(&deviceProp, dev));
    printf("starting transpose at device %d ", dev);
    CHECK(cudaSetDevice(dev));

    int last = 0, blockx = 16, blocky = 16;
    int nx = 1 << 8, ny = 1 << 8;
    if (argc > 1) last = atoi(argv[1]);
    if (argc > 2) blockx = atoi(argv[2]);
    if (argc > 3) blocky = atoi(argv[3]);
    if (argc > 4) nx = atoi(argv[4]);
    if (argc > 5) ny = atoi(argv[5]);
    printf("with matrix nx %d ny %d, kernels 0 to %d\n", nx, ny, last);
    size_t nBytes = nx * ny * sizeof(float);
    dim3 block(blockx, blocky);

    float *h_A = (float *)malloc(nBytes);
    float *hostRef = (float *)malloc(nBytes);
    float *gpuRef = (float *)malloc(nBytes);
    initialData(h_A, nx * ny);
    transposeHost(hostRef, h_A, nx, ny);
    float *d_A, *d_C;
    CHECK(cudaMalloc((float **)&d_A, nBytes));
    CHECK(cudaMalloc((float **)&d_C, nBytes));
    CHECK(cudaMemcpy(d_A, h_A, nBytes, cudaMemcpyHostToDevice));

    double iStart = seconds();
    dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
    warmup<<<grid, block>>>(d_C, d_A, nx, ny);
    CHECK(cudaDeviceSynchronize());
    double iElaps = seconds() - iStart;
    printf("warmup         elapsed %f sec\n", iElaps);
    CHECK(cudaGetLastError());

    int bad = 0;
    for (int iKernel = 0; iKernel <= last; iKernel++)
    {
        void (*kernel)(float *, float *, int, int) = NULL;
        const char *kernelName = "";
        size_t smem = 0;
        dim3 g = grid;
        switch (iKernel)
        {
        case 0: kernel = &copyRow; kernelName = "CopyRow       "; break;
        case 1: kernel = &transposeNaiveRow; kernelName = "NaiveRow      "; break;
        case 2:
            kernel = &transposeNaiveCol; kernelName = "NaiveCol      ";
            g = dim3((ny + block.x - 1) / block.x, (nx + block.y - 1) / block.y);
            break;
        case 3:
            kernel = &transposeUnroll4Row; kernelName = "Unroll4Row    ";
            g.x = (nx + block.x * 4 - 1) / (block.x * 4);
            break;
        case 4: kernel = &transposeSmem; kernelName = "Smem          "; break;
        case 5:
            kernel = &transposeSmemDyn; kernelName = "SmemDyn       ";
            smem = block.y * (block.x + 2) * sizeof(float);
            break;
        }
        CHECK(cudaMemset(d_C, 0, nBytes));
        iStart = seconds();
        kernel<<<g, block, smem>>>(d_C, d_A, nx, ny);
        CHECK(cudaDeviceSynchronize());
        iElaps = seconds() - iStart;
        float ibnd = 2 * nx * ny * sizeof(float) / 1e9 / iElaps;
        printf("%s elapsed %f sec <<< grid (%d,%d) block (%d,%d)>>> effective bandwidth %f GB\n", kernelName, iElaps,
               g.x, g.y, block.x, block.y, ibnd);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(gpuRef, d_C, nBytes, cudaMemcpyDeviceToHost));
        float *expected = iKernel == 0 ? h_A : hostRef;
        for (int i = 0; i < nx * ny; i++)
            if (gpuRef[i] != expected[i])
            {
                printf("Arrays do not match at %d: host %f gpu %f\n", i, expected[i], gpuRef[i]);
                bad = 1;
                break;
            }
    }
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_C));
    free(h_A);
    free(hostRef);
    free(gpuRef);
    CHECK(cudaDeviceReset());
    return bad;
}
