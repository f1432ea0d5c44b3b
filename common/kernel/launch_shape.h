// What a kernel file says about itself, as data in its compiled module.
//
// Enters: the values that a student writes beside the kernel. Leaves: two plain structs of 32-bit integers
// whose bytes stand in the module under the names `lab_launch_shape` and `lab_predictions`. The kernel file
// includes this through lab.cuh; the checks include it to read the bytes back. So no code of the student's
// ever runs on the host.
//
// A block is x by y, as CUDA has it; a tile is rows by columns, as the matrix is: here 64 rows of 32 elements.
// On the command line both are XxY:
//     constexpr lab::LaunchShape LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 32}};
//     ./lab profile my.cu --block 32x8 --tile 32x64
#pragma once

// The fields of several GPUs stand in files that ask for them (gpus.cuh), and where bytes are read back. A
// file of one GPU compiles to the same bytes as before there were any, and what the key draws for a kernel
// comes from these bytes.
#if defined(LAB_SEVERAL_GPUS) || (!defined(__CUDACC__) && !defined(__CUDA__))
#define LAB_GPU_FIELDS(FIELDS) FIELDS
#define LAB_GPU_FIELD_COUNT(COUNT) COUNT
#else
#define LAB_GPU_FIELDS(FIELDS)
#define LAB_GPU_FIELD_COUNT(COUNT) 0
#endif

namespace lab {

// The first field of both structs. A program that reads another number asks the student to rebuild.
constexpr int kLaunchShapeVersion = 2;
constexpr int kPredictionsVersion = 1;

// The axis of `in` along which blockIdx.x counts tiles; blockIdx.y takes the other one.
enum Axis : int { kRows = 0, kCols = 1 };

struct BlockShape {
  int x = 0;  // threads along threadIdx.x
  int y = 1;  // threads along threadIdx.y
};

struct TileShape {
  int rows = 0;  // elements of `in` that one block covers
  int cols = 0;
};

struct ClusterShape {
  int x = 1;  // blocks along blockIdx.x that share their shared memory
  int y = 1;
};

// Which matrix a tensor map describes: `in` is rows × cols, `out` is cols × rows.
enum MapOf : int { kNoMap = 0, kIn = 1, kOut = 2 };
// How the TMA unit lays a box into shared memory: 16-byte chunks change places within so many bytes.
enum MapSwizzle : int { kNoSwizzle = 0, kSwizzle32 = 1, kSwizzle64 = 2, kSwizzle128 = 3 };

// What a tensor map is made of: the device makes one for each launch, and passes it behind the usual
// parameters, in this order.
struct TensorMapShape {
  MapOf of = kNoMap;
  TileShape box;  // elements that one copy spans: rows, cols of that matrix
  MapSwizzle swizzle = kNoSwizzle;
  TileShape element_strides = {1, 1};  // it takes every so-manyth row and column of the box
};
constexpr int kMostTensorMaps = 4;

struct LaunchShape {
  int version = kLaunchShapeVersion;
  BlockShape block;
  TileShape tile;
  Axis block_x_walks = kCols;
  int dynamic_shared_bytes = 0;
  ClusterShape cluster;
  TensorMapShape maps[kMostTensorMaps];  // the first that describes no matrix ends the list
  LAB_GPU_FIELDS(int gpus = 1;)          // that share the matrix (chapter 16)
};

// A student's answers before the first run. 0 means "not answered": no question has 0 as its answer.
struct Predictions {
  int version = kPredictionsVersion;
  // One warp, one instruction.
  int global_load_sectors_per_request = 0;
  int global_store_sectors_per_request = 0;
  int shared_load_wavefronts_per_request = 0;
  int shared_store_wavefronts_per_request = 0;
  // The whole launch on a 1024 x 1024 matrix of floats.
  int global_load_sectors = 0;
  int global_store_sectors = 0;
  int shared_load_wavefronts = 0;
  int shared_store_wavefronts = 0;
  // What a thread has asked for in global memory before it waits for the first of it.
  int loaded_bytes_at_once_per_thread = 0;
  // What one of two GPUs sends to the other, and what the link carries for one store of a warp.
  LAB_GPU_FIELDS(int link_store_sectors = 0; int link_bytes_per_store = 0;)
};

constexpr int kFieldsOfOneGpu = 9 + 6 * kMostTensorMaps, kQuestionsOfOneGpu = 9;
static_assert(sizeof(LaunchShape) == (kFieldsOfOneGpu + LAB_GPU_FIELD_COUNT(1)) * sizeof(int));
static_assert(sizeof(Predictions) == (1 + kQuestionsOfOneGpu + LAB_GPU_FIELD_COUNT(2)) * sizeof(int));

}  // namespace lab

#undef LAB_GPU_FIELDS
#undef LAB_GPU_FIELD_COUNT
