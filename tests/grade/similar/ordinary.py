"""An ordinary tile, `[32][32 + 1]`: one kernel, ten copies of it in disguise, and sixteen kernels written independently.

Enters: thirty.py. Leaves: ORIGINAL, COPIES (what was done → text), HONEST. What `similar` finds of them stands in docs/grading.md."""
import re

import thirty

ORIGINAL = """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

template <int DIM, int STRIPES>
__device__ void moveTile(float* out, const float* in, int rows, int cols) {
  __shared__ float cache[DIM][DIM + 1];
  int gx = blockIdx.x * DIM + threadIdx.x;
  int gy = blockIdx.y * DIM + threadIdx.y;
  #pragma unroll 1
  for (int s = 0; s < DIM; s += STRIPES) {
    if (gx < cols && gy + s < rows) {
      long idx = (long)(gy + s) * cols + gx;
      cache[threadIdx.y + s][threadIdx.x] = in[idx];
    }
  }
  __syncthreads();
  gx = blockIdx.y * DIM + threadIdx.x;
  gy = blockIdx.x * DIM + threadIdx.y;
  #pragma unroll 1
  for (int s = 0; s < DIM; s += STRIPES) {
    if (gx < rows && gy + s < cols) {
      long idx = (long)(gy + s) * rows + gx;
      out[idx] = cache[threadIdx.x][threadIdx.y + s];
    }
  }
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  moveTile<32, 8>(out, in, rows, cols);
}
"""

