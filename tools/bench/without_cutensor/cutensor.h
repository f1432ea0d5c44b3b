// In place of cuTENSOR's header, where the library is not installed: tools/bench/drawn.cu then times lab::permute
// and the copy, and prints 0 for cuTENSOR. nvcc -I tools/bench/without_cutensor
#pragma once

#include <library_types.h>

enum cutensorStatus_t { CUTENSOR_STATUS_SUCCESS, CUTENSOR_STATUS_NOT_SUPPORTED };
enum cutensorName_t {
  CUTENSOR_COMPUTE_DESC_32F,
  CUTENSOR_COMPUTE_DESC_64F,
  CUTENSOR_OP_IDENTITY,
  CUTENSOR_ALGO_DEFAULT,
  CUTENSOR_JIT_MODE_NONE
};
using cutensorComputeDescriptor_t = cutensorName_t;
using cutensorHandle_t = void*;
using cutensorTensorDescriptor_t = void*;
using cutensorOperationDescriptor_t = void*;
using cutensorPlanPreference_t = void*;
using cutensorPlan_t = void*;

inline cutensorStatus_t cutensorCreate(cutensorHandle_t*) { return CUTENSOR_STATUS_SUCCESS; }
template <typename... Arguments>
cutensorStatus_t cutensorCreateTensorDescriptor(Arguments...) {
  return CUTENSOR_STATUS_NOT_SUPPORTED;
}
template <typename... Arguments>
cutensorStatus_t cutensorCreatePermutation(Arguments...) {
  return CUTENSOR_STATUS_NOT_SUPPORTED;
}
template <typename... Arguments>
cutensorStatus_t cutensorCreatePlanPreference(Arguments...) {
  return CUTENSOR_STATUS_NOT_SUPPORTED;
}
template <typename... Arguments>
cutensorStatus_t cutensorCreatePlan(Arguments...) {
  return CUTENSOR_STATUS_NOT_SUPPORTED;
}
template <typename... Arguments>
cutensorStatus_t cutensorPermute(Arguments...) {
  return CUTENSOR_STATUS_NOT_SUPPORTED;
}
