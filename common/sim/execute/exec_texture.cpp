// tex, tld4, suld, sust, sured: reads and writes through texture and surface objects, lane by lane.
//
// Enters: an object and coordinates a lane. Leaves: registers, or texels; a fault when the object is none, or
// a surface access with .trap lies outside.
#include "common/sim/execute/exec_texture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/sim/base/float_bits.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/memory/texture.h"

namespace lab::sim {
namespace {

// The objects of a warp: one, or a few of a bindless scene.
class Objects {
 public:
  Objects(WarpContext& w, const Inst& inst, bool surfaces)
      : w_(w), inst_(inst), surfaces_(surfaces), op_(texture_op(inst)) {}

  // The object of a lane; `texels` then points to its image.
  const Texture& of(int lane) {
    const DeviceAddress object = w_.row<DeviceAddress>(inst_.a)[lane];
    if (last_ != nullptr && object == number_) return *last_;
    const Memory& memory = *w_.block->launch().memory;
    const Texture* const found = texture_at(memory, object);
    if (found == nullptr || found->is_surface != surfaces_) no_object(lane, object, found != nullptr);
    const Image& image = found->image;
    const Allocation* const a = memory.find(image.base, extent_bytes(image, found->levels));
    if (a == nullptr) {
      fail(lane, object,
           msg("{} uses a texture or surface object whose memory has been freed. Free the memory behind the "
               "last kernel that uses the object.",
               w_.block->thread_name(w_, lane)));
    }
    if (!memory.reaches(*a))
      w_.block->fault(FaultKind::NoPeerAccess, w_, inst_.pc, lane, image.base,
                      msg("{} uses a texture or surface object whose texels lie {}",
                          w_.block->thread_name(w_, lane), memory.no_access(*a)));
    check_kind(lane, object, image);
    memory.lay_out(*a, image.base, extent_bytes(image, found->levels));
    texels = a->host + (image.base - a->base);
    number_ = object;
    last_ = found;
    return *last_;
  }

  [[noreturn]] void fail(int lane, std::uint64_t at, const Message& message) const {
    w_.block->fault(FaultKind::OutOfBounds, w_, inst_.pc, lane, at, message);
  }

  std::byte* texels = nullptr;

 private:
  [[noreturn]] void no_object(int lane, DeviceAddress object, bool is_other) const {
    const Message who = w_.block->thread_name(w_, lane);
    if (is_other && surfaces_)
      fail(lane, object,
           msg("{} accesses a surface through a texture object. Make a surface object: "
               "cudaCreateSurfaceObject.",
               who));
    if (is_other)
      fail(lane, object,
           msg("{} reads a texture through a surface object. Make a texture object: cudaCreateTextureObject.",
               who));
    fail(lane, object,
         msg("{} uses the number {} as a texture or surface object, and it is none. Pass what "
             "cudaCreateTextureObject or cudaCreateSurfaceObject made, and destroy it behind the last kernel "
             "that uses it.",
             who, object));
  }

  // Layers and faces are another kind of image, not a coordinate more.
  void check_kind(int lane, DeviceAddress object, const Image& image) const {
    const bool as_cube = op_.geometry == Geometry::Cube;
    const bool fits = as_cube ? image.cube : image.layered == is_layered(op_.geometry);
    if (fits) return;
    const Message who = w_.block->thread_name(w_, lane);
    if (image.layered)
      fail(lane, object,
           msg("{} accesses an image of layers or faces with a function for one without. Use the function "
               "with Layered or Cubemap in its name.",
               who));
    fail(lane, object,
         msg("{} accesses an image without layers or faces with a function for one that has them. Make the "
             "array with cudaArrayLayered or cudaArrayCubemap.",
             who));
  }

