// A warp for tests of observers: it makes accesses without any kernel.
//
// Enters: which thread touches what. Leaves: the Access structs that the interpreter would report.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::sim::test {

// A program with no meaning: instruction i stands on line 10 + i, and its text is texts[i].
inline std::shared_ptr<const Program> fake_program(const std::vector<std::string>& texts) {
  auto data = std::make_unique<ProgramData>();
  data->name = "fake";
  data->files[1] = "kernel.cu";
  data->code.resize(texts.size());
  data->atomics.push_back({AtomicOp::Add, ptx::Type::U32, true});
  for (Inst& inst : data->code) inst.space = Space::Shared;
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    data->code[i].order.acquire = texts[i].find(".acquire") != std::string::npos;
    if (data->code[i].order.acquire) data->code[i].order.scope = Scope::Block;
    data->code[i].pc = i;
    ptx::Instruction& in = data->ends.emplace_back();
    std::istringstream words(texts[i]);
    std::getline(words, in.opcode, '.');
    for (std::string word; std::getline(words, word, '.');) in.modifiers.push_back(word);
    in.row = &ptx::opcode_row(texts[i]);
    in.ptx_line = static_cast<int>(100 + i);
    data->origins.push_back({&in, {1, static_cast<int>(10 + i)}});
  }
  data->shared_variables.push_back({"_ZZ9transposeE4tile", 0, 4096});
  data->static_shared_bytes = 4096;
  return std::make_shared<Program>(std::move(data));
}

using LaneValue = std::function<std::uint64_t(int)>;

// One access of one warp. Lanes' addresses and values are functions of the lane.
struct FakeAccess {
  Access access;
  WarpPlace place;
  std::array<std::uint64_t, kWarpLanes> address{};
  std::array<std::byte, kWarpLanes * 16> value{};

  FakeAccess(
      std::uint32_t pc, std::uint32_t warp, Path path, unsigned width, Mask mask, const LaneValue& at,
      const LaneValue& stores = [](int lane) { return static_cast<std::uint64_t>(lane); }) {
    place = {.block_index = 5, .block = {5, 0, 0}, .warp = warp, .first_thread = warp * kWarpLanes};
    for (int i = 0; i < kWarpLanes; ++i) {
      const std::uint64_t v = stores(i);
      address[static_cast<std::size_t>(i)] = (mask >> i & 1) != 0 ? at(i) : 0x7777'7777'7777ull;
      std::memcpy(&value[static_cast<std::size_t>(i) * width], &v, std::min<std::size_t>(width, 8));
    }
    access.pc = pc;
    access.space = info(path).space;
    access.path = path;
    access.width_bytes = static_cast<std::uint8_t>(width);
    access.mask = mask;
    find_stride();
  }
  FakeAccess(const FakeAccess&) = delete;
  FakeAccess& operator=(const FakeAccess&) = delete;

  [[nodiscard]] const Access& get() {
    access.address = address.data();
    access.value = access.path == Path::SharedStore ? value.data() : nullptr;
    access.place = &place;
    return access;
  }

 private:
  void find_stride() {
    const int first = std::countr_zero(access.mask);
    const Mask later = access.mask & (access.mask - 1);
    access.affine = true;
    if (later == 0) return;
    const int second = std::countr_zero(later);
    const auto at = [&](int i) { return static_cast<std::int64_t>(address[static_cast<std::size_t>(i)]); };
    if ((at(second) - at(first)) % (second - first) != 0) {
      access.affine = false;
      return;
    }
    access.stride_bytes = (at(second) - at(first)) / (second - first);
    for (int i = first; i < kWarpLanes; ++i) {
      if ((access.mask >> i & 1) != 0 && at(i) != at(first) + (i - first) * access.stride_bytes)
        access.affine = false;
    }
  }
};

}  // namespace lab::sim::test
