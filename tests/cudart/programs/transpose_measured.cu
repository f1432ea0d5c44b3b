// A blog's way: kernels as templates over tile sizes, launched through std::function in a stream, warm-ups and repeats.
// nvcc: -std=c++14
// mask: Latency: +[0-9.]+ ms
// mask: Bandwidth: +[0-9.inf]+ GB/s
#include <cassert>
#include <functional>
#include <iomanip>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#define CHECK_CUDA_ERROR(val) check((val), #val, __FILE__, __LINE__)
void check(cudaError_t err, const char* const func, const char* const file, const int line)
{
    if (err != cudaSuccess)
    {
        std::cerr << "CUDA Runtime Error at: " << file << ":" << line << std::endl;
        std::cerr << cudaGetErrorString(err) << " " << func << std::endl;
        std::exit(EXIT_FAILURE);
    }
}

#define CHECK_LAST_CUDA_ERROR() checkLast(__FILE__, __LINE__)
void checkLast(const char* const file, const int line)
{
    cudaError_t const err{cudaGetLastError()};
    if (err != cudaSuccess) check(err, "last error", file, line);
}

template <class T>
float measure(std::function<T(cudaStream_t)> bound_function, cudaStream_t stream, int num_repeats, int num_warmups)
{
    cudaEvent_t start, stop;
    float time;
    CHECK_CUDA_ERROR(cudaEventCreate(&start));
    CHECK_CUDA_ERROR(cudaEventCreate(&stop));
    for (int i{0}; i < num_warmups; ++i) bound_function(stream);
    CHECK_CUDA_ERROR(cudaStreamSynchronize(stream));
    CHECK_CUDA_ERROR(cudaEventRecord(start, stream));
    for (int i{0}; i < num_repeats; ++i) bound_function(stream);
    CHECK_CUDA_ERROR(cudaEventRecord(stop, stream));
    CHECK_CUDA_ERROR(cudaEventSynchronize(stop));
    CHECK_LAST_CUDA_ERROR();
    CHECK_CUDA_ERROR(cudaEventElapsedTime(&time, start, stop));
    CHECK_CUDA_ERROR(cudaEventDestroy(start));
    CHECK_CUDA_ERROR(cudaEventDestroy(stop));
    return time / num_repeats;
}

constexpr size_t div_up(size_t a, size_t b) { return (a + b - 1) / b; }

enum class Layout { kPlain, kPadded, kSwizzled };

template <typename T, size_t X, size_t Y, Layout L>
__global__ void transpose_shared(T* output_matrix, T const* input_matrix, size_t M, size_t N)
{
    __shared__ T shm[Y][X + (L == Layout::kPadded ? 1 : 0)];
    size_t const in_x{threadIdx.x + blockIdx.x * blockDim.x};
    size_t const in_y{threadIdx.y + blockIdx.y * blockDim.y};
    auto column = [](size_t x, size_t y) { return L == Layout::kSwizzled ? x ^ y : x; };
    if (in_y < M && in_x < N) shm[threadIdx.y][column(threadIdx.x, threadIdx.y)] = input_matrix[in_y * N + in_x];
    __syncthreads();
    // the block's threads, renumbered so that neighbours write neighbours
    size_t const thread{threadIdx.y * blockDim.x + threadIdx.x};
    size_t const tx{thread % Y}, ty{thread / Y};
    size_t const out_x{blockIdx.y * blockDim.y + tx}, out_y{blockIdx.x * blockDim.x + ty};
    if (out_x < M && out_y < N) output_matrix[out_y * M + out_x] = shm[tx][column(ty, tx)];
}

template <typename T, size_t X, size_t Y, Layout L>
void launch(T* out, T const* in, size_t M, size_t N, cudaStream_t stream)
{
    dim3 const threads_per_block{X, Y};
    dim3 const blocks_per_grid{static_cast<unsigned int>(div_up(N, X)), static_cast<unsigned int>(div_up(M, Y))};
    transpose_shared<T, X, Y, L><<<blocks_per_grid, threads_per_block, 0, stream>>>(out, in, M, N);
    CHECK_LAST_CUDA_ERROR();
}

template <typename T>
bool profile(char const* name, size_t M, size_t N, std::function<void(T*, T const*, size_t, size_t, cudaStream_t)> function)
{
    cudaStream_t stream;
    CHECK_CUDA_ERROR(cudaStreamCreate(&stream));
    std::vector<T> matrix(M * N), result(M * N);
    std::default_random_engine engine{17};
    for (auto& v : matrix) v = static_cast<T>(engine() % 1000);
    T *d_in, *d_out;
    CHECK_CUDA_ERROR(cudaMalloc(&d_in, M * N * sizeof(T)));
    CHECK_CUDA_ERROR(cudaMalloc(&d_out, M * N * sizeof(T)));
    CHECK_CUDA_ERROR(cudaMemcpy(d_in, matrix.data(), M * N * sizeof(T), cudaMemcpyHostToDevice));
    std::function<void(cudaStream_t)> const bound{std::bind(function, d_out, d_in, M, N, std::placeholders::_1)};
    float const latency{measure<void>(bound, stream, 2, 1)};
    CHECK_CUDA_ERROR(cudaMemcpyAsync(result.data(), d_out, M * N * sizeof(T), cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA_ERROR(cudaStreamSynchronize(stream));
    bool right{true};
    for (size_t r{0}; r < M; ++r)
        for (size_t c{0}; c < N; ++c) right = right && result[c * M + r] == matrix[r * N + c];
    std::cout << std::left << std::setw(24) << name << std::right << std::setw(5) << M << " x " << std::setw(5) << N
              << "  " << (right ? "correct" : "INCORRECT") << std::fixed << std::setprecision(5) << "  Latency: " << latency
              << " ms  Bandwidth: " << std::setprecision(2) << 2.0 * M * N * sizeof(T) / latency / 1e6 << " GB/s" << std::endl;
    CHECK_CUDA_ERROR(cudaFree(d_in));
    CHECK_CUDA_ERROR(cudaFree(d_out));
    CHECK_CUDA_ERROR(cudaStreamDestroy(stream));
    return right;
}

int main()
{
    bool all{true};
    for (auto const& size : {std::pair<size_t, size_t>{256, 256}, {101, 333}})
    {
        size_t const M{size.first}, N{size.second};
        all &= profile<float>("bank conflicts", M, N, &launch<float, 32, 32, Layout::kPlain>);
        all &= profile<float>("padded", M, N, &launch<float, 32, 32, Layout::kPadded>);
        all &= profile<float>("swizzled", M, N, &launch<float, 32, 32, Layout::kSwizzled>);
        all &= profile<double>("doubles, 32 x 8 block", M, N, &launch<double, 32, 8, Layout::kPadded>);
        all &= profile<int>("16 x 16 block", M, N, &launch<int, 16, 16, Layout::kSwizzled>);
    }
    return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