  WarpContext& w_;
  const Inst& inst_;
  const bool surfaces_;
  const TextureOp op_;
  const Texture* last_ = nullptr;
  DeviceAddress number_ = 0;
};

template <class T>
T lane_coordinate(const WarpContext& w, const RowRef& row, int lane) {
  return is_set(row) ? w.row<T>(row)[lane] : T{0};
}

// The coordinates of a lane, the layer apart.
template <class T>
struct Place {
  std::array<T, 3> at{};
  std::uint32_t layer = 0;
};
template <class T>
Place<T> coordinates_of(const WarpContext& w, const Inst& inst, Geometry geometry, int lane) {
  if (is_layered(geometry))
    return {{lane_coordinate<T>(w, inst.c, lane), lane_coordinate<T>(w, inst.d, lane), T{0}},
            lane_coordinate<std::uint32_t>(w, inst.b, lane)};
  return {{lane_coordinate<T>(w, inst.b, lane), lane_coordinate<T>(w, inst.c, lane),
           lane_coordinate<T>(w, inst.d, lane)},
          0};
}

Sample sample_of(const Texture& t, const WarpContext& w, const Inst& inst, const TextureOp& op, int lane) {
  if (op.by_number) {
    const auto place = coordinates_of<std::int32_t>(w, inst, op.geometry, lane);
    return texel_at(t, place.at, place.layer);
  }
  const auto place = coordinates_of<float>(w, inst, op.geometry, lane);
  if (op.geometry == Geometry::Cube) return sample_on_cube(t, place.at);
  return sample_at(t, place.at, dimensions_of(op.geometry), place.layer);
}

// The level of a mipmapped image that a lane reads.
float detail_of(const Texture& t, const WarpContext& w, const Inst& inst, const TextureOp& op, int lane) {
  if (op.detail == Detail::First) return 0;
  const std::vector<RowRef>& rows = w.block->launch().program->vectors[inst.extra + 1];
  if (op.detail == Detail::Level) {
    if (op.by_number) return static_cast<float>(lane_coordinate<std::int32_t>(w, rows[0], lane));
    return lane_coordinate<float>(w, rows[0], lane);
  }
  if (op.geometry == Geometry::Cube) {
    w.block->fault(FaultKind::Unsupported, w, inst.pc, lane, 0,
                   msg("{} reads a cube of several levels with derivatives, which is not simulated. Read it "
                       "with a level: texCubemapLod.",
                       w.block->thread_name(w, lane)));
  }
  std::array<std::array<float, 3>, 2> steps{};
  const std::size_t count = rows.size() / 2;
  for (std::size_t k = 0; k < rows.size(); ++k)
    steps.at(k / count).at(k % count) = lane_coordinate<float>(w, rows[k], lane);
  return level_of_detail(t, steps[0], steps[1]);
}

template <class Act>
void each_lane(Mask mask, const Act& act) {
  for (Mask left = mask; left != 0; left &= left - 1) act(std::countr_zero(left));
}

// The bytes of a surface that a lane means, or null: outside, and .zero.
std::byte* element_of(Objects& objects, const WarpContext& w, const Inst& inst, std::uint32_t width_bytes,
                      int lane) {
  const TextureOp op = texture_op(inst);
  const Image& image = objects.of(lane).image;
  auto [at, layer] = coordinates_of<std::int32_t>(w, inst, op.geometry, lane);
  if (is_layered(op.geometry)) at[2] = static_cast<std::int32_t>(layer);
  if (op.formatted) at[0] *= static_cast<std::int32_t>(image.texel_bytes());
  const std::array<std::int64_t, 3> largest = {std::int64_t{image.width} * image.texel_bytes() - width_bytes,
                                               std::int64_t{image.height} - 1, std::int64_t{image.depth} - 1};
  bool inside = true;
  for (std::size_t k = 0; k < at.size(); ++k) inside &= at[k] >= 0 && at[k] <= largest[k];
  if (!inside && op.outside == Outside::Zero) return nullptr;
  const bool fits_nowhere = largest[0] < 0;  // the access is wider than a row
  if (!inside && (op.outside == Outside::Trap || fits_nowhere)) {
    objects.fail(
        lane, image.base,
        msg("{} accesses a surface at byte {} of row {}, plane {}, outside of its {} × {} × {} elements. The "
            "first coordinate counts bytes: multiply it by the size of the element.",
            w.block->thread_name(w, lane), at[0], at[1], at[2], image.width, image.height, image.depth));
  }
  for (std::size_t k = 0; k < at.size(); ++k)
    at[k] = static_cast<std::int32_t>(std::clamp<std::int64_t>(at[k], 0, largest[k]));
  if (at[0] % static_cast<std::int32_t>(width_bytes) != 0) {
    objects.fail(lane, image.base,
                 msg("{} accesses a surface at byte {} of a row, which is no multiple of the {} bytes of the "
                     "access. The first coordinate counts bytes: multiply it by the size of the element.",
                     w.block->thread_name(w, lane), at[0], width_bytes));
  }
  return objects.texels + static_cast<std::uint64_t>(at[2]) * image.plane_bytes +
         static_cast<std::uint64_t>(at[1]) * image.pitch_bytes + static_cast<std::uint64_t>(at[0]);
}

// One register of a lane, whatever its width.
std::byte* register_cell(const WarpContext& w, const RowRef& row, int lane) {
  return w.row<std::byte>(row) + static_cast<std::size_t>(lane) * row.lane_bytes;
}

// The texels that the lanes of an instruction access, for observers; the n-th texel of each lane together.
class Texels {
 public:
  explicit Texels(WarpContext& w) : w_(w), watched_(w.block->observed()) {}

