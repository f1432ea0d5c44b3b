// The process that holds the driver, and the questions that it answers.
//
// Enters: a request packet on a socket. Leaves: a reply packet: a status, then what the request asks for. The
// server's side is gpu_worker.cpp, the client's gpu_client.cpp. Bytes of matrices travel through memory that
// both processes share, the rest inside the packets.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "common/gpu/device/gpu.h"
#include "common/gpu/device/wire.h"

namespace lab::device {

// One piece of a matrix; larger ones travel piece by piece.
inline constexpr std::uint64_t kAreaBytes = 64ull << 20;

// Behind the number of the GPU that it is about, the opened one being 0.
enum class Ask : std::uint8_t {
  Load,       // ptx, cubin → module
  Unload,     // module
  Function,   // module, entry → function, static shared bytes
  Variable,   // module, name → found, bytes
  Allocate,   // bytes → address
  Release,    // address
  Write,      // address, bytes (in the area)
  Read,       // address, bytes → (in the area)
  Fill,       // address, bytes, value
  TensorMap,  // map → its bytes
  Launch,     // function, grid, block, cluster, dynamic shared, offsets, parameters → seconds, output
  Time,       // plan, for each GPU function and work → samples
  Cublas,     // → version
};

enum class Status : std::uint8_t {
  Done,
  CudaFailed,    // code, its name, call, log
  DeviceFailed,  // words
  NoMemory,
};

// A worker as its parent sees it. Its first packet says what it found: see read_hello.
struct Worker {
  pid_t process = -1;
  int socket = -1;
  std::byte* area = nullptr;  // kAreaBytes, shared
};

// Starts a worker that surveys the GPUs and, for an index from 0 on, opens that one and serves until the
// socket closes. Throws DeviceError when there can be no further process.
[[nodiscard]] Worker start_worker(int index);
// Kills it if it still runs; says how it ended: "was ended by signal 11", "ended with exit code 3".
Message stop_worker(Worker& worker);

void put_survey(Packet& packet, const GpuSurvey& survey);
[[nodiscard]] GpuSurvey get_survey(Packet& packet);
// Waits for the first packet. What goes wrong becomes the survey's problem.
[[nodiscard]] GpuSurvey read_hello(Worker& worker, std::chrono::milliseconds limit);

}  // namespace lab::device
