// C = A * B through shared tiles, ragged sizes allowed, with a struct for matrices as the programming guides have it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE 16

typedef struct {
    int width;
    int height;
    int stride;
    float* elements;
} Matrix;

__device__ float GetElement(const Matrix A, int row, int col)
{
    return row < A.height && col < A.width ? A.elements[row * A.stride + col] : 0.0f;
}

__global__ void MatMulKernel(const Matrix A, const Matrix B, Matrix C)
{
    int row = blockIdx.y * BLOCK_SIZE + threadIdx.y;
    int col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float Cvalue = 0;
    for (int m = 0; m < (A.width + BLOCK_SIZE - 1) / BLOCK_SIZE; ++m) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE + 1];
        As[threadIdx.y][threadIdx.x] = GetElement(A, row, m * BLOCK_SIZE + threadIdx.x);
        Bs[threadIdx.y][threadIdx.x] = GetElement(B, m * BLOCK_SIZE + threadIdx.y, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[threadIdx.y][e] * Bs[e][threadIdx.x];
        __syncthreads();
    }
    if (row < C.height && col < C.width) C.elements[row * C.stride + col] = Cvalue;
}

Matrix OnDevice(const Matrix M, bool copy)
{
    Matrix d = M;
    d.stride = M.width;
    size_t size = M.width * M.height * sizeof(float);
    if (cudaMalloc(&d.elements, size) != cudaSuccess) exit(2);
    if (copy) cudaMemcpy(d.elements, M.elements, size, cudaMemcpyHostToDevice);
    return d;
}

Matrix Make(int height, int width, int seed)
{
    Matrix M = {width, height, width, (float*)malloc(width * height * sizeof(float))};
    for (int i = 0; i < width * height; ++i) M.elements[i] = (float)((i * seed) % 17 - 8);
    return M;
}

int main(int argc, char* argv[])
{
    Matrix A = Make(70, 133, 5), B = Make(133, 90, 11), C = Make(70, 90, 1);
    Matrix d_A = OnDevice(A, true), d_B = OnDevice(B, true), d_C = OnDevice(C, false);
    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid((B.width + dimBlock.x - 1) / dimBlock.x, (A.height + dimBlock.y - 1) / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);
    cudaError_t err = cudaDeviceSynchronize();
    printf("Run kernel: %s\n", cudaGetErrorString(err));
    cudaMemcpy(C.elements, d_C.elements, C.width * C.height * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < C.height; ++r)
        for (int c = 0; c < C.width; ++c) {
            float want = 0;  // small whole numbers: exact in float
            for (int k = 0; k < A.width; ++k) want += A.elements[r * A.width + k] * B.elements[k * B.width + c];
            if (C.elements[r * C.width + c] != want) wrong++;
        }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 6; ++c) printf("%7.0f", C.elements[r * C.width + c]);
        printf("\n");
    }
    printf("%d of %d elements wrong\n", wrong, C.width * C.height);
    cudaFree(d_A.elements);
    cudaFree(d_B.elements);
    cudaFree(d_C.elements);
    return wrong ? 1 : 0;
}
