"""Chapter 05 on the ordinary tile by hand: ten people who each read the lesson alone, and a copy of each, disguised as one does it in a hurry.

Leaves: PEOPLE and COPIES, one of each person: name → text."""

HEAD = '#include "common/kernel/lab.cuh"\n'
SHAPE = "LAUNCH_SHAPE = {.block = {%s}, .tile = {32, 32}, .block_x_walks = kCols};\n"
KERNEL = 'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {\n'


def kernel(block: str, body: str, above: str = "") -> str:
    return HEAD + SHAPE % block + above + KERNEL + body + "}\n"


PEOPLE = {
    # The skeleton, and the one line.
    "anna": kernel("32, 8", """  __shared__ float tile[kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile;
  const size_t col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y;
    const size_t col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x;
    const size_t col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
""", "constexpr int kTile = 32;\nconstexpr int kBlockRows = 8;\n"),
    # As a well-known blog post has it.
    "ben": kernel("32, 8", """  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < rows && y + j < cols) out[(size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
""", "#define TILE_DIM 32\n#define BLOCK_ROWS 8\n"),
    "chen": kernel("32, 32", """  // 32 x 32 线程，每个线程一个元素
  __shared__ float s[32][33];
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) {
    s[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
  }
  __syncthreads();
  int r2 = blockIdx.x * blockDim.x + threadIdx.y;
  int c2 = blockIdx.y * blockDim.y + threadIdx.x;
  if (r2 < cols && c2 < rows) {
    out[(size_t)r2 * rows + c2] = s[threadIdx.x][threadIdx.y];
  }
"""),
    "dora": kernel("256, 1", """  __shared__ float tile[32 * 33];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int r0 = 32 * blockIdx.y, c0 = 32 * blockIdx.x;
  for (int i = warp; i < 32; i += 8) {
    int r = r0 + i, c = c0 + lane;
    if (r >= rows || c >= cols) continue;
    tile[i * 33 + lane] = in[(size_t)r * cols + c];
  }
  __syncthreads();
  for (int i = warp; i < 32; i += 8) {
    int r = r0 + lane, c = c0 + i;
    if (r >= rows || c >= cols) continue;
    out[(size_t)c * rows + r] = tile[lane * 33 + i];
  }
"""),
    "emre": kernel("32, 8", """  __shared__ float buffer[N][N + 1];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned bx = blockIdx.x * N, by = blockIdx.y * N;
  const bool full = by + N <= rows && bx + N <= cols;
  const float* src = in + (size_t)(by + ty) * cols + bx + tx;
  #pragma unroll
  for (unsigned k = 0; k < N; k += 8, src += 8 * (size_t)cols)
    if (full || (by + ty + k < rows && bx + tx < cols)) buffer[ty + k][tx] = *src;
  __syncthreads();
  float* dst = out + (size_t)(bx + ty) * rows + by + tx;
  #pragma unroll
  for (unsigned k = 0; k < N; k += 8, dst += 8 * (size_t)rows)
    if (full || (bx + ty + k < cols && by + tx < rows)) *dst = buffer[tx][ty + k];
""", "constexpr unsigned N = 32;\n"),
    "fatou": kernel("32, 4", """  __shared__ float t[32][33];
  // je lis la tuile
  for (int e = 0; e < 8; e++) {
    int ligne = blockIdx.y * 32 + e * 4 + threadIdx.y;
    int colonne = blockIdx.x * 32 + threadIdx.x;
    if (ligne < rows)
      if (colonne < cols)
        t[e * 4 + threadIdx.y][threadIdx.x] = in[colonne + (size_t)ligne * cols];
  }
  __syncthreads();
  // j'écris la tuile transposée
  for (int e = 0; e < 8; e++) {
    int ligne = blockIdx.x * 32 + e * 4 + threadIdx.y;
    int colonne = blockIdx.y * 32 + threadIdx.x;
    if (ligne < cols)
      if (colonne < rows)
        out[colonne + (size_t)ligne * rows] = t[threadIdx.x][e * 4 + threadIdx.y];
  }
"""),
    "georg": kernel("32, 8", """  __shared__ float kachel[32][33];
  lesen(kachel, in, rows, cols);
  __syncthreads();
  schreiben(kachel, out, rows, cols);
""", """__device__ void lesen(float (&kachel)[32][33], const float* in, int rows, int cols) {
  for (int i = threadIdx.y; i < 32; i += blockDim.y) {
    const int zeile = blockIdx.y * 32 + i;
    const int spalte = blockIdx.x * 32 + threadIdx.x;
    if (zeile < rows && spalte < cols) kachel[i][threadIdx.x] = in[static_cast<size_t>(zeile) * cols + spalte];
  }
}
__device__ void schreiben(const float (&kachel)[32][33], float* out, int rows, int cols) {
  for (int i = threadIdx.y; i < 32; i += blockDim.y) {
    const int zeile = blockIdx.y * 32 + threadIdx.x;
    const int spalte = blockIdx.x * 32 + i;
    if (zeile < rows && spalte < cols) out[static_cast<size_t>(spalte) * rows + zeile] = kachel[threadIdx.x][i];
  }
}
"""),
    "hana": kernel("32, 8", """  constexpr int kSide = 32;
  __shared__ float tile[kSide][kSide + 1];
  const int top = blockIdx.y * kSide, left = blockIdx.x * kSide;
  const int tx = threadIdx.x;
  float held[4];
  for (int i = 0; i < 4; ++i) {
    const int y = threadIdx.y + 8 * i;
    held[i] = top + y < rows && left + tx < cols ? in[size_t(top + y) * cols + left + tx] : 0.0f;
  }
  for (int i = 0; i < 4; ++i) tile[threadIdx.y + 8 * i][tx] = held[i];
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    const int x = threadIdx.y + 8 * i;
    if (left + x < cols && top + tx < rows) out[size_t(left + x) * rows + top + tx] = tile[tx][x];
  }
"""),
    "ivan": kernel("32, 16", """  __shared__ float sh[32][33];
  int i, j, k = 0;
  while (k < 32) {
    i = blockIdx.y * 32 + threadIdx.y + k;
    j = blockIdx.x * 32 + threadIdx.x;
    if (i < rows && j < cols) sh[threadIdx.y + k][threadIdx.x] = in[(long long)i * cols + j];
    k += 16;
  }
  __syncthreads();
  k = 0;
  while (k < 32) {
    i = blockIdx.x * 32 + threadIdx.y + k;
    j = blockIdx.y * 32 + threadIdx.x;
    if (i < cols && j < rows) out[(long long)i * rows + j] = sh[threadIdx.x][threadIdx.y + k];
    k += 16;
  }
"""),
    "jo": kernel("32, 8", """  __shared__ float turned[32][33];
  const size_t x = blockIdx.x * 32 + threadIdx.x;
  if (x < cols) {
    for (int k = threadIdx.y; k < 32; k += 8) {
      const size_t y = blockIdx.y * 32 + k;
      if (y < rows) turned[threadIdx.x][k] = in[y * cols + x];  // already transposed here
    }
  }
  __syncthreads();
  const size_t y = blockIdx.y * 32 + threadIdx.x;
  if (y < rows) {
    for (int k = threadIdx.y; k < 32; k += 8) {
      const size_t x = blockIdx.x * 32 + k;
      if (x < cols) out[x * rows + y] = turned[k][threadIdx.x];
    }
  }
"""),
}

