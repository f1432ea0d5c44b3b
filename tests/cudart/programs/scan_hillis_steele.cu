// Inclusive prefix sum of one block, two buffers in shared memory that swap roles each step.
#include <stdio.h>
#include <stdlib.h>

__global__ void scan(int *g_odata, int *g_idata, int n)
{
    extern __shared__ int temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    temp[pout * n + thid] = g_idata[thid];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2)
    {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    g_odata[thid] = temp[pout * n + thid];
}

int main(void)
{
    const int sizes[] = {1, 2, 33, 100, 512, 1024};
    int bad = 0;
    for (int s = 0; s < 6; s++)
    {
        int n = sizes[s];
        size_t bytes = n * sizeof(int);
        int *h_in = (int *)malloc(bytes), *h_out = (int *)malloc(bytes), *d_in, *d_out;
        for (int i = 0; i < n; i++) h_in[i] = i % 7 + 1;
        cudaMalloc((void **)&d_in, bytes);
        cudaMalloc((void **)&d_out, bytes);
        cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice);
        scan<<<1, n, 2 * bytes>>>(d_out, d_in, n);
        cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost);
        int sum = 0, wrong = 0;
        for (int i = 0; i < n; i++)
        {
            sum += h_in[i];
            if (h_out[i] != sum) wrong++;
        }
        printf("n = %4d: last = %5d, %s\n", n, h_out[n - 1], wrong ? "wrong" : "right");
        bad += wrong;
        cudaFree(d_in);
        cudaFree(d_out);
        free(h_in);
        free(h_out);
    }
    if (cudaGetLastError() != cudaSuccess) bad++;
    return bad != 0;
}
