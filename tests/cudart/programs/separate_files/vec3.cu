// The arithmetic, and a variable that others set.
#include "vec3.h"

__constant__ float time_factor = 1.0f;

__device__ Vec3 add(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ Vec3 scaled(Vec3 a, float f) { return {a.x * f, a.y * f, a.z * f}; }
