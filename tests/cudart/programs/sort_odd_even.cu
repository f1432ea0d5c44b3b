// Odd-even transposition sort, n launches over global memory, and the same in one block.
#include<stdio.h>
#include<stdlib.h>
#define SIZE 600

__global__ void oddeven(int *x, int I, int n)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	int left = 2 * id + I;
	if (left + 1 < n && x[left] > x[left+1])
	{
		int X = x[left];
		x[left] = x[left+1];
		x[left+1] = X;
	}
}

__global__ void oddeven_block(int *x, int n)
{
	extern __shared__ int s[];
	for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
	__syncthreads();
	for (int round = 0; round < n; round++) {
		int left = 2 * threadIdx.x + (round & 1);
		if (left + 1 < n) {
			int a = s[left], b = s[left+1];
			s[left] = min(a, b);
			s[left+1] = max(a, b);
		}
		__syncthreads();
	}
	for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = s[i];
}

int main()
{
	int a[SIZE], c[SIZE], e[SIZE], *d;
	srand(42);
	for (int i = 0; i < SIZE; i++) a[i] = (i * 7919 + 13) % 1009;
	cudaMalloc((void**)&d, SIZE * sizeof(int));
	cudaMemcpy(d, a, SIZE * sizeof(int), cudaMemcpyHostToDevice);
	for (int i = 0; i < SIZE; i++) oddeven<<<(SIZE / 2 + 63) / 64, 64>>>(d, i % 2, SIZE);
	cudaMemcpy(c, d, SIZE * sizeof(int), cudaMemcpyDeviceToHost);
	cudaMemcpy(d, a, SIZE * sizeof(int), cudaMemcpyHostToDevice);
	oddeven_block<<<1, (SIZE + 1) / 2, SIZE * sizeof(int)>>>(d, SIZE);
	cudaMemcpy(e, d, SIZE * sizeof(int), cudaMemcpyDeviceToHost);
	int bad = 0;
	for (int i = 0; i < SIZE; i++) {
		if (i && c[i-1] > c[i]) bad++;
		if (c[i] != e[i]) bad++;
		if (i % 60 == 0) printf("%d ", c[i]);
	}
	printf("\n%s\n", bad ? "not sorted" : "sorted, both ways the same");
	cudaFree(d);
	return bad;
}
