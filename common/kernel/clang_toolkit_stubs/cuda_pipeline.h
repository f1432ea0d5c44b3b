// Found in place of the CUDA Toolkit's header when clang compiles a kernel.
#pragma once

#include <cuda_pipeline_primitives.h>
