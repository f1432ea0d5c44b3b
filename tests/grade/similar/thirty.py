"""Thirty right kernels of chapter 05, each written in another way, and one kernel with its copies in disguise.

Enters: nothing. Leaves: THIRTY (name → text), ORIGINAL, COPIES and DISGUISES (what was done → text). All thirty are conflict-free transposes
through padded shared memory; they differ as the work of people who did not see each other's: block and tile, order, padding, helpers,
index arithmetic, pointers, loops."""

HEAD = '#include "common/kernel/lab.cuh"\n'
ENTRY = 'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {\n'


def make(block, tile, body, before="", more=""):
    """A kernel with its launch shape; tile is rows, cols."""
    return (f"{HEAD}LAUNCH_SHAPE = {{.block = {{{block}}}, .tile = {{{tile}}}, .block_x_walks = kCols{more}}};\n{before}{ENTRY}{body}}}\n")


THIRTY = {
    # The block of the lesson, in several hands.
    "lesson": make("32, 8", "32, 32", """  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < cols && y + j < rows) t[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < rows && y + j < cols) out[(size_t)(y + j) * rows + x] = t[threadIdx.x][threadIdx.y + j];
"""),
    "tall_block": make("32, 32", "32, 32", """  __shared__ float patch[32 * 33];
  const size_t r = 32 * (size_t)blockIdx.y + threadIdx.y, c = 32 * (size_t)blockIdx.x + threadIdx.x;
  if (r < rows && c < cols) patch[33 * threadIdx.y + threadIdx.x] = in[r * cols + c];
  __syncthreads();
  const size_t orow = 32 * (size_t)blockIdx.x + threadIdx.y, ocol = 32 * (size_t)blockIdx.y + threadIdx.x;
  if (orow < cols && ocol < rows) out[orow * rows + ocol] = patch[33 * threadIdx.x + threadIdx.y];
"""),
    "one_warp": make("32, 1", "32, 32", """  __shared__ float a[32][33];
  const int lane = threadIdx.x, top = blockIdx.y * 32, left = blockIdx.x * 32;
  const int high = min(32, rows - top), wide = min(32, cols - left);
  for (int k = 0; k < high; ++k) if (lane < wide) a[k][lane] = in[(size_t)(top + k) * cols + left + lane];
  __syncthreads();
  for (int k = 0; k < wide; ++k) if (lane < high) out[(size_t)(left + k) * rows + top + lane] = a[lane][k];
"""),
    "four_warps": make("32, 4", "32, 32", """  __shared__ float buf[32][33];
  const float* from = in + (size_t)(blockIdx.y * 32) * cols + blockIdx.x * 32;
  float* to = out + (size_t)(blockIdx.x * 32) * rows + blockIdx.y * 32;
  const int h = rows - blockIdx.y * 32, w = cols - blockIdx.x * 32;
  #pragma unroll
  for (int i = 0; i < 8; ++i) { int y = threadIdx.y + 4 * i; if (y < h && (int)threadIdx.x < w) buf[y][threadIdx.x] = from[(size_t)y * cols + threadIdx.x]; }
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 8; ++i) { int y = threadIdx.y + 4 * i; if (y < w && (int)threadIdx.x < h) to[(size_t)y * rows + threadIdx.x] = buf[threadIdx.x][y]; }
"""),
    "sixteen_warps": make("32, 16", "32, 32", """  __shared__ float s[33 * 32];
  auto put = [&](int k) { int r = blockIdx.y * 32 + threadIdx.y + k, c = blockIdx.x * 32 + threadIdx.x;
    if (r < rows && c < cols) s[(threadIdx.y + k) * 33 + threadIdx.x] = in[(size_t)r * cols + c]; };
  auto take = [&](int k) { int r = blockIdx.x * 32 + threadIdx.y + k, c = blockIdx.y * 32 + threadIdx.x;
    if (r < cols && c < rows) out[(size_t)r * rows + c] = s[threadIdx.x * 33 + threadIdx.y + k]; };
  put(0); put(16);
  __syncthreads();
  take(0); take(16);
"""),
    "flat_256": make("256, 1", "32, 32", """  __shared__ float sh[32][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int e = warp; e < 32; e += 8) {
    const long long r = blockIdx.y * 32ll + e, c = blockIdx.x * 32ll + lane;
    if (r < rows && c < cols) sh[e][lane] = in[r * cols + c];
  }
  __syncthreads();
  for (int e = warp; e < 32; e += 8) {
    const long long r = blockIdx.x * 32ll + e, c = blockIdx.y * 32ll + lane;
    if (r < cols && c < rows) out[r * rows + c] = sh[lane][e];
  }
"""),
    "flat_512_items": make("512, 1", "32, 32", """  __shared__ float sh[32 * 33];
  for (int item = threadIdx.x; item < 1024; item += 512) {
    const int y = item >> 5, x = item & 31;
    const size_t r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
    if (r < rows && c < cols) sh[y * 33 + x] = in[r * cols + c];
  }
  __syncthreads();
  for (int item = threadIdx.x; item < 1024; item += 512) {
    const int y = item >> 5, x = item & 31;
    const size_t r = blockIdx.x * 32 + y, c = blockIdx.y * 32 + x;
    if (r < cols && c < rows) out[r * rows + c] = sh[x * 33 + y];
  }
"""),
    "rows_per_warp": make("128, 1", "32, 32", """  __shared__ float keep[32][33];
  const unsigned l = threadIdx.x & 31u, first = (threadIdx.x >> 5) * 8u;
  for (unsigned k = first; k < first + 8u; ++k) {
    const size_t r = blockIdx.y * 32u + k, c = blockIdx.x * 32u + l;
    if (r >= rows || c >= cols) continue;
    keep[k][l] = in[r * cols + c];
  }
  __syncthreads();
  for (unsigned k = first; k < first + 8u; ++k) {
    const size_t r = blockIdx.x * 32u + k, c = blockIdx.y * 32u + l;
    if (r >= cols || c >= rows) continue;
    out[r * rows + c] = keep[l][k];
  }
"""),
    "wide_tile": make("64, 4", "32, 64", """  __shared__ float t[32][65];
  const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 64;
  for (int y = threadIdx.y; y < 32; y += 4) if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(size_t)(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  const int n = threadIdx.y * 64 + threadIdx.x;
  for (int i = n; i < 2048; i += 256) { int x = i / 32, y = i % 32; if (c0 + x < cols && r0 + y < rows) out[(size_t)(c0 + x) * rows + r0 + y] = t[y][x]; }
"""),
    "high_tile": make("32, 8", "64, 32", """  __shared__ float t[64][33];
  const int r0 = blockIdx.y * 64, c0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 64; y += 8) if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(size_t)(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    for (int half = 0; half < 64; half += 32) if (c0 + x < cols && r0 + half + threadIdx.x < rows) out[(size_t)(c0 + x) * rows + r0 + half + threadIdx.x] = t[half + threadIdx.x][x];
"""),
    "big_square": make("64, 8", "64, 64", """  extern __shared__ float pool[];
  const size_t r0 = (size_t)blockIdx.y * 64, c0 = (size_t)blockIdx.x * 64;
  for (int k = 0; k < 8; ++k) { const int y = 8 * k + threadIdx.y; if (r0 + y < rows && c0 + threadIdx.x < cols) pool[y * 65 + threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x]; }
  __syncthreads();
  for (int k = 0; k < 8; ++k) { const int x = 8 * k + threadIdx.y; if (c0 + x < cols && r0 + threadIdx.x < rows) out[(c0 + x) * rows + r0 + threadIdx.x] = pool[threadIdx.x * 65 + x]; }
""", more=", .dynamic_shared_bytes = 64 * 65 * 4"),
    "small_tile": make("16, 16", "16, 16", """  __shared__ float q[16][17];
  unsigned c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r < rows && c < cols) q[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
  __syncthreads();
  c = blockIdx.y * 16 + threadIdx.x; r = blockIdx.x * 16 + threadIdx.y;
  if (c < rows && r < cols) out[(size_t)r * rows + c] = q[threadIdx.x][threadIdx.y];
"""),
    "quarters": make("16, 16", "32, 32", """  __shared__ float q[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int dy = 0; dy < 32; dy += 16) for (int dx = 0; dx < 32; dx += 16) {
    const size_t r = blockIdx.y * 32 + dy + ty, c = blockIdx.x * 32 + dx + tx;
    if (r < rows && c < cols) q[dy + ty][dx + tx] = in[r * cols + c]; }
  __syncthreads();
  for (int dy = 0; dy < 32; dy += 16) for (int dx = 0; dx < 32; dx += 16) {
    const size_t r = blockIdx.x * 32 + dy + ty, c = blockIdx.y * 32 + dx + tx;
    if (r < cols && c < rows) out[r * rows + c] = q[dx + tx][dy + ty]; }
"""),
    "pad_three": make("32, 8", "32, 32", """  __shared__ float lake[32 * 35];
  const int i = threadIdx.x, j = threadIdx.y;
  for (int n = j; n != j + 32; n += 8) { const size_t a = blockIdx.y * 32 + n, b = blockIdx.x * 32 + i; if (a < rows && b < cols) lake[n * 35 + i] = in[a * cols + b]; }
  __syncthreads();
  for (int n = j; n != j + 32; n += 8) { const size_t a = blockIdx.x * 32 + n, b = blockIdx.y * 32 + i; if (a < cols && b < rows) out[a * rows + b] = lake[i * 35 + n]; }
"""),
    "pad_five": make("32, 8", "32, 32", """  __shared__ float m[32][37];
  size_t at = (size_t)(blockIdx.y * 32 + threadIdx.y) * cols + blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8, at += 8 * (size_t)cols)
    if (blockIdx.y * 32 + k < rows && blockIdx.x * 32 + threadIdx.x < cols) m[k][threadIdx.x] = in[at];
  __syncthreads();
  at = (size_t)(blockIdx.x * 32 + threadIdx.y) * rows + blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8, at += 8 * (size_t)rows)
    if (blockIdx.x * 32 + k < cols && blockIdx.y * 32 + threadIdx.x < rows) out[at] = m[threadIdx.x][k];
"""),
    "stored_turned": make("32, 8", "32, 32", """  __shared__ float turned[32][33];
  for (int k = threadIdx.y; k < 32; k += 8) {
    const size_t r = blockIdx.y * 32 + k, c = blockIdx.x * 32 + threadIdx.x;
    if (r < rows && c < cols) turned[threadIdx.x][k] = in[r * cols + c];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    const size_t r = blockIdx.x * 32 + k, c = blockIdx.y * 32 + threadIdx.x;
    if (r < cols && c < rows) out[r * rows + c] = turned[k][threadIdx.x];
  }
"""),
    "registers_first": make("32, 8", "32, 32", """  __shared__ float t[32][33];
  float held[4];
  const size_t c = blockIdx.x * 32 + threadIdx.x;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { const size_t r = blockIdx.y * 32 + threadIdx.y + 8 * k; held[k] = r < rows && c < cols ? in[r * cols + c] : 0.0f; }
  #pragma unroll
  for (int k = 0; k < 4; ++k) t[threadIdx.y + 8 * k][threadIdx.x] = held[k];
  __syncthreads();
  const size_t q = blockIdx.y * 32 + threadIdx.x;
  #pragma unroll
  for (int k = 0; k < 4; ++k) { const size_t p = blockIdx.x * 32 + threadIdx.y + 8 * k; if (p < cols && q < rows) out[p * rows + q] = t[threadIdx.x][threadIdx.y + 8 * k]; }
"""),
    "template_walk": make("32, 8", "32, 32", """  __shared__ float store[32 * 33];
  walk<8>(rows, cols, [&](int y, int x, size_t r, size_t c) { store[y * 33 + x] = in[r * cols + c]; }, blockIdx.y, blockIdx.x);
  __syncthreads();
  walk<8>(cols, rows, [&](int y, int x, size_t r, size_t c) { out[r * rows + c] = store[x * 33 + y]; }, blockIdx.x, blockIdx.y);
""", before="""template <int STEP, class F> __device__ void walk(int high, int wide, F f, int by, int bx) {
  for (int y = threadIdx.y; y < 32; y += STEP) { size_t r = by * 32 + y, c = bx * 32 + threadIdx.x; if (r < high && c < wide) f(y, threadIdx.x, r, c); }
}
"""),
    "struct_view": make("32, 8", "32, 32", """  __shared__ float cells[32 * 33];
  const View tile{cells, 33};
  const View source{const_cast<float*>(in), (size_t)cols}, target{out, (size_t)rows};
  for (int k = 24 + threadIdx.y; k >= 0; k -= 8) { const int r = blockIdx.y * 32 + k, c = blockIdx.x * 32 + threadIdx.x; if (r < rows && c < cols) tile.at(k, threadIdx.x) = source.at(r, c); }
  __syncthreads();
  for (int k = 24 + threadIdx.y; k >= 0; k -= 8) { const int r = blockIdx.x * 32 + k, c = blockIdx.y * 32 + threadIdx.x; if (r < cols && c < rows) target.at(r, c) = tile.at(threadIdx.x, k); }
""", before="struct View { float* p; size_t pitch; __device__ float& at(size_t r, size_t c) const { return p[r * pitch + c]; } };\n"),
    "whole_or_edge": make("32, 8", "32, 32", """  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  const bool inside = r0 + 32 <= rows && c0 + 32 <= cols;
  if (inside) { for (int k = threadIdx.y; k < 32; k += 8) t[k][threadIdx.x] = in[(r0 + k) * cols + c0 + threadIdx.x]; }
  else { for (int k = threadIdx.y; k < 32; k += 8) if (r0 + k < rows && c0 + threadIdx.x < cols) t[k][threadIdx.x] = in[(r0 + k) * cols + c0 + threadIdx.x]; }
  __syncthreads();
  if (inside) { for (int k = threadIdx.y; k < 32; k += 8) out[(c0 + k) * rows + r0 + threadIdx.x] = t[threadIdx.x][k]; }
  else { for (int k = threadIdx.y; k < 32; k += 8) if (c0 + k < cols && r0 + threadIdx.x < rows) out[(c0 + k) * rows + r0 + threadIdx.x] = t[threadIdx.x][k]; }
"""),
    "two_tiles": make("32, 8", "32, 64", """  __shared__ float pair[2][32][33];
  for (int p = 0; p < 2; ++p)
    for (int k = threadIdx.y; k < 32; k += 8) { const size_t r = blockIdx.y * 32 + k, c = blockIdx.x * 64 + p * 32 + threadIdx.x; if (r < rows && c < cols) pair[p][k][threadIdx.x] = in[r * cols + c]; }
  __syncthreads();
  for (int p = 0; p < 2; ++p)
    for (int k = threadIdx.y; k < 32; k += 8) { const size_t c = blockIdx.x * 64 + p * 32 + k, r = blockIdx.y * 32 + threadIdx.x; if (r < rows && c < cols) out[c * rows + r] = pair[p][threadIdx.x][k]; }
"""),
    "one_after_another": make("32, 8", "64, 32", """  __shared__ float t[32][33];
  for (int part = 0; part < 2; ++part) {
    const size_t r0 = blockIdx.y * 64 + 32 * part, c0 = blockIdx.x * 32;
    for (int k = threadIdx.y; k < 32; k += 8) if (r0 + k < rows && c0 + threadIdx.x < cols) t[k][threadIdx.x] = in[(r0 + k) * cols + c0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) if (c0 + k < cols && r0 + threadIdx.x < rows) out[(c0 + k) * rows + r0 + threadIdx.x] = t[threadIdx.x][k];
    __syncthreads();
  }
"""),
    "clamped": make("32, 8", "32, 32", """  __shared__ float t[32][33];
  const int lastr = rows - 1, lastc = cols - 1;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int r = min((int)blockIdx.y * 32 + k, lastr), c = min((int)(blockIdx.x * 32 + threadIdx.x), lastc);
    t[k][threadIdx.x] = in[(size_t)r * cols + c];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) { const int r = blockIdx.x * 32 + k, c = blockIdx.y * 32 + threadIdx.x; if (r <= lastc && c <= lastr) out[(size_t)r * rows + c] = t[threadIdx.x][k]; }
"""),
    "narrow_strip": make("32, 8", "32, 8", """  __shared__ float strip[8][33];
  const int r = blockIdx.y * 32 + threadIdx.x;
  const int n = threadIdx.y * 32 + threadIdx.x, y = n / 8, x = n % 8;
  if (blockIdx.y * 32 + y < rows && blockIdx.x * 8 + x < cols) strip[x][y] = in[(size_t)(blockIdx.y * 32 + y) * cols + blockIdx.x * 8 + x];
  __syncthreads();
  if (r < rows && blockIdx.x * 8 + threadIdx.y < cols) out[(size_t)(blockIdx.x * 8 + threadIdx.y) * rows + r] = strip[threadIdx.y][threadIdx.x];
"""),
    "long_strip": make("128, 2", "16, 128", """  __shared__ float s[16][129];
  const size_t r0 = blockIdx.y * 16, c0 = blockIdx.x * 128;
  for (int y = threadIdx.y; y < 16; y += 2) if (r0 + y < rows && c0 + threadIdx.x < cols) s[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  const int n = threadIdx.y * 128 + threadIdx.x;
  for (int x = n / 16; x < 128; x += 16) if (c0 + x < cols && r0 + n % 16 < rows) out[(c0 + x) * rows + r0 + n % 16] = s[n % 16][x];
"""),
    "two_columns_each": make("16, 16", "32, 32", """  __shared__ float t[32][33];
  for (int k = threadIdx.y; k < 32; k += 16) for (int x = 2 * threadIdx.x; x < 2 * (int)threadIdx.x + 2; ++x) {
    const size_t r = blockIdx.y * 32 + k, c = blockIdx.x * 32 + x; if (r < rows && c < cols) t[k][x] = in[r * cols + c]; }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 16) for (int x = threadIdx.x; x < 32; x += 16) {
    const size_t r = blockIdx.x * 32 + k, c = blockIdx.y * 32 + x; if (r < cols && c < rows) out[r * rows + c] = t[x][k]; }
"""),
    "eight_wide": make("8, 32", "32, 32", """  __shared__ float t[32][33];
  for (int x = threadIdx.x; x < 32; x += 8) { const size_t r = blockIdx.y * 32 + threadIdx.y, c = blockIdx.x * 32 + x; if (r < rows && c < cols) t[threadIdx.y][x] = in[r * cols + c]; }
  __syncthreads();
  for (int x = threadIdx.x; x < 32; x += 8) { const size_t r = blockIdx.x * 32 + threadIdx.y, c = blockIdx.y * 32 + x; if (r < cols && c < rows) out[r * rows + c] = t[x][threadIdx.y]; }
"""),
    "forty_eight": make("48, 8", "48, 48", """  __shared__ float t[48][49];
  const size_t r0 = blockIdx.y * 48, c0 = blockIdx.x * 48;
  for (int y = threadIdx.y; y < 48; y += 8) if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 48; y += 8) if (c0 + y < cols && r0 + threadIdx.x < rows) out[(c0 + y) * rows + r0 + threadIdx.x] = t[threadIdx.x][y];
"""),
    "offset_start": make("32, 8", "32, 32", """  __shared__ float t[4 + 32 * 33];
  float* const base = t + 4;
  const size_t r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  for (int k = threadIdx.y; k < 32; k += 8) if (r0 + k < rows && c0 + threadIdx.x < cols) base[k * 33 + threadIdx.x] = in[(r0 + k) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) if (c0 + k < cols && r0 + threadIdx.x < rows) out[(c0 + k) * rows + r0 + threadIdx.x] = base[threadIdx.x * 33 + k];
"""),
    "diagonal": make("32, 8", "32, 32", """  __shared__ float t[32][33];
  const unsigned bx = (blockIdx.x + blockIdx.y) % gridDim.x, by = blockIdx.y;
  int k = threadIdx.y;
  do { const size_t r = by * 32 + k, c = bx * 32 + threadIdx.x; if (r < rows && c < cols) t[k][threadIdx.x] = in[r * cols + c]; k += 8; } while (k < 32);
  __syncthreads();
  k = threadIdx.y;
  do { const size_t r = bx * 32 + k, c = by * 32 + threadIdx.x; if (r < cols && c < rows) out[r * rows + c] = t[threadIdx.x][k]; k += 8; } while (k < 32);
"""),
}