COPIES = {
    "template_to_plain": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  int px = blockIdx.x * 32 + threadIdx.x;
  int py = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (px < cols && py + k < rows) {
      long at = (long)(py + k) * cols + px;
      buffer[threadIdx.y + k][threadIdx.x] = in[at];
    }
  }
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (px < rows && py + k < cols) {
      long at = (long)(py + k) * rows + px;
      out[at] = buffer[threadIdx.x][threadIdx.y + k];
    }
  }
}
""",
    "loop_reversed": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tmp[32][33];
  int px = blockIdx.x * 32 + threadIdx.x;
  int py = blockIdx.y * 32 + threadIdx.y;
  for (int k = 24; k >= 0; k -= 8) {
    if (px < cols && py + k < rows) {
      long at = (long)(py + k) * cols + px;
      tmp[threadIdx.y + k][threadIdx.x] = in[at];
    }
  }
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  for (int k = 24; k >= 0; k -= 8) {
    if (px < rows && py + k < cols) {
      long at = (long)(py + k) * rows + px;
      out[at] = tmp[threadIdx.x][threadIdx.y + k];
    }
  }
}
""",
    "other_block": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 16}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  int col = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 16) {
    if (col < cols && row + k < rows) {
      long at = (long)(row + k) * cols + col;
      buffer[threadIdx.y + k][threadIdx.x] = in[at];
    }
  }
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 16) {
    if (col < rows && row + k < cols) {
      long at = (long)(row + k) * rows + col;
      out[at] = buffer[threadIdx.x][threadIdx.y + k];
    }
  }
}
""",
    "functions": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
__device__ void fetch(float (*b)[33], const float* in, int px, int py, int h, int w) {
  for (int k = 0; k < 32; k += 8) {
    if (px < w && py + k < h) {
      long at = (long)(py + k) * w + px;
      b[threadIdx.y + k][threadIdx.x] = in[at];
    }
  }
}
__device__ void put(float (*b)[33], float* out, int px, int py, int h, int w) {
  for (int k = 0; k < 32; k += 8) {
    if (px < h && py + k < w) {
      long at = (long)(py + k) * h + px;
      out[at] = b[threadIdx.x][threadIdx.y + k];
    }
  }
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  fetch(buffer, in, blockIdx.x * 32 + threadIdx.x, blockIdx.y * 32 + threadIdx.y, rows, cols);
  __syncthreads();
  put(buffer, out, blockIdx.y * 32 + threadIdx.x, blockIdx.x * 32 + threadIdx.y, rows, cols);
}
""",
    "unrolled_by_hand": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  int px = blockIdx.x * 32 + threadIdx.x;
  int py = blockIdx.y * 32 + threadIdx.y;
  if (px < cols && py + 0 < rows)
    buffer[threadIdx.y + 0][threadIdx.x] = in[(long)(py + 0) * cols + px];
  if (px < cols && py + 8 < rows)
    buffer[threadIdx.y + 8][threadIdx.x] = in[(long)(py + 8) * cols + px];
  if (px < cols && py + 16 < rows)
    buffer[threadIdx.y + 16][threadIdx.x] = in[(long)(py + 16) * cols + px];
  if (px < cols && py + 24 < rows)
    buffer[threadIdx.y + 24][threadIdx.x] = in[(long)(py + 24) * cols + px];
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  if (px < rows && py + 0 < cols)
    out[(long)(py + 0) * rows + px] = buffer[threadIdx.x][threadIdx.y + 0];
  if (px < rows && py + 8 < cols)
    out[(long)(py + 8) * rows + px] = buffer[threadIdx.x][threadIdx.y + 8];
  if (px < rows && py + 16 < cols)
    out[(long)(py + 16) * rows + px] = buffer[threadIdx.x][threadIdx.y + 16];
  if (px < rows && py + 24 < cols)
    out[(long)(py + 24) * rows + px] = buffer[threadIdx.x][threadIdx.y + 24];
}
""",
    "while_loop": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  int k;
  int px = blockIdx.x * 32 + threadIdx.x;
  int py = blockIdx.y * 32 + threadIdx.y;
  k = 0;
  while (k < 32) {
    if (px < cols && py + k < rows) {
      long at = (long)(py + k) * cols + px;
      buffer[threadIdx.y + k][threadIdx.x] = in[at];
    }
    k += 8;
  }
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  k = 0;
  while (k < 32) {
    if (px < rows && py + k < cols) {
      long at = (long)(py + k) * rows + px;
      out[at] = buffer[threadIdx.x][threadIdx.y + k];
    }
    k += 8;
  }
}
""",
    "types": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  size_t px = blockIdx.x * 32 + threadIdx.x;
  size_t py = blockIdx.y * 32 + threadIdx.y;
  for (unsigned k = 0; k < 32; k += 8) {
    if (px < cols && py + k < rows) {
      const size_t at = (py + k) * cols + px;
      buffer[threadIdx.y + k][threadIdx.x] = in[at];
    }
  }
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  for (unsigned k = 0; k < 32; k += 8) {
    if (px < rows && py + k < cols) {
      const size_t at = (py + k) * rows + px;
      out[at] = buffer[threadIdx.x][threadIdx.y + k];
    }
  }
}
""",
    "flat_shared": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32 * 33];
  int px = blockIdx.x * 32 + threadIdx.x;
  int py = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (px < cols && py + k < rows) {
      long at = (long)(py + k) * cols + px;
      buffer[(threadIdx.y + k) * 33 + threadIdx.x] = in[at];
    }
  }
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (px < rows && py + k < cols) {
      long at = (long)(py + k) * rows + px;
      out[at] = buffer[threadIdx.x * 33 + threadIdx.y + k];
    }
  }
}
""",
    "reordered": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  int px = blockIdx.x * 32 + threadIdx.x;
  int py = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (py + k < rows && px < cols) {
      long at = px + cols * (long)(k + py);
      buffer[threadIdx.y + k][threadIdx.x] = in[at];
    }
  }
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (py + k < cols && px < rows) {
      long at = px + rows * (long)(k + py);
      out[at] = buffer[threadIdx.x][threadIdx.y + k];
    }
  }
}
""",
    "early_continue": """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float buffer[32][33];
  int px = blockIdx.x * 32 + threadIdx.x;
  int py = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (px >= cols || py + k >= rows) continue;
    {
      long at = (long)(py + k) * cols + px;
      buffer[threadIdx.y + k][threadIdx.x] = in[at];
    }
  }
  __syncthreads();
  px = blockIdx.y * 32 + threadIdx.x;
  py = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (px >= rows || py + k >= cols) continue;
    {
      long at = (long)(py + k) * rows + px;
      out[at] = buffer[threadIdx.x][threadIdx.y + k];
    }
  }
}
""",
}

ORDINARY = [name for name, text in thirty.THIRTY.items() if re.search(r"\[32\]\[33\]|32 \* 33|33 \* 32", text)]
HONEST = {name: thirty.THIRTY[name] for name in ORDINARY[:16]}