COPIES = {
    # Other names, and the constants written out.
    "anna": kernel("32, 8", """  // load the block into shared memory, then write it transposed
  __shared__ float sm[32][33];
  const size_t yBase = blockIdx.y * 32;
  const size_t xBase = blockIdx.x * 32;
  for (int i = threadIdx.y; i < 32; i += 8) {
    const size_t yy = yBase + i;
    const size_t xx = xBase + threadIdx.x;
    if (yy < rows && xx < cols) sm[i][threadIdx.x] = in[yy * cols + xx];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) {
    const size_t yy = yBase + threadIdx.x;
    const size_t xx = xBase + i;
    if (yy < rows && xx < cols) out[xx * rows + yy] = sm[threadIdx.x][i];
  }
"""),
    # Braces, constants, new variables for the second half, other names.
    "ben": kernel("32, 8", """  __shared__ float data[kN][kN + 1];
  int col = blockIdx.x * kN + threadIdx.x;
  int row = blockIdx.y * kN + threadIdx.y;
  for (int step = 0; step < kN; step += kStep) {
    if (col < cols && row + step < rows) {
      data[threadIdx.y + step][threadIdx.x] = in[(size_t)(row + step) * cols + col];
    }
  }
  __syncthreads();
  int col2 = blockIdx.y * kN + threadIdx.x;
  int row2 = blockIdx.x * kN + threadIdx.y;
  for (int step = 0; step < kN; step += kStep) {
    if (col2 < rows && row2 + step < cols) {
      out[(size_t)(row2 + step) * rows + col2] = data[threadIdx.x][threadIdx.y + step];
    }
  }
""", "constexpr int kN = 32, kStep = 8;\n"),
    # Translated, the order of declarations turned, 32 for blockDim.
    "chen": kernel("32, 32", """  __shared__ float buf[32][32 + 1];
  const int y = blockIdx.y * 32 + threadIdx.y;
  const int x = blockIdx.x * 32 + threadIdx.x;
  if (y < rows && x < cols) buf[threadIdx.y][threadIdx.x] = in[(size_t)y * cols + x];
  __syncthreads();  // everybody must have written
  const int xo = blockIdx.y * 32 + threadIdx.x;
  const int yo = blockIdx.x * 32 + threadIdx.y;
  if (yo < cols && xo < rows) out[(size_t)yo * rows + xo] = buf[threadIdx.x][threadIdx.y];
"""),
    # Division for shifts, `if` for `continue`, a half as many threads.
    "dora": kernel("128, 1", """  __shared__ float stage[32 * 33];
  const int me = threadIdx.x % 32;
  const int group = threadIdx.x / 32;
  const int y0 = 32 * blockIdx.y, x0 = 32 * blockIdx.x;
  for (int k = group; k < 32; k += 4) {
    int y = y0 + k, x = x0 + me;
    if (y < rows && x < cols) stage[k * 33 + me] = in[(size_t)y * cols + x];
  }
  __syncthreads();
  for (int k = group; k < 32; k += 4) {
    int y = y0 + me, x = x0 + k;
    if (y < rows && x < cols) out[(size_t)x * rows + y] = stage[me * 33 + k];
  }
"""),
    # No pragma, the flag asked inside, names.
    "emre": kernel("32, 8", """  __shared__ float t[32][33];
  const unsigned left = blockIdx.x * 32, top = blockIdx.y * 32;
  const unsigned i = threadIdx.x, j = threadIdx.y;
  const bool inner = top + 32 <= rows && left + 32 <= cols;
  const float* from = in + (size_t)(top + j) * cols + left + i;
  for (unsigned n = 0; n < 32; n += 8) {
    if (inner || (top + j + n < rows && left + i < cols)) t[j + n][i] = *from;
    from += 8 * (size_t)cols;
  }
  __syncthreads();
  float* to = out + (size_t)(left + j) * rows + top + i;
  for (unsigned n = 0; n < 32; n += 8) {
    if (inner || (left + j + n < cols && top + i < rows)) *to = t[i][j + n];
    to += 8 * (size_t)rows;
  }
"""),
    # One condition, English names, the loop counts elements.
    "fatou": kernel("32, 4", """  __shared__ float shared[32][33];
  for (int n = 0; n < 32; n += 4) {
    int row = blockIdx.y * 32 + n + threadIdx.y;
    int column = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < cols)
      shared[n + threadIdx.y][threadIdx.x] = in[column + (size_t)row * cols];
  }
  __syncthreads();
  for (int n = 0; n < 32; n += 4) {
    int row = blockIdx.x * 32 + n + threadIdx.y;
    int column = blockIdx.y * 32 + threadIdx.x;
    if (row < cols && column < rows)
      out[column + (size_t)row * rows] = shared[threadIdx.x][n + threadIdx.y];
  }
"""),
    # The functions are put back into the kernel.
    "georg": kernel("32, 8", """  __shared__ float tile[32][33];
  for (int n = threadIdx.y; n < 32; n += blockDim.y) {
    const int row = blockIdx.y * 32 + n;
    const int col = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && col < cols) tile[n][threadIdx.x] = in[static_cast<size_t>(row) * cols + col];
  }
  __syncthreads();
  for (int n = threadIdx.y; n < 32; n += blockDim.y) {
    const int row = blockIdx.y * 32 + threadIdx.x;
    const int col = blockIdx.x * 32 + n;
    if (row < rows && col < cols) out[static_cast<size_t>(col) * rows + row] = tile[threadIdx.x][n];
  }
"""),
    # Unrolled pragmas, `if` for `?:`, names.
    "hana": kernel("32, 8", """  __shared__ float buf[32][33];
  const int lane = threadIdx.x;
  const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  float regs[4] = {};
  #pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int line = threadIdx.y + 8 * k;
    if (r0 + line < rows && c0 + lane < cols) regs[k] = in[size_t(r0 + line) * cols + c0 + lane];
  }
  #pragma unroll
  for (int k = 0; k < 4; ++k) buf[threadIdx.y + 8 * k][lane] = regs[k];
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int line = threadIdx.y + 8 * k;
    if (c0 + line < cols && r0 + lane < rows) out[size_t(c0 + line) * rows + r0 + lane] = buf[lane][line];
  }
"""),
    # `for` for `while`, another block, names declared where they are used.
    "ivan": kernel("32, 8", """  __shared__ float mem[32][33];
  for (int s = 0; s < 32; s += 8) {
    int a = blockIdx.y * 32 + threadIdx.y + s;
    int b = blockIdx.x * 32 + threadIdx.x;
    if (a < rows && b < cols) mem[threadIdx.y + s][threadIdx.x] = in[(long long)a * cols + b];
  }
  __syncthreads();
  for (int s = 0; s < 32; s += 8) {
    int a = blockIdx.x * 32 + threadIdx.y + s;
    int b = blockIdx.y * 32 + threadIdx.x;
    if (a < cols && b < rows) out[(long long)a * rows + b] = mem[threadIdx.x][threadIdx.y + s];
  }
"""),
    # A template for the number of rows, the outer condition moved in, names.
    "jo": kernel("32, 8", """  flip<8>(out, in, rows, cols);
""", """template <int kRows>
__device__ void flip(float* out, const float* in, int rows, int cols) {
  __shared__ float flipped[32][33];
  const size_t c = blockIdx.x * 32 + threadIdx.x;
  for (int n = threadIdx.y; n < 32; n += kRows) {
    const size_t r = blockIdx.y * 32 + n;
    if (c < cols && r < rows) flipped[threadIdx.x][n] = in[r * cols + c];
  }
  __syncthreads();
  const size_t r = blockIdx.y * 32 + threadIdx.x;
  for (int n = threadIdx.y; n < 32; n += kRows) {
    const size_t c = blockIdx.x * 32 + n;
    if (r < rows && c < cols) out[c * rows + r] = flipped[n][threadIdx.x];
  }
}
"""),
}