# A kernel with a way of its own: warps own four rows each, in a tile of 24 columns that no one else would think of.
ORIGINAL = make("256, 1", "32, 32", """  __shared__ float corner[32][41];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int top = blockIdx.y * 32, left = blockIdx.x * 32;
  for (int k = 0; k < 4; ++k) {
    const int y = warp * 4 + k;
    if (top + y < rows && left + lane < cols) corner[y][lane + 3] = in[(size_t)(top + y) * cols + left + lane];
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    const int x = warp * 4 + k;
    if (left + x < cols && top + lane < rows) out[(size_t)(left + x) * rows + top + lane] = corner[lane][x + 3];
  }
""")


def changed(*pairs):
    text = ORIGINAL
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


COPIES = {
    "renamed": changed(("corner", "mine"), ("warp", "group"), ("lane", "me"), ("top", "rr"), ("left", "cc")),
    "loop_reversed": changed(("for (int k = 0; k < 4; ++k)", "for (int k = 3; k >= 0; --k)")),
    "index_rewritten": changed(("warp * 4 + k", "warp + 8 * k")),
    "dead_block": changed(("  __syncthreads();\n", "  if (rows < 0) { for (int z = lane; z < 32; z += 3) corner[z][0] = in[z] * 2.0f; out[lane] = corner[lane][0]; return; }\n  __syncthreads();\n")),
    "reordered": changed(("  const int top = blockIdx.y * 32, left = blockIdx.x * 32;\n", ""), ("  __shared__", "  const int left = blockIdx.x * 32, top = blockIdx.y * 32;\n  __shared__"),
                         ("if (top + y < rows && left + lane < cols)", "if (!(left + lane >= cols || top + y >= rows))")),
    "unrolled": changed(("  for (int k = 0; k < 4; ++k)", "  #pragma unroll 1\n  for (int k = 0; k < 4; ++k)")),
    "types": changed(("const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;", "const unsigned long long warp = threadIdx.x >> 5, lane = threadIdx.x & 31;"),
                     ("const int top", "const unsigned top"), ("const int y", "const size_t y"), ("const int x", "const size_t x")),
}
COPIES["all_at_once"] = (COPIES["index_rewritten"].replace("for (int k = 0; k < 4; ++k)", "for (int k = 3; k >= 0; --k)").replace("corner", "store")
                         .replace("const int top", "const unsigned top").replace("  __syncthreads();\n", "  if (rows < 0) { out[lane] = in[lane]; return; }\n  __syncthreads();\n"))

