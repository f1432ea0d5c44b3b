// Jacobi iteration on managed memory; the host reads the residual after each sweep, no copies are written.
#include <math.h>
#include <stdio.h>

#define N 66
#define TOL 1.0e-2

__global__ void sweep(const double *a, double *anew, unsigned long long *residual, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    double diff = 0;
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
    {
        double v = 0.25 * (a[j * n + i - 1] + a[j * n + i + 1] + a[(j - 1) * n + i] + a[(j + 1) * n + i]);
        diff = fabs(v - a[j * n + i]);
        anew[j * n + i] = v;
    }
    // Positive doubles keep their order as bits, so an integer maximum will do.
    if (diff > 0) atomicMax(residual, (unsigned long long)__double_as_longlong(diff));
}

int main()
{
    double *a, *anew;
    unsigned long long *residual;
    cudaMallocManaged(&a, N * N * sizeof(double));
    cudaMallocManaged(&anew, N * N * sizeof(double));
    cudaMallocManaged(&residual, sizeof(*residual));
    for (int k = 0; k < N * N; k++) a[k] = anew[k] = k < N ? 100.0 : 0.0;
    static double h[N * N], hnew[N * N];
    for (int k = 0; k < N * N; k++) h[k] = hnew[k] = a[k];
    dim3 threads(16, 16), blocks((N + 15) / 16, (N + 15) / 16);
    int iter = 0;
    double err = 1;
    while (err > TOL && iter < 400)
    {
        *residual = 0;
        sweep<<<blocks, threads>>>(a, anew, residual, N);
        cudaDeviceSynchronize();
        unsigned long long bits = *residual;
        err = *(double *)&bits;
        double *t = a; a = anew; anew = t;
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++)
                hnew[j * N + i] = 0.25 * (h[j * N + i - 1] + h[j * N + i + 1] + h[(j - 1) * N + i] + h[(j + 1) * N + i]);
        for (int k = 0; k < N * N; k++) h[k] = hnew[k];
        if (iter % 100 == 0) printf("%5d, %0.6f\n", iter, err);
        iter++;
    }
    double worst = 0;
    for (int k = 0; k < N * N; k++) worst = fmax(worst, fabs(a[k] - h[k]));
    printf("%d iterations, centre %.6f, same as the host: %s\n", iter, a[N / 2 * N + N / 2], worst == 0 ? "bit by bit" : "no");
    cudaFree(a);
    cudaFree(anew);
    cudaFree(residual);
    return worst != 0;
}
