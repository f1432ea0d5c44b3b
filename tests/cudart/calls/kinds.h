// The kinds of arguments: each draws itself, mostly right and at times wrong, and shows what it drew.
//
// Enters: a World. Leaves: a value of the type that a call takes, its name on the line, and after a call that went well what it left.
#pragma once

#include "world.h"

// A number that turns into the integer or enumeration that a parameter is.
struct Number {
  long long n;
  template <class T>
  operator T() const {  // NOLINT: implicit on purpose
    return static_cast<T>(n);
  }
};
template <long long... Choices>
struct OneOf {
  Number n;
  explicit OneOf(World& w) {
    constexpr long long all[] = {Choices...};
    n.n = all[w.draw.below(sizeof...(Choices))];
  }
  Number value() const { return n; }
  std::string shown() const { return std::to_string(n.n); }
  std::string kept(World&) const { return ""; }
};
using Zero = OneOf<0>;
using DeviceNumber = OneOf<0, 0, 0, 0, 0, 0, 1, -1>;
using CopyBytes = OneOf<0, 4, 64, 64, 1000, 4096, 4096, 4096, 8192>;
using FillBytes = OneOf<0, 4, 64, 1000, 4096, 4096, 8192>;
using AllocBytes = OneOf<4096, 4096, 8192, 65536, 0, 1ll << 50>;
using CopyKind = OneOf<4, 4, 4, 4, 0, 1, 2, 3, 5>;  // cudaMemcpyDefault mostly; others may not fit
using Width = OneOf<0, 4, 32, 64>;
using Pitch = OneOf<64, 64, 64, 32, 0>;
using Height = OneOf<0, 1, 4, 16>;

template <class T, int Base>
struct Chosen {
  T handle{};
  int slot = 0;
  char letter = '?';
  T value() const { return handle; }
  std::string shown() const { return letter + std::to_string(slot); }
  std::string kept(World&) const { return ""; }
};

struct Stream
    : Chosen<cudaStream_t,
             0> {  // s0: default, s1: per thread, s2 and s4 blocking, s3 and s5 not, s6: legacy by its name
  explicit Stream(World& w) {
    constexpr int weights[] = {0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6};
    const int drawn = weights[w.draw.below(14)];
    letter = 's', slot = w.one_stream ? w.the_stream : drawn,
    handle = w.streams[static_cast<std::size_t>(slot)];
  }
};
struct Event : Chosen<cudaEvent_t, 0> {  // e0, e2: with times; e1: without; e3: blocking; e4: null
  explicit Event(World& w) {
    letter = 'e', slot = w.draw.one_in(20) ? 4 : w.draw.below(4),
    handle = w.events[static_cast<std::size_t>(slot)];
  }
};
struct Graph : Chosen<cudaGraph_t, 0> {  // g3: null
  explicit Graph(World& w) {
    letter = 'g', slot = w.draw.one_in(20) ? 3 : w.draw.below(3),
    handle = w.graphs[static_cast<std::size_t>(slot)];
    w.last_graph = slot;
  }
};
struct Child : Chosen<cudaGraph_t, 0> {  // another graph: a graph in itself ends the process on a GPU
  explicit Child(World& w) {
    letter = 'g', slot = (w.last_graph + 1 + w.draw.below(2)) % 3,
    handle = w.graphs[static_cast<std::size_t>(slot)];
  }
};
struct Exec : Chosen<cudaGraphExec_t, 0> {
  explicit Exec(World& w) {
    letter = 'x', slot = w.draw.below(kExecs), handle = w.execs[static_cast<std::size_t>(slot)];
  }
};
struct Node : Chosen<cudaGraphNode_t, 0> {
  explicit Node(World& w) {
    letter = 'n', slot = w.draw.below(kNodes), handle = w.nodes[static_cast<std::size_t>(slot)];
  }
};
struct Array : Chosen<cudaArray_t, 0> {  // a2: null
  explicit Array(World& w) {
    letter = 'a', slot = w.draw.one_in(12) ? 2 : w.draw.below(2),
    handle = w.arrays[static_cast<std::size_t>(slot)];
  }
};
struct Pool : Chosen<cudaMemPool_t, 0> {  // q0: the default one; q1, q2: made by the program; q3: null
  explicit Pool(World& w) {
    letter = 'q', slot = w.draw.one_in(16) ? 3 : w.draw.below(3),
    handle = w.pools[static_cast<std::size_t>(slot)];
  }
};

