// A dot product with partial sums per block, and the ballast of a first book: a lock in device memory, a ripple, a Julia set.
#include "stdio.h"
#include "stdlib.h"

#define imin(a,b) (a<b?a:b)
#define sum_squares(x) (x*(x+1)*(2*x+1)/6)

const int N = 33 * 1024;
const int threadsPerBlock = 256;
const int blocksPerGrid = imin( 32, (N+threadsPerBlock-1) / threadsPerBlock );

struct Lock {
    int *mutex;
    Lock( void ) {
        cudaMalloc( (void**)&mutex, sizeof(int) );
        cudaMemset( mutex, 0, sizeof(int) );
    }
    __device__ void lock( void ) { while( atomicCAS( mutex, 0, 1 ) != 0 ); __threadfence(); }
    __device__ void unlock( void ) { __threadfence(); atomicExch( mutex, 0 ); }
};

__global__ void dot( Lock lock, const double *a, const double *b, double *c ) {
    __shared__ double cache[threadsPerBlock];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    double temp = 0;
    while (tid < N) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    int i = blockDim.x/2;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0) {
        lock.lock();
        *(volatile double *)c += cache[0];
        lock.unlock();
    }
}

struct cuComplex {
    float r, i;
    __device__ cuComplex( float a, float b ) : r(a), i(b) {}
    __device__ float magnitude2( void ) { return r * r + i * i; }
    __device__ cuComplex operator*( const cuComplex& a ) { return cuComplex(r*a.r - i*a.i, i*a.r + r*a.i); }
    __device__ cuComplex operator+( const cuComplex& a ) { return cuComplex(r+a.r, i+a.i); }
};

#define DIM 64
__global__ void julia( unsigned char *ptr ) {
    int x = blockIdx.x, y = blockIdx.y;
    cuComplex c( -0.8f, 0.156f ), a( 1.5f * (DIM/2 - x) / (DIM/2), 1.5f * (DIM/2 - y) / (DIM/2) );
    int i = 0;
    for (i=0; i<200; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000) break;
    }
    ptr[x + y * gridDim.x] = i == 200;
}

int main( void ) {
    double *a = (double*)malloc( N*sizeof(double) ), *b = (double*)malloc( N*sizeof(double) ), c = 0;
    double *dev_a, *dev_b, *dev_c;
    cudaMalloc( (void**)&dev_a, N*sizeof(double) );
    cudaMalloc( (void**)&dev_b, N*sizeof(double) );
    cudaMalloc( (void**)&dev_c, sizeof(double) );
    for (int i=0; i<N; i++) {
        a[i] = i;
        b[i] = i*2;
    }
    cudaMemcpy( dev_a, a, N*sizeof(double), cudaMemcpyHostToDevice );
    cudaMemcpy( dev_b, b, N*sizeof(double), cudaMemcpyHostToDevice );
    cudaMemcpy( dev_c, &c, sizeof(double), cudaMemcpyHostToDevice );
    Lock lock;
    dot<<<blocksPerGrid,threadsPerBlock>>>( lock, dev_a, dev_b, dev_c );
    cudaMemcpy( &c, dev_c, sizeof(double), cudaMemcpyDeviceToHost );
    double want = 2 * sum_squares( (double)(N - 1) );
    printf( "Does GPU value %.0f = %.0f?  %s\n", c, want, c == want ? "yes" : "no" );
    cudaFree( dev_a );
    cudaFree( dev_b );
    cudaFree( dev_c );
    cudaFree( lock.mutex );

    unsigned char bitmap[DIM*DIM], *dev_bitmap;
    cudaMalloc( (void**)&dev_bitmap, sizeof(bitmap) );
    dim3 grid(DIM,DIM);
    julia<<<grid,1>>>( dev_bitmap );
    cudaMemcpy( bitmap, dev_bitmap, sizeof(bitmap), cudaMemcpyDeviceToHost );
    int inside = 0;
    for (int i=0; i<DIM*DIM; i++) inside += bitmap[i];
    printf( "a Julia set with some points inside: %s\n", inside > 10 && inside < DIM*DIM/2 ? "yes" : "no" );
    cudaFree( dev_bitmap );
    free( a );
    free( b );
    return c == want && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
