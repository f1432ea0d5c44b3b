// A harmless touch of a managed buffer by the host does not end the watch over the rest of it.
// finding: host-race: the host touches byte 12
#include <cstdio>
struct S { int dev[64]; int host[64]; };
__global__ void k(S *s) { s->dev[threadIdx.x] = threadIdx.x; }
int main() { S *s; cudaMallocManaged(&s, sizeof(S)); k<<<1, 64>>>(s); s->host[3] = 7; s->dev[3] = 9; cudaDeviceSynchronize(); printf("%d\n", s->dev[3]); cudaFree(s); return 0; }
