#pragma once

struct Vec3 {
  float x, y, z;
};

extern __constant__ float time_factor;

__device__ Vec3 add(Vec3 a, Vec3 b);
__device__ Vec3 scaled(Vec3 a, float f);
__device__ void note_step(int i);

// Host functions of the other files.
int steps_noted();
float longest_on_device(const Vec3 *v, int n);
