// All pairs of bodies, tiles of positions in shared memory, leapfrog steps; energy must stay.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 64
#define SOFTENING 1e-2f

typedef struct { float4 *pos, *vel; } BodySystem;

__global__ void bodyForce(float4 *p, float4 *v, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float Fx = 0.0f, Fy = 0.0f, Fz = 0.0f;
  for (int tile = 0; tile < gridDim.x; tile++) {
    __shared__ float4 spos[BLOCK];
    spos[threadIdx.x] = p[tile * blockDim.x + threadIdx.x];
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < BLOCK; j++) {
      float dx = spos[j].x - p[i].x, dy = spos[j].y - p[i].y, dz = spos[j].z - p[i].z;
      float distSqr = dx * dx + dy * dy + dz * dz + SOFTENING;
      float invDist = rsqrtf(distSqr);
      float s = spos[j].w * invDist * invDist * invDist;
      Fx += dx * s;
      Fy += dy * s;
      Fz += dz * s;
    }
    __syncthreads();
  }
  v[i].x += dt * Fx;
  v[i].y += dt * Fy;
  v[i].z += dt * Fz;
}

__global__ void integrate(float4 *p, const float4 *v, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  p[i] = make_float4(p[i].x + v[i].x * dt, p[i].y + v[i].y * dt, p[i].z + v[i].z * dt, p[i].w);
}

double energy(const std::vector<float4> &p, const std::vector<float4> &v) {
  double e = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    e += 0.5 * p[i].w * (v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
    for (size_t j = 0; j < i; ++j) {
      double dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
      e -= p[i].w * p[j].w / sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
    }
  }
  return e;
}

int main(const int argc, const char **argv) {
  const int nBodies = 256, nIters = 12;
  const float dt = 0.002f;
  std::vector<float4> pos(nBodies), vel(nBodies);
  srand(3);
  auto rnd = [] { return 2.0f * (rand() / (float)RAND_MAX) - 1.0f; };
  for (int i = 0; i < nBodies; i++) {
    pos[i] = make_float4(rnd(), rnd(), rnd(), 1.0f / nBodies);
    vel[i] = make_float4(0.3f * pos[i].y, -0.3f * pos[i].x, 0.05f * rnd(), 0);
  }
  double before = energy(pos, vel);
  BodySystem d;
  cudaMalloc(&d.pos, nBodies * sizeof(float4));
  cudaMalloc(&d.vel, nBodies * sizeof(float4));
  cudaMemcpy(d.pos, pos.data(), nBodies * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemcpy(d.vel, vel.data(), nBodies * sizeof(float4), cudaMemcpyHostToDevice);
  for (int iter = 0; iter < nIters; iter++) {
    bodyForce<<<nBodies / BLOCK, BLOCK>>>(d.pos, d.vel, dt, nBodies);
    integrate<<<nBodies / BLOCK, BLOCK>>>(d.pos, d.vel, dt, nBodies);
  }
  cudaMemcpy(pos.data(), d.pos, nBodies * sizeof(float4), cudaMemcpyDeviceToHost);
  cudaMemcpy(vel.data(), d.vel, nBodies * sizeof(float4), cudaMemcpyDeviceToHost);
  if (cudaGetLastError() != cudaSuccess) return 2;
  double after = energy(pos, vel), drift = fabs((after - before) / before);
  double mx = 0, my = 0, mz = 0;
  for (int i = 0; i < nBodies; ++i) mx += pos[i].x, my += pos[i].y, mz += pos[i].z;
  printf("%d bodies, %d steps\n", nBodies, nIters);
  printf("centre of mass %.3f %.3f %.3f\n", mx / nBodies, my / nBodies, mz / nBodies);
  printf("energy %.3f -> %.3f, drift %s\n", before, after, drift < 1e-3 ? "small" : "LARGE");
  cudaFree(d.pos);
  cudaFree(d.vel);
  return drift < 1e-3 ? 0 : 1;
}