  void add(int lane, std::size_t n, const Image& image, std::uint64_t offset, std::uint32_t width_bytes) {
    if (!watched_) return;
    Row& row = rows_[n];
    row.addresses.at[lane] = image.base + offset;
    row.lanes |= 1u << lane;
    row.width_bytes = std::max(row.width_bytes, width_bytes);
  }
  // `first`: where the sample's texels stand among those of the read.
  void add(int lane, const Image& image, const Sample& sample, std::size_t first = 0) {
    for (std::size_t n = 0; n < sample.count; ++n) {
      const Tap& tap = sample.taps[n];
      if (tap.inside && tap.weight != 0) add(lane, first + n, image, tap.offset, image.texel_bytes());
    }
  }
  // `value`: what a store writes, lane by lane.
  void report(const Inst& inst, Path path, const std::byte* value = nullptr) {
    const Mask all = w_.mask;
    for (Row& row : rows_) {
      if (row.lanes == 0) continue;
      w_.mask = row.lanes;
      describe_row(row.addresses, row.lanes);
      w_.block->report_texels(
          access_of(w_, inst, Space::Global, path, row.addresses, row.width_bytes, value));
    }
    w_.mask = all;
  }

 private:
  struct Row {
    AddressRow addresses;
    Mask lanes = 0;
    std::uint32_t width_bytes = 0;
  };
  WarpContext& w_;
  const bool watched_;
  std::array<Row, 2 * kMostTaps> rows_;  // two levels, at the most
};

// What a lane reads of one image, whose bytes `image` are.
std::array<std::uint32_t, 4> read_one(const Texture& t, const WarpContext& w, const Inst& inst,
                                      const TextureOp& op, int lane, const std::byte* image, Texels& texels,
                                      std::size_t first = 0) {
  const Sample sample = sample_of(t, w, inst, op, lane);
  texels.add(lane, t.image, sample, first);
  return value_of(t, sample, image);
}

// The same of one level, or of two that are mixed.
std::array<std::uint32_t, 4> read_levels(const Texture& t, const WarpContext& w, const Inst& inst,
                                         const TextureOp& op, int lane, const std::byte* image,
                                         Texels& texels) {
  const auto value_at = [&](std::uint32_t level, std::size_t first) {
    const Texture one = only_level(t, level);
    return read_one(one, w, inst, op, lane, image + (one.image.base - t.image.base), texels, first);
  };
  const LevelMix levels = levels_at(t, detail_of(t, w, inst, op, lane));
  if (levels.part == 0) return value_at(levels.first, 0);
  return mixed(t, value_at(levels.first, 0), value_at(levels.second, kMostTaps), levels.part);
}

}  // namespace

void exec_texture(WarpContext& w, const Inst& inst) {
  const TextureOp op = texture_op(inst);
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  Objects objects(w, inst, false);
  Texels texels(w);
  each_lane(w.mask, [&](int lane) {
    const Texture& texture = objects.of(lane);
    const auto value = texture.levels > 1 ? read_levels(texture, w, inst, op, lane, objects.texels, texels)
                                          : read_one(texture, w, inst, op, lane, objects.texels, texels);
    for (std::size_t e = 0; e < rows.size(); ++e)
      if (is_set(rows[e])) w.row<std::uint32_t>(rows[e])[lane] = value.at(e);
  });
  texels.report(inst, Path::GlobalLoad);
}

void exec_texture_gather(WarpContext& w, const Inst& inst) {
  const TextureOp op = texture_op(inst);
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  Objects objects(w, inst, false);
  Texels texels(w);
  each_lane(w.mask, [&](int lane) {
    const Texture& texture = objects.of(lane);
    if (texture.levels > 1)
      objects.fail(lane, texture.image.base,
                   "a gather from a mipmapped array is not simulated. Gather from one of its levels: "
                   "cudaGetMipmappedArrayLevel.");
    const auto place = coordinates_of<float>(w, inst, op.geometry, lane);
    Texture mixes = texture;
    mixes.linear = true;
    texels.add(lane, texture.image, sample_at(mixes, place.at, 2, place.layer));
    const auto value = gathered(texture, place.at, place.layer, op.component, objects.texels);
    for (std::size_t e = 0; e < rows.size(); ++e)
      if (is_set(rows[e])) w.row<std::uint32_t>(rows[e])[lane] = value.at(e);
  });
  texels.report(inst, Path::GlobalLoad);
}

void exec_surface_load(WarpContext& w, const Inst& inst) {
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  Objects objects(w, inst, true);
  Texels texels(w);
  each_lane(w.mask, [&](int lane) {
    const auto width = static_cast<std::uint32_t>(inst.elem_bytes * rows.size());
    const std::byte* const from = element_of(objects, w, inst, width, lane);
    if (from != nullptr)
      texels.add(lane, 0, objects.of(lane).image, static_cast<std::uint64_t>(from - objects.texels), width);
    std::array<std::byte, 16> bytes{};
    if (from != nullptr) std::memcpy(bytes.data(), from, width);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (!is_set(rows[e])) continue;
      std::memset(register_cell(w, rows[e], lane), 0, rows[e].lane_bytes);
      std::memcpy(register_cell(w, rows[e], lane), bytes.data() + e * inst.elem_bytes, inst.elem_bytes);
    }
  });
  texels.report(inst, Path::GlobalLoad);
}

