// A kernel asks what its errors are called, and the host gives a capture other dependencies.
// nvcc: -rdc=true
// golden: none
#include <cstdio>

__global__ void child() { std::printf("never\n"); }
__global__ void parent() {
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  child<<<1, 4096>>>();
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
__global__ void say(int n) { std::printf("node %d\n", n); }

int main() {
  parent<<<1, 1>>>();
  const bool ran = cudaDeviceSynchronize() == cudaSuccess;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const bool refused = cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies) ==
                       cudaErrorIllegalState;
  cudaGetLastError();
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  say<<<1, 1, 0, stream>>>(1);
  cudaStreamCaptureStatus status;
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr);
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeEmpty;
  cudaGraphNode_t empty;
  cudaGraphAddNode(&empty, graph, nullptr, nullptr, 0, &parameters);
  const bool set = cudaStreamUpdateCaptureDependencies(stream, &empty, nullptr, 1, cudaStreamSetCaptureDependencies) == cudaSuccess;
  say<<<1, 1, 0, stream>>>(2);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  std::printf("%s\n", ran && refused && set ? "as expected" : "wrong");
  return !(ran && refused && set);
}
