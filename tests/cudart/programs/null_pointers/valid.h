// An argument of each type that a call would take.
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <type_traits>

__device__ int variable[64];
__global__ void kernel(int* p) {
  if (p != nullptr) p[threadIdx.x] = 1;
}
inline const char* const kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 number;\n.visible .entry empty() { ret; }\n";

struct Valid {
  const char* call;
  int size;  // what numbers are: counts, flags, bytes

  Valid(const char* name, int number) : call(name), size(number) {}

  [[nodiscard]] bool about(const char* word) const { return std::strstr(call, word) != nullptr; }

  static void* memory() {
    static void* const managed = [] {
      void* made = nullptr;
      cudaMallocManaged(&made, 1 << 16, cudaMemAttachGlobal);
      cudaMemset(made, 0, 1 << 16);
      cudaDeviceSynchronize();
      return made;
    }();
    return managed;
  }
  static void* memory_of_a_pool() {
    void* made = nullptr;
    cudaMallocAsync(&made, 256, nullptr);
    return made;
  }
  // Whose one number are flags, of which 1 is none or is refused outside of a capture.
  [[nodiscard]] bool has_no_flags() const {
    return about("AddCallback") || about("StreamWaitEvent") || about("RecordWithFlags");
  }
  static CUfunction function() {
    CUfunction made = nullptr;
    cuModuleGetFunction(&made, module_loaded(), "empty");
    return made;
  }
  static CUmodule module_loaded() {
    cudaFree(nullptr);
    CUmodule made = nullptr;
    cuModuleLoadData(&made, kPtx);
    return made;
  }
  static cudaGraph_t graph() {
    cudaGraph_t made = nullptr;
    cudaGraphCreate(&made, 0);
    return made;
  }
  // What a new node may depend on, and where both lie.
  static cudaGraph_t graph_with_a_node(cudaGraphNode_t* node) {
    static cudaGraphNode_t first = nullptr;
    static const cudaGraph_t both = [] {
      const cudaGraph_t made = graph();
      cudaGraphAddEmptyNode(&first, made, nullptr, 0);
      return made;
    }();
    *node = first;
    return both;
  }
  [[nodiscard]] cudaGraphNode_t node() const {
    cudaGraphNode_t made = nullptr;
    cudaEvent_t event = nullptr;
    void* arguments[] = {nullptr};
    int* null = nullptr;
    arguments[0] = &null;
    cudaKernelNodeParams kernel_node{};
    kernel_node.func = reinterpret_cast<void*>(&kernel);
    kernel_node.gridDim = kernel_node.blockDim = {1, 1, 1};
    kernel_node.kernelParams = arguments;
    cudaMemsetParams memset_node{memory(), 4, 4, 0, 4, 1};
    cudaHostNodeParams host_node{[](void*) {}, nullptr};
    cudaMemAllocNodeParams alloc_node{};
    alloc_node.poolProps.allocType = cudaMemAllocationTypePinned;
    alloc_node.poolProps.location = {cudaMemLocationTypeDevice};
    alloc_node.bytesize = 64;
    if (about("KernelNode")) {
      cudaGraphAddKernelNode(&made, graph(), nullptr, 0, &kernel_node);
    } else if (about("MemcpyNode")) {
      cudaGraphAddMemcpyNode1D(&made, graph(), nullptr, 0, memory(), memory(), 4, cudaMemcpyDefault);
    } else if (about("MemsetNode")) {
      cudaGraphAddMemsetNode(&made, graph(), nullptr, 0, &memset_node);
    } else if (about("HostNode")) {
      cudaGraphAddHostNode(&made, graph(), nullptr, 0, &host_node);
    } else if (about("ChildGraph")) {
      cudaGraphAddChildGraphNode(&made, graph(), nullptr, 0, graph());
    } else if (about("EventRecord") || about("EventWait")) {
      cudaEventCreateWithFlags(&event, 0);
      (about("Record") ? cudaGraphAddEventRecordNode : cudaGraphAddEventWaitNode)(&made, graph(), nullptr, 0, event);
    } else if (about("MemAllocNode")) {
      cudaGraphAddMemAllocNode(&made, graph(), nullptr, 0, &alloc_node);
    } else {
      cudaGraphAddEmptyNode(&made, graph(), nullptr, 0);
    }
    return made;
  }