namespace {

// What lanes put into a surface: value(lane, image) writes a lane's bytes, kMostTexel of them at the most, and says
// how many; put(to, bytes, width) changes memory, once observers have seen it all.
constexpr std::size_t kMostTexel = 16;
template <class Value, class Put>
void change_surface(WarpContext& w, const Inst& inst, Path path, const Value& value, const Put& put) {
  Objects objects(w, inst, true);
  Texels texels(w);
  std::array<std::byte*, kWarpLanes> to{};
  std::array<std::byte, kMostTexel> bytes[kWarpLanes];
  LaneBytes values;
  std::uint32_t width = 0;
  each_lane(w.mask, [&](int lane) {
    const auto k = static_cast<std::size_t>(lane);
    const Image& image = objects.of(lane).image;
    width = value(lane, image, bytes[k]);
    to[k] = element_of(objects, w, inst, width, lane);
    if (to[k] == nullptr) return;
    texels.add(lane, 0, image, static_cast<std::uint64_t>(to[k] - objects.texels), width);
    std::memcpy(values.at + k * width, bytes[k].data(), width);
  });
  texels.report(inst, path, values.at);
  each_lane(w.mask, [&](int lane) {
    const auto k = static_cast<std::size_t>(lane);
    if (to[k] != nullptr) put(to[k], bytes[k], width);
  });
}

void put_bytes(std::byte* to, const std::array<std::byte, kMostTexel>& bytes, std::uint32_t width) {
  std::memcpy(to, bytes.data(), width);
}

// One channel of a texel from 32 bits, as an H200 has it: whole numbers become the nearest that the channel holds,
// an f32 becomes an f16 towards zero.
std::uint32_t as_channel(const Image& image, std::uint32_t bits) {
  if (image.channel_bits == 32) return bits;
  const std::int64_t most = (std::int64_t{1} << image.channel_bits) - 1;
  switch (image.kind) {
    case TexelKind::Unsigned:
      return static_cast<std::uint32_t>(std::min<std::int64_t>(bits, most));
    case TexelKind::Signed:
      return static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(static_cast<std::int32_t>(bits), -(most / 2) - 1, most / 2));
    case TexelKind::Float:
      break;
  }
  const float value = std::bit_cast<float>(bits);
  if (value != value) return (bits >> 16 & 0x8000u) | 0x7e00u | (bits >> 13 & 0x1ffu);
  if (std::isinf(value)) return FormatOf<F16>::encode(value).bits;
  const double cut = quantize<FormatOf<F16>::precision, FormatOf<F16>::least_exponent>(
      std::fabs(static_cast<double>(value)), [](double x) { return __builtin_floor(x); });
  return FormatOf<F16>::encode(
             std::copysign(static_cast<float>(std::min(cut, FormatOf<F16>::largest)), value))
      .bits;
}

}  // namespace

