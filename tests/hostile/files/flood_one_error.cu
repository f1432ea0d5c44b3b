#include "common/kernel/lab.cuh"
template <class... T>
struct List {};
template <class A, class B>
struct Pair {};
using T0 = Pair<int, float>;
using T1 = Pair<T0, T0>;
using T2 = Pair<T1, T1>;
using T3 = Pair<T2, T2>;
using T4 = Pair<T3, T3>;
using T5 = Pair<T4, T4>;
using T6 = Pair<T5, T5>;
using T7 = Pair<T6, T6>;
using T8 = Pair<T7, T7>;
using T9 = Pair<T8, T8>;
using T10 = Pair<T9, T9>;
using T11 = Pair<T10, T10>;
using T12 = Pair<T11, T11>;
using T13 = Pair<T12, T12>;
using T14 = Pair<T13, T13>;
using T15 = Pair<T14, T14>;
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { T15 x = 3; }