  template <class T>
  [[nodiscard]] T some() const {
    T made{};
    if constexpr (std::is_same_v<T, cudaStream_t>) {
      cudaStreamCreate(&made);
    } else if constexpr (std::is_same_v<T, cudaEvent_t>) {
      cudaEventCreateWithFlags(&made, 0);
    } else if constexpr (std::is_same_v<T, CUfunction>) {
      made = function();
    } else if constexpr (std::is_same_v<T, CUmodule>) {
      made = module_loaded();
    } else if constexpr (std::is_same_v<T, CUkernel>) {
      cuLibraryGetKernel(&made, some<CUlibrary>(), "empty");
    } else if constexpr (std::is_same_v<T, CUlibrary>) {
      cudaFree(nullptr);
      cuLibraryLoadData(&made, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0);
    } else if constexpr (std::is_same_v<T, CUlinkState>) {
      cudaFree(nullptr);
      cuLinkCreate(0, nullptr, nullptr, &made);
    } else if constexpr (std::is_same_v<T, CUcontext>) {
      cuInit(0);
      cuDevicePrimaryCtxRetain(&made, 0);
    } else if constexpr (std::is_same_v<T, cudaGraph_t>) {
      cudaGraphNode_t first = nullptr;
      made = about("cuGraphAddMem") ? graph_with_a_node(&first) : graph();
    } else if constexpr (std::is_same_v<T, const cudaGraphNode_t*>) {
      auto* const nodes = static_cast<cudaGraphNode_t*>(std::calloc(64, sizeof(cudaGraphNode_t)));
      if (about("cuGraphAddMem")) graph_with_a_node(nodes);
      made = nodes;
    } else if constexpr (std::is_same_v<T, cudaGraphExec_t>) {
      cudaGraphInstantiate(&made, graph(), 0);
    } else if constexpr (std::is_same_v<T, cudaGraphNode_t>) {
      made = node();
    } else if constexpr (std::is_same_v<T, cudaArray_t> || std::is_same_v<T, cudaArray_const_t>) {
      cudaArray_t array = nullptr;
      const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
      cudaMallocArray(&array, &format, 16, 16);
      made = array;
    } else if constexpr (std::is_same_v<T, cudaMipmappedArray_t> || std::is_same_v<T, cudaMipmappedArray_const_t>) {
      cudaMipmappedArray_t mipmaps = nullptr;
      const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
      cudaMallocMipmappedArray(&mipmaps, &format, {16, 16, 0}, 3);
      made = mipmaps;
    } else if constexpr (std::is_same_v<T, CUmipmappedArray>) {
      made = reinterpret_cast<CUmipmappedArray>(some<cudaMipmappedArray_t>());
    } else if constexpr (std::is_same_v<T, CUarray>) {
      made = reinterpret_cast<CUarray>(some<cudaArray_t>());
    } else if constexpr (std::is_same_v<T, cudaMemPool_t>) {
      cudaMemPoolProps properties{};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location = {cudaMemLocationTypeDevice};
      cudaMemPoolCreate(&made, &properties);
    } else if constexpr (std::is_same_v<T, cudaUserObject_t>) {
      static int owned;
      cudaUserObjectCreate(&made, &owned, [](void*) {}, 4, cudaUserObjectNoDestructorSync);
    } else if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) {
      static char text[64];
      std::strcpy(text, about("GetProcAddress") || about("EntryPoint") ? "cuInit" : "empty");
      made = text;
    } else if constexpr (std::is_same_v<T, const void*>) {
      if (about("Symbol")) {
        made = variable;
      } else if (about("Func") || about("Occupancy") || about("LaunchKernel") || about("Kernel")) {
        made = reinterpret_cast<const void*>(&kernel);
      } else if (about("ModuleLoad") || about("LibraryLoad")) {
        made = kPtx;
      } else {
        made = memory();
      }
    } else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
      made = nothing(made);
    } else if constexpr (std::is_same_v<T, void*>) {
      made = about("FreeAsync") ? memory_of_a_pool() : memory();
    } else if constexpr (std::is_pointer_v<T>) {
      made = static_cast<T>(const_cast<void*>(std::calloc(1, 1 << 14)));
    } else if constexpr (std::is_same_v<T, cudaExtent>) {
      const auto side = static_cast<std::size_t>(size);
      made = {side, side, side};
    } else if constexpr (std::is_same_v<T, CUdeviceptr>) {
      made = reinterpret_cast<CUdeviceptr>(about("FreeAsync") ? memory_of_a_pool() : memory());
    } else if constexpr (std::is_same_v<T, cudaMemLocation>) {
      made.type = cudaMemLocationTypeDevice;
    } else if constexpr (std::is_same_v<T, CUmemLocation>) {
      made.type = CU_MEM_LOCATION_TYPE_DEVICE;
    } else if constexpr (std::is_same_v<T, std::size_t>) {
      // All of an allocation.
      made = about("AttachMem") ? 0 : static_cast<std::size_t>(size);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      made = static_cast<T>(has_no_flags() ? 0 : size);
    }
    return made;
  }

  template <class R, class... A>
  static auto nothing(R (*)(A...)) {
    return +[](A...) -> R { return R(); };
  }
};