void exec_surface_store(WarpContext& w, const Inst& inst) {
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  const auto value = [&](int lane, const Image&, std::array<std::byte, kMostTexel>& bytes) {
    for (std::size_t e = 0; e < rows.size(); ++e)
      std::memcpy(bytes.data() + e * inst.elem_bytes, register_cell(w, rows[e], lane), inst.elem_bytes);
    return static_cast<std::uint32_t>(inst.elem_bytes * rows.size());
  };
  change_surface(w, inst, Path::GlobalStore, value, put_bytes);
}

// Channels that the vector does not name become 0.
void exec_texel_store(WarpContext& w, const Inst& inst) {
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  const auto value = [&](int lane, const Image& image, std::array<std::byte, kMostTexel>& bytes) {
    const std::uint32_t width = image.channel_bits / 8;
    for (std::uint32_t c = 0; c < image.channels; ++c) {
      const std::uint32_t bits = c < rows.size() ? w.row<std::uint32_t>(rows[c])[lane] : 0;
      const std::uint32_t held = as_channel(image, bits);
      std::memcpy(bytes.data() + std::size_t{c} * width, &held, width);
    }
    return image.texel_bytes();
  };
  change_surface(w, inst, Path::GlobalStore, value, put_bytes);
}

void exec_surface_reduce(WarpContext& w, const Inst& inst) {
  const TextureOp op = texture_op(inst);
  const RowRef& row = w.block->launch().program->vectors[inst.extra][0];
  bool is_signed = ptx::is_signed(op.type);
  const auto value = [&](int lane, const Image& image, std::array<std::byte, kMostTexel>& bytes) {
    if (op.formatted) is_signed = image.kind == TexelKind::Signed;
    std::memcpy(bytes.data(), register_cell(w, row, lane), inst.elem_bytes);
    return std::uint32_t{inst.elem_bytes};
  };
  const auto put = [&](std::byte* to, const std::array<std::byte, kMostTexel>& bytes, std::uint32_t width) {
    const AtomicInfo info{op.reduction, width == 8 ? (is_signed ? ptx::Type::S64 : ptx::Type::U64)
                                                   : (is_signed ? ptx::Type::S32 : ptx::Type::U32)};
    reduce_bytes(info, Space::Global, to, bytes.data(), width);
  };
  change_surface(w, inst, Path::GlobalAtomic, value, put);
}

}  // namespace lab::sim
