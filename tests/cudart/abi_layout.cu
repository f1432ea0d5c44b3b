// Our declarations of the runtime's structs against the toolkit's: every size, and the offsets that a compiler
// could disagree about. It passes when it compiles.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>

#include "common/run/cudart/abi.h"
#include "common/run/cudart/textures.h"

namespace ours = lab::cudart;

#define SAME_SIZE(mine, theirs) static_assert(sizeof(mine) == sizeof(theirs), "size of " #theirs)
#define SAME_PLACE(mine, field, theirs, name) \
  static_assert(offsetof(mine, field) == offsetof(theirs, name), "place of " #theirs "::" #name)

SAME_SIZE(ours::Dim3, dim3);
SAME_SIZE(ours::Error, cudaError_t);
#if CUDART_VERSION >= 13000
SAME_SIZE(ours::PointerAttributes, cudaPointerAttributes);
#endif
SAME_PLACE(ours::PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
SAME_SIZE(ours::FunctionAttributes, cudaFuncAttributes);
SAME_PLACE(ours::FunctionAttributes, max_threads_per_block, cudaFuncAttributes, maxThreadsPerBlock);
SAME_PLACE(ours::FunctionAttributes, ptx_version, cudaFuncAttributes, ptxVersion);
SAME_PLACE(ours::FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(ours::FunctionAttributes, non_portable_cluster_size, cudaFuncAttributes, nonPortableClusterSizeAllowed);
SAME_SIZE(ours::PitchedPointer, cudaPitchedPtr);
#if CUDART_VERSION >= 13000
SAME_SIZE(ours::BatchAttributes, cudaMemcpyAttributes);
SAME_SIZE(ours::BatchOperand, cudaMemcpy3DOperand);
SAME_PLACE(ours::BatchOperand, memory.layer_rows, cudaMemcpy3DOperand, op.ptr.layerHeight);
SAME_PLACE(ours::BatchOperand, memory.hint, cudaMemcpy3DOperand, op.ptr.locHint);
SAME_PLACE(ours::BatchOperand, array.offset, cudaMemcpy3DOperand, op.array.offset);
SAME_SIZE(ours::BatchCopy3D, cudaMemcpy3DBatchOp);
SAME_SIZE(ours::BatchCopy3D, CUDA_MEMCPY3D_BATCH_OP);
SAME_PLACE(ours::BatchCopy3D, source_order, cudaMemcpy3DBatchOp, srcAccessOrder);
#endif
SAME_SIZE(ours::Extent, cudaExtent);
SAME_SIZE(ours::Position, cudaPos);
SAME_SIZE(ours::Copy3D, cudaMemcpy3DParms);
SAME_PLACE(ours::Copy3D, to_array, cudaMemcpy3DParms, dstArray);
SAME_PLACE(ours::Copy3D, kind, cudaMemcpy3DParms, kind);
SAME_SIZE(ours::CopyPeer3D, cudaMemcpy3DPeerParms);
SAME_PLACE(ours::CopyPeer3D, extent, cudaMemcpy3DPeerParms, extent);
SAME_SIZE(ours::Copy2DRequest, CUDA_MEMCPY2D);
SAME_PLACE(ours::Copy2DRequest, to.device, CUDA_MEMCPY2D, dstDevice);
SAME_SIZE(ours::Copy3DRequest, CUDA_MEMCPY3D);
SAME_PLACE(ours::Copy3DRequest, from.height, CUDA_MEMCPY3D, srcHeight);
SAME_PLACE(ours::Copy3DRequest, to.device, CUDA_MEMCPY3D, dstDevice);
SAME_SIZE(ours::LaunchAttribute, cudaLaunchAttribute);
SAME_PLACE(ours::LaunchAttribute, value, cudaLaunchAttribute, val);
SAME_SIZE(ours::LaunchRequest, cudaLaunchConfig_t);
SAME_PLACE(ours::LaunchRequest, stream, cudaLaunchConfig_t, stream);
SAME_PLACE(ours::LaunchRequest, attribute_count, cudaLaunchConfig_t, numAttrs);
static_assert(ours::kAttributeCooperative == cudaLaunchAttributeCooperative, "");
static_assert(ours::kAttributeClusterDimension == cudaLaunchAttributeClusterDimension, "");

SAME_SIZE(ours::ChannelFormat, cudaChannelFormatDesc);
SAME_SIZE(ours::TextureDescription, cudaTextureDesc);
SAME_PLACE(ours::TextureDescription, border, cudaTextureDesc, borderColor);
SAME_PLACE(ours::TextureDescription, normalised, cudaTextureDesc, normalizedCoords);
SAME_PLACE(ours::TextureDescription, seamless_cubemap, cudaTextureDesc, seamlessCubemap);
SAME_PLACE(ours::ResourceDescription, array, cudaResourceDesc, res.array.array);
SAME_PLACE(ours::ResourceDescription, linear.size_bytes, cudaResourceDesc, res.linear.sizeInBytes);
SAME_PLACE(ours::ResourceDescription, rows.pitch_bytes, cudaResourceDesc, res.pitch2D.pitchInBytes);
static_assert(sizeof(ours::ResourceDescription) <= sizeof(cudaResourceDesc), "a program has less room");
static_assert(static_cast<int>(lab::sim::AddressMode::Border) == cudaAddressModeBorder, "");

#if CUDART_VERSION >= 13000
using Properties = ours::DeviceProperties;
#else
using Properties = ours::DeviceProperties12;
SAME_PLACE(Properties, clock_khz, cudaDeviceProp, clockRate);
SAME_PLACE(Properties, memory_clock_khz, cudaDeviceProp, memoryClockRate);
SAME_PLACE(Properties, single_to_double_ratio, cudaDeviceProp, singleToDoublePrecisionPerfRatio);
#endif
SAME_SIZE(Properties, cudaDeviceProp);
SAME_PLACE(Properties, total_global_memory, cudaDeviceProp, totalGlobalMem);
SAME_PLACE(Properties, registers_per_block, cudaDeviceProp, regsPerBlock);
SAME_PLACE(Properties, max_grid_size, cudaDeviceProp, maxGridSize);
SAME_PLACE(Properties, major, cudaDeviceProp, major);
SAME_PLACE(Properties, multiprocessors, cudaDeviceProp, multiProcessorCount);
SAME_PLACE(Properties, surface_alignment, cudaDeviceProp, surfaceAlignment);
SAME_PLACE(Properties, concurrent_kernels, cudaDeviceProp, concurrentKernels);
SAME_PLACE(Properties, memory_bus_width, cudaDeviceProp, memoryBusWidth);
SAME_PLACE(Properties, shared_per_multiprocessor, cudaDeviceProp, sharedMemPerMultiprocessor);
SAME_PLACE(Properties, managed_memory, cudaDeviceProp, managedMemory);
SAME_PLACE(Properties, shared_per_block_optin, cudaDeviceProp, sharedMemPerBlockOptin);
SAME_PLACE(Properties, max_blocks_per_multiprocessor, cudaDeviceProp, maxBlocksPerMultiProcessor);
SAME_PLACE(Properties, reserved_shared_per_block, cudaDeviceProp, reservedSharedMemPerBlock);
SAME_PLACE(Properties, memory_pools, cudaDeviceProp, memoryPoolsSupported);
SAME_PLACE(Properties, cluster_launch, cudaDeviceProp, clusterLaunch);

int main() { return 0; }
