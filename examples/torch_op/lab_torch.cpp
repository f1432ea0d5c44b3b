// torch.ops.lab.permute: what PyTorch calls on CUDA tensors. Compiled by lab_torch.py when it is imported.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

extern "C" int lab_permute(void* out, const void* in, int count, const int64_t* sizes,
                           const int64_t* in_strides, const int* order, int element_bytes, void* stream);
extern "C" const char* lab_error(int error);

namespace {

constexpr int64_t kMostDims = 64, kWidest = 16;
constexpr int kInvalidValue = 1;

// The order with no negative dimension; empty when dims is no permutation.
std::vector<int64_t> positive(at::IntArrayRef dims, int64_t count) {
  std::vector<int64_t> order;
  std::vector<bool> named(static_cast<size_t>(count), false);
  for (const int64_t d : dims) {
    const int64_t at = d < 0 ? d + count : d;
    if (at < 0 || at >= count || named[static_cast<size_t>(at)]) return {};
    named[static_cast<size_t>(at)] = true;
    order.push_back(at);
  }
  return static_cast<int64_t>(order.size()) == count ? order : std::vector<int64_t>{};
}

// Also what refuses dims that are no permutation.
at::Tensor permute_by_torch(const at::Tensor& x, at::IntArrayRef dims) {
  return x.permute(dims).clone(at::MemoryFormat::Contiguous);
}

at::Tensor permute_on_gpu(const at::Tensor& x, at::IntArrayRef dims) {
  const std::vector<int64_t> order = positive(dims, x.dim());
  if (order.empty() || x.dim() > kMostDims || static_cast<int64_t>(x.element_size()) > kWidest ||
      x.is_neg() || x.is_conj())
    return permute_by_torch(x, dims);
  std::vector<int64_t> sizes;
  int narrow[kMostDims] = {};
  for (size_t i = 0; i < order.size(); ++i)
    sizes.push_back(x.size(order[i])), narrow[i] = static_cast<int>(order[i]);
  const int count = static_cast<int>(x.dim()), element = static_cast<int>(x.element_size());
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor out = at::empty(sizes, x.options().memory_format(at::MemoryFormat::Contiguous));
  const int error =
      lab_permute(out.mutable_data_ptr(), x.const_data_ptr(), count, x.sizes().data(), x.strides().data(),
                  narrow, element, c10::cuda::getCurrentCUDAStream().stream());
  if (error == kInvalidValue) return permute_by_torch(x, dims);  // more than 8 dimensions stay apart
  TORCH_CHECK(error == 0, "lab.permute: ", lab_error(error));
  return out;
}

}  // namespace

TORCH_LIBRARY(lab, m) { m.def("permute(Tensor x, int[] dims) -> Tensor"); }
TORCH_LIBRARY_IMPL(lab, CUDA, m) { m.impl("permute", permute_on_gpu); }
TORCH_LIBRARY_IMPL(lab, CPU, m) { m.impl("permute", permute_by_torch); }
