// Kinds of fixes as edits. See fix.h.
//
// Enters: a fix. Leaves: its edits, with code in CUDA C++.
#include "common/sim/base/fix.h"

#include <algorithm>
#include <iterator>

namespace lab::sim {
namespace {

using What = Edit::What;

constexpr const char* kBlockSync = "__syncthreads();";
constexpr const char* kWarpSync = "__syncwarp();";
constexpr const char* kClusterSync =
    R"(asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");)";
constexpr const char* kGridSync = "cooperative_groups::this_grid().sync();";
constexpr const char* kFence = "__threadfence();";
constexpr const char* kWait = R"(asm volatile("cp.async.wait_all;" ::: "memory");)";
constexpr const char* kBulkWait =
    R"(asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");)";
constexpr const char* kProxyFence = R"(asm volatile("fence.proxy.async;" ::: "memory");)";
constexpr const char* kLock = "__device__ int lab_lock;";
constexpr const char* kTakeLock = "while (atomicCAS(&lab_lock, 0, 1) != 0) {} __threadfence();";
constexpr const char* kGiveLock = "__threadfence(); atomicExch(&lab_lock, 0);";

// A barrier between two lines, or inside one statement that reads and writes.
std::vector<Edit> barrier(const Fix& fix, const char* call) {
  if (fix.before == 0) return {};
  if (fix.after == fix.before && !fix.in_loop) return {{What::Split, 0, fix.before, false, call}};
  return {{What::Insert, fix.after, fix.before, fix.in_loop, call}};
}

std::vector<Edit> behind(int line, std::string code) {
  return {{What::Insert, line, 0, false, std::move(code)}};
}

std::vector<Edit> fences(const Fix& fix) {
  const std::string first = fix.whole_block ? std::string(kFence) + " " + kBlockSync : kFence;
  return {{What::Insert, fix.after, 0, false, first}, {What::Insert, 0, fix.before, false, kFence}};
}

std::vector<Edit> one_lock(const Fix& fix) {
  const auto [first, last] = std::minmax({fix.after, fix.before});
  return {{What::Declare, 0, 0, false, kLock},
          {What::Insert, 0, first, false, kTakeLock},
          {What::Insert, last, 0, false, kGiveLock}};
}

// What is written first is read in the next launch; what is read first is written elsewhere.
std::vector<Edit> two_launches(const Fix& fix) {
  if (fix.after < fix.before) return {{What::SplitKernel, fix.after, fix.before}};
  return {{What::OtherBuffer, 0, fix.after, false, "", fix.variable, fix.bytes}};
}

}  // namespace

std::string_view code(Fix::Act act) {
  constexpr std::string_view kCodes[] = {
      "none",       "syncthreads",  "syncwarp",      "cluster-sync",  "guard",        "own-element",
      "initialise", "wait",         "fence",         "threadfence",   "bulk-wait",    "grid-sync",
      "atomic",     "atomic-store", "atomic-result", "volatile-read", "device-scope", "own-mask",
      "align",      "move-barrier", "hold-lock",     "release",       "two-launches"};
  static_assert(std::size(kCodes) == static_cast<std::size_t>(Fix::Act::TwoLaunches) + 1);
  return kCodes[static_cast<std::size_t>(act)];
}

bool Fix::is_one_edit() const {
  switch (act) {
    case Act::None:
    case Act::OwnElement:
    case Act::Align:
    case Act::HoldLock:
    case Act::Release:
    case Act::TwoLaunches:
      return false;
    case Act::BlockBarrier:
    case Act::WarpBarrier:
    case Act::ClusterBarrier:
      return after != before || in_loop;  // else the statement must be split first
    default:
      return true;
  }
}

std::string_view code(Edit::What what) {
  constexpr std::string_view kCodes[] = {
      "insert", "declare",  "split",    "move",  "guard", "zero",         "index",        "atomic",
      "result", "exchange", "volatile", "widen", "mask",  "other-buffer", "split-kernel", "give-back"};
  static_assert(std::size(kCodes) == static_cast<std::size_t>(What::GiveBack) + 1);
  return kCodes[static_cast<std::size_t>(what)];
}

std::vector<Edit> Fix::edits() const {
  const auto one = [&](What what, const char* code = "") {
    return std::vector<Edit>{{what, after, before, in_loop, code, variable, bytes}};
  };
  switch (act) {
    case Act::None:
    case Act::Align:
      return {};
    case Act::BlockBarrier:
      return barrier(*this, kBlockSync);
    case Act::WarpBarrier:
      return barrier(*this, kWarpSync);
    case Act::ClusterBarrier:
      return barrier(*this, kClusterSync);
    case Act::GridBarrier:
      return barrier(*this, kGridSync);
    case Act::Guard:
      return one(What::Guard);
    case Act::OwnElement:
      return one(What::Index, element.c_str());
    case Act::Initialise:
      return one(What::Zero);
    case Act::Wait:
      return {{What::Insert, after, before, in_loop, std::string(kWait) + " " + kBlockSync}};
    case Act::Fence:
      return behind(after, kProxyFence);
    case Act::Threadfence:
      return fences(*this);
    case Act::BulkWait:
      return behind(after, kBulkWait);
    case Act::Atomic:
      return one(What::Atomic);
    case Act::AtomicStore:
      return one(What::Exchange);
    case Act::AtomicResult:
      return one(What::Result);
    case Act::VolatileRead:
      return one(What::Volatile);
    case Act::DeviceScope:
      return one(What::Widen);
    case Act::OwnMask:
      return one(What::Mask, "__activemask()");
    case Act::MoveBarrier:
      return one(What::Move, kBlockSync);
    case Act::HoldLock:
      return one_lock(*this);
    case Act::Release:
      return one(What::GiveBack);
    case Act::TwoLaunches:
      return two_launches(*this);
  }
  return {};
}

}  // namespace lab::sim