# Further disguises, each by itself: what `similar` finds of them, and what not, stands in docs/grading.md.
DISGUISES = {
    "row_length_39": changed(("[41]", "[39]")),
    "row_length_and_names": changed(("[41]", "[37]"), ("lane + 3", "lane + 1"), ("x + 3", "x + 1"), ("corner", "zz")),
    "xor_for_padding": changed(("[41]", "[32]"), ("corner[y][lane + 3]", "corner[y][lane ^ y]"), ("corner[lane][x + 3]", "corner[lane][x ^ lane]")),
    "block_2d": changed((".block = {256, 1}", ".block = {32, 8}"), ("threadIdx.x / 32", "threadIdx.y"), ("threadIdx.x % 32", "threadIdx.x")),
    "block_x_walks_rows": changed(("kCols", "kRows"), ("blockIdx.y * 32, left = blockIdx.x * 32", "blockIdx.x * 32, left = blockIdx.y * 32")),
    "lanes_reversed": changed(("threadIdx.x % 32", "31 - threadIdx.x % 32")),
    "warps_permuted": changed(("threadIdx.x / 32", "(threadIdx.x / 32 * 5 + 3) % 8")),
    "shared_offset": changed(("  __shared__ float corner", "  __shared__ volatile float before[40];\n  if (threadIdx.x < 40) before[threadIdx.x] = 1;\n  __shared__ float corner")),
    "dead_loads": changed(("  __syncthreads();", "  float d = 0;\n  if (threadIdx.x < 32 && threadIdx.x < rows * cols) d = *(const volatile float*)&in[threadIdx.x];\n  if (d == 1.25e-30f) out[0] = d;\n  __syncthreads();")),
    "half_warps": changed(("    if (top + y < rows && left + lane < cols) corner[y][lane + 3] = in[(size_t)(top + y) * cols + left + lane];", "    const bool ok = top + y < rows && left + lane < cols;\n    if (ok && lane < 16) corner[y][lane + 3] = in[(size_t)(top + y) * cols + left + lane];\n    if (ok && lane >= 16) corner[y][lane + 3] = in[(size_t)(top + y) * cols + left + lane];")),
    "asm_loads": changed(("= in[(size_t)(top + y) * cols + left + lane];", "= __ldcg(&in[(size_t)(top + y) * cols + left + lane]);")),
    "asm_volatile": changed(("corner[y][lane + 3] = in[(size_t)(top + y) * cols + left + lane];", "{ float v; asm volatile(\"ld.global.nc.L1::no_allocate.f32 %0, [%1];\" : \"=f\"(v) : \"l\"(in + (size_t)(top + y) * cols + left + lane)); corner[y][lane + 3] = v; }")),
    "eight_rows_128_threads": changed(("256, 1", "128, 1"), ("k < 4", "k < 8"), ("warp * 4", "warp * 8")),
    "512_threads": changed(("256, 1", "512, 1"), ("k < 4", "k < 2"), ("warp * 4", "warp * 2")),
    "strided_rows": changed(("warp * 4 + k", "warp + 8 * k")),
    "tile_64": changed((".tile = {32, 32}", ".tile = {32, 64}"), ("left = blockIdx.x * 32;", "left0 = blockIdx.x * 64;\n  for (int left = left0; left < left0 + 64; left += 32) {"), ("corner[lane][x + 3];\n  }\n", "corner[lane][x + 3];\n  }\n  __syncthreads();\n  }\n")),
    "row_length_and_lanes": changed(("[41]", "[43]"), ("threadIdx.x % 32", "31 - threadIdx.x % 32"), ("warp * 4 + k", "warp + 8 * k"), ("corner", "q")),
    "column_major_tile": changed(("corner[y][lane + 3]", "corner[lane][y + 3]"), ("corner[lane][x + 3]", "corner[x][lane + 3]")),
    "templates": changed(("extern \"C\"", "template <int N> __device__ int part(int t) { return N == 0 ? t / 32 : t % 32; }\nextern \"C\""), ("threadIdx.x / 32", "part<0>(threadIdx.x)"), ("threadIdx.x % 32", "part<1>(threadIdx.x)")),
    "through_pointers": changed(("corner[y][lane + 3] =", "*(&corner[0][0] + 41 * y + lane + 3) ="), ("corner[lane][x + 3]", "*(&corner[0][0] + 41 * lane + x + 3)")),
    "doubled_tile": changed(("[32][41]", "[32][82]"), ("lane + 3]", "2 * lane + 3]"), ("x + 3]", "2 * x + 3]")),
}
