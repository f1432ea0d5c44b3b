// Pi by darts with a generator of our own per thread, and the price of an option; whole numbers make it repeatable.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct Pcg {
    uint64_t state, inc;
    __host__ __device__ Pcg(uint64_t seed, uint64_t stream) : state(0), inc(stream << 1 | 1)
    {
        next();
        state += seed;
        next();
    }
    __host__ __device__ uint32_t next()
    {
        uint64_t old = state;
        state = old * 6364136223846793005ULL + inc;
        uint32_t mixed = (uint32_t)(((old >> 18u) ^ old) >> 27u), rot = old >> 59u;
        return mixed >> rot | mixed << ((-rot) & 31);
    }
    __host__ __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
};

__host__ __device__ unsigned hits(uint64_t thread, int darts)
{
    Pcg rng(2026, thread);
    unsigned in = 0;
    for (int i = 0; i < darts; i++) {
        uint64_t x = rng.next() >> 4, y = rng.next() >> 4;
        in += x * x + y * y < (1ULL << 56);
    }
    return in;
}

__global__ void darts(unsigned long long *total, int per_thread)
{
    unsigned mine = hits(blockIdx.x * blockDim.x + threadIdx.x, per_thread);
    mine = __reduce_add_sync(0xffffffff, mine);
    if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}

__global__ void option(double *payoffs, float s0, float strike, float vol, float t, int paths)
{
    Pcg rng(7, blockIdx.x * blockDim.x + threadIdx.x);
    double sum = 0;
    for (int i = 0; i < paths; i++) {
        float u1 = 1.0f - rng.uniform(), u2 = rng.uniform();
        float z = sqrtf(-2.0f * logf(u1)) * cospif(2.0f * u2);
        float s = s0 * expf(-0.5f * vol * vol * t + vol * sqrtf(t) * z);
        sum += fmaxf(s - strike, 0.0f);
    }
    payoffs[blockIdx.x * blockDim.x + threadIdx.x] = sum / paths;
}

int main(void)
{
    const int blocks = 16, threads = 128, per_thread = 200;
    unsigned long long *d_total, total = 0, cpu = 0;
    cudaMalloc((void **)&d_total, sizeof total);
    cudaMemset(d_total, 0, sizeof total);
    darts<<<blocks, threads>>>(d_total, per_thread);
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks * threads; i++) cpu += hits(i, per_thread);
    double pi = 4.0 * total / ((double)blocks * threads * per_thread);
    printf("%llu of %d inside, pi about %.5f, host counted %llu\n", total, blocks * threads * per_thread, pi, cpu);
    double *d_pay, pay[blocks * threads], mean = 0;
    cudaMalloc((void **)&d_pay, sizeof pay);
    option<<<blocks, threads>>>(d_pay, 100, 105, 0.2f, 1, 100);
    cudaMemcpy(pay, d_pay, sizeof pay, cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks * threads; i++) mean += pay[i] / (blocks * threads);
    // Black and Scholes with no interest.
    double d1 = (log(100.0 / 105) + 0.02) / 0.2, d2 = d1 - 0.2;
    double exact = 100 * 0.5 * erfc(-d1 / sqrt(2.0)) - 105 * 0.5 * erfc(-d2 / sqrt(2.0));
    printf("option about %.2f, formula %.2f\n", mean, exact);
    cudaFree(d_total);
    cudaFree(d_pay);
    return total == cpu && fabs(mean - exact) < 0.15 && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
