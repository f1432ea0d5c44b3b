// What texture and array calls refuse, each with its own code, and the program goes on. (An array that is freed twice is not
// among them: the driver of an H200 dies of it.)
// golden: none
#include <cstdio>

static void said(const char* what, cudaError_t e) { std::printf("%s: %s\n", what, cudaGetErrorName(e)); }

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  said("an array of ints", cudaMallocArray(&array, &format, 16, 4));
  cudaChannelFormatDesc three = format;
  three.y = three.z = 32;
  cudaArray_t other = nullptr;
  said("three channels", cudaMallocArray(&other, &three, 16, 4));
  said("a cube of five faces", cudaMalloc3DArray(&other, &format, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
  int row[32] = {};
  said("a row too long", cudaMemcpy2DToArray(array, 4, 0, row, 128, 64, 1, cudaMemcpyHostToDevice));
  said("a row too low", cudaMemcpy2DToArray(array, 0, 4, row, 128, 64, 1, cudaMemcpyHostToDevice));

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  cudaTextureObject_t t = 0;
  how.filterMode = cudaFilterModeLinear;
  said("ints filtered", cudaCreateTextureObject(&t, &resource, &how, nullptr));
  how.filterMode = cudaFilterModePoint;
  how.readMode = cudaReadModeNormalizedFloat;
  said("ints of 32 bits as floats", cudaCreateTextureObject(&t, &resource, &how, nullptr));
  how.readMode = cudaReadModeElementType;
  said("ints as they are", cudaCreateTextureObject(&t, &resource, &how, nullptr));
  said("destroyed", cudaDestroyTextureObject(t));
  said("destroyed again", cudaDestroyTextureObject(t));
  cudaSurfaceObject_t s = 0;
  said("a surface of a plain array", cudaCreateSurfaceObject(&s, &resource));
  char* memory = nullptr;
  cudaMalloc(&memory, 4096);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = 8192;
  said("more than its memory", cudaCreateTextureObject(&t, &resource, &how, nullptr));
  cudaFree(memory);
  said("freed", cudaFreeArray(array));
}