struct Pointer {
  void* at = nullptr;
  int slot = 0;
  std::size_t offset = 0;
  void* value() const { return at; }
  std::string shown() const {
    return "b" + std::to_string(slot) + (offset != 0 ? "+" + std::to_string(offset) : "");
  }
  std::string kept(World&) const { return ""; }
  void choose(World& w, int which, std::size_t from = 0) {
    slot = which, offset = from, at = w.buffers[static_cast<std::size_t>(which)].at;
    if (at != nullptr) at = static_cast<char*>(at) + offset;
  }
};
struct Any : Pointer {  // to copy from and to
  explicit Any(World& w) {
    constexpr int weights[] = {0, 0, 0, 0, 1,    1,      1,      2,           2,    3,
                               3, 4, 4, 5, kNew, kAsync, kAsync, kRegistered, kNull};
    choose(w, weights[w.draw.below(19)], w.draw.one_in(8) ? 64 : 0);
  }
};
struct OnDevice : Pointer {  // to fill, or for a kernel; at times not the device's
  explicit OnDevice(World& w) {
    constexpr int weights[] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3, kAsync, kAsync, kNew, 4, kNull};
    choose(w, weights[w.draw.below(15)], w.draw.one_in(10) ? 64 : 0);
  }
};
struct ForKernel : Pointer {  // what a kernel may always write; null: the kernels look
  explicit ForKernel(World& w) {
    constexpr int weights[] = {0, 0, 1, 1, 2, 3, kNull};
    choose(w, weights[w.draw.below(7)]);
  }
};
struct AsValue : Pointer {  // asked about: anything, also an address that is none's
  explicit AsValue(World& w) {
    if (const int k = w.draw.below(12); k < kBuffers)
      choose(w, k, w.draw.one_in(4) ? 64 : 0);
    else
      slot = 99, at = reinterpret_cast<void*>(k == 10 ? 0x10ull : 0x7ffd00001000ull);
  }
};
struct AsDriver : Any {
  using Any::Any;
  CUdeviceptr value() const { return reinterpret_cast<CUdeviceptr>(at); }
};
struct OnDeviceDriver : OnDevice {
  using OnDevice::OnDevice;
  CUdeviceptr value() const { return reinterpret_cast<CUdeviceptr>(at); }
};
struct OnHost : Pointer {
  explicit OnHost(World& w) {
    constexpr int weights[] = {3, 3, 4, 4, 5, kRegistered, kNull};
    choose(w, weights[w.draw.below(7)]);
  }
};
// Given to a call that frees: what was made by a call before, of any kind, or nothing.
template <Made Fits>
struct ToFree : Pointer {
  explicit ToFree(World& w) {
    constexpr int weights[] = {kNew, kNew, kNew, kNew, kAsync, 0, 1, 2, 3, kNull};
    choose(w, weights[w.draw.below(10)], w.draw.one_in(12) ? 64 : 0);
  }
  std::string kept(World& w) const {
    w.buffers[static_cast<std::size_t>(slot)] = {};
    return "";
  }
};

template <class T>
struct Out {
  T result{};
  explicit Out(World&) {}
  T* value() { return &result; }
  std::string shown() const { return "&"; }
  std::string kept(World&) const { return ":" + std::to_string(result); }
};
template <class T>
struct Unseen {  // a value that may differ
  T result{};
  explicit Unseen(World&) {}
  T* value() { return &result; }
  std::string shown() const { return "&"; }
  std::string kept(World&) const { return ""; }
};
// Results that take a slot. What was there stays with the World's lists, and is freed at the end.
template <Made Kind, int Slot = kNew>
struct Makes {
  void* result = nullptr;
  explicit Makes(World&) {}
  void** value() { return &result; }
  std::string shown() const { return "&b" + std::to_string(Slot); }
  std::string kept(World& w) const;
};
template <Made Kind, int Slot = kNew>
struct MakesDriver : Makes<Kind, Slot> {
  CUdeviceptr driver = 0;
  using Makes<Kind, Slot>::Makes;
  CUdeviceptr* value() { return &driver; }
  std::string kept(World& w) {
    this->result = reinterpret_cast<void*>(driver);
    return Makes<Kind, Slot>::kept(w);
  }
};
inline void free_one(const Buffer& buffer) {
  switch (buffer.made) {
    case Made::Device:
    case Made::Managed:
      cudaFree(buffer.at);
      break;
    case Made::Pinned:
      cudaFreeHost(buffer.at);
      break;
    case Made::Async:
      cudaFreeAsync(buffer.at, nullptr);
      break;
    case Made::Registered:
      cudaHostUnregister(buffer.at);
      [[fallthrough]];
    case Made::Heap:
      std::free(buffer.at);
      break;
    default:
      break;
  }
}
inline std::vector<Buffer>& left_over() {
  static std::vector<Buffer> all;
  return all;
}
template <Made Kind, int Slot>
std::string Makes<Kind, Slot>::kept(World& w) const {
  Buffer& place = w.buffers[static_cast<std::size_t>(Slot)];
  if (place.at != nullptr) left_over().push_back(place);
  place = {result, result == nullptr ? Made::None : Kind};
  return result == nullptr ? ":null" : "";
}

struct MakesNode {
  cudaGraphNode_t result = nullptr;
  explicit MakesNode(World&) {}
  cudaGraphNode_t* value() { return &result; }
  std::string shown() const { return "&n"; }
  std::string kept(World& w) const {
    w.nodes[w.next_node++ % (kNodes - 1)] = result;  // the last is always null
    return "";
  }
};
struct MakesGraph {
  cudaGraph_t result = nullptr;
  int slot;
  explicit MakesGraph(World& w) : slot(w.draw.below(3)) {}
  cudaGraph_t* value() { return &result; }
  std::string shown() const { return "&g" + std::to_string(slot); }
  std::string kept(World& w) const {
    w.graphs[static_cast<std::size_t>(slot)] = result;  // the old one is left: nodes may be of it
    return result == nullptr ? ":null" : "";
  }
};
struct MakesExec {
  cudaGraphExec_t result = nullptr;
  int slot;
  explicit MakesExec(World& w) : slot(w.draw.below(kExecs - 1)) {}
  cudaGraphExec_t* value() { return &result; }
  std::string shown() const { return "&x" + std::to_string(slot); }
  std::string kept(World& w) const {
    w.execs[static_cast<std::size_t>(slot)] = result;
    return result == nullptr ? ":null" : "";
  }
};
// What a new node comes after: none or one.
struct After {
  cudaGraphNode_t node = nullptr;
  int slot;
  explicit After(World& w) : slot(w.draw.below(kNodes)) { node = w.nodes[static_cast<std::size_t>(slot)]; }
  const cudaGraphNode_t* value() const { return &node; }
  std::string shown() const { return "{n" + std::to_string(slot) + "}"; }
  std::string kept(World&) const { return ""; }
};
using AfterCount = OneOf<0, 0, 1>;
