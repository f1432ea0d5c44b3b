// How a texture unit reads one value. See texture.h.
#include "common/sim/memory/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "common/sim/base/float_bits.h"

namespace lab::sim {
namespace {

constexpr std::string_view kObjectName = "a texture or surface object";  // no variable can have this name
constexpr std::int32_t kWhole = 256;
constexpr std::int64_t kNowhere = -1;  // the border

// The texel that stands for number `at` of `size`.
std::int64_t texel_in_range(std::int64_t at, std::int64_t size, AddressMode mode) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case AddressMode::Clamp:
      return std::clamp<std::int64_t>(at, 0, size - 1);
    case AddressMode::Border:
      return kNowhere;
    case AddressMode::Wrap:
      return ((at % size) + size) % size;
    case AddressMode::Mirror: {
      const std::int64_t k = ((at % (2 * size)) + 2 * size) % (2 * size);
      return k < size ? k : 2 * size - 1 - k;
    }
  }
  return kNowhere;
}

// One side of a sample: two neighbours, and how much of 256 the second has.
struct Axis {
  std::int64_t first = 0, second = 0;
  std::int32_t part = 0;
};

// Without normalised coordinates there is neither wrapping nor mirroring: CUDA clamps.
AddressMode mode_of(const Texture& t, std::size_t axis) {
  const AddressMode mode = t.mode.at(axis);
  const bool repeats = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return repeats && !t.normalised ? AddressMode::Clamp : mode;
}

// Normalised coordinates are cut off at 1/2^23, downwards: the finest step that no measured read contradicts.
double in_texels(const Texture& t, float at, std::uint32_t size) {
  constexpr double kSteps = 8388608;
  const double limited = std::isnan(at) ? 0 : std::clamp(static_cast<double>(at), -1e9, 1e9);
  return t.normalised ? std::floor(limited * kSteps) / kSteps * size : limited;
}

Axis nearest_texel(const Texture& t, std::size_t axis, float at, std::uint32_t size) {
  const auto texel = static_cast<std::int64_t>(std::floor(in_texels(t, at, size)));
  const std::int64_t found = texel_in_range(texel, size, mode_of(t, axis));
  return {found, found, 0};
}

// Coordinates are rounded to 1/256 of a texel, halves up. At a clamped edge one texel has all.
Axis neighbours(const Texture& t, std::size_t axis, float at, std::uint32_t size) {
  const auto fixed = static_cast<std::int64_t>(std::floor((in_texels(t, at, size) - 0.5) * kWhole + 0.5));
  const std::int64_t low = fixed >> 8;
  const AddressMode mode = mode_of(t, axis);
  const Axis found{texel_in_range(low, size, mode), texel_in_range(low + 1, size, mode),
                   static_cast<std::int32_t>(fixed & (kWhole - 1))};
  const bool is_edge = mode == AddressMode::Clamp && found.first == found.second;
  return is_edge ? Axis{found.first, found.first, 0} : found;
}

void put_tap(Sample& s, const Image& image, std::int64_t x, std::int64_t y, std::int64_t z,
             std::int32_t weight) {
  Tap& tap = s.taps.at(s.count++);
  tap.weight = weight;
  tap.inside = x >= 0 && y >= 0 && z >= 0;
  if (tap.inside)
    tap.offset = static_cast<std::uint64_t>(z) * image.plane_bytes +
                 static_cast<std::uint64_t>(y) * image.pitch_bytes +
                 static_cast<std::uint64_t>(x) * image.texel_bytes();
}

// Four neighbours in a plane that has `plane` of 256 in all: x shares it out first, then y.
void put_square(Sample& s, const Image& image, const Axis& x, const Axis& y, std::int64_t z,
                std::int32_t plane) {
  const std::int32_t right = (plane * x.part + kWhole / 2) >> 8, left = plane - right;
  const std::int32_t left_below = (left * y.part + kWhole / 2 - 1) >> 8;
  const std::int32_t right_below = (right * y.part + kWhole / 2) >> 8;
  put_tap(s, image, x.first, y.first, z, left - left_below);
  put_tap(s, image, x.second, y.first, z, right - right_below);
  put_tap(s, image, x.first, y.second, z, left_below);
  put_tap(s, image, x.second, y.second, z, right_below);
}

std::int64_t plane_of(const Image& image, std::uint32_t layer) { return std::min(layer, image.depth - 1); }

template <class T>
double number_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

// A channel of a texel, as a number.
double channel(const Image& image, const std::byte* texel, std::uint32_t k) {
  const std::byte* const at = texel + k * image.channel_bits / 8;
  if (image.kind == TexelKind::Float) {
    if (image.channel_bits == 32) return number_at<float>(at);
    std::uint16_t half;
    std::memcpy(&half, at, sizeof half);
    return static_cast<double>(to_float(F16{half}));
  }
  const bool is_signed = image.kind == TexelKind::Signed;
  switch (image.channel_bits) {
    case 8:
      return is_signed ? number_at<std::int8_t>(at) : number_at<std::uint8_t>(at);
    case 16:
      return is_signed ? number_at<std::int16_t>(at) : number_at<std::uint16_t>(at);
    default:
      return is_signed ? number_at<std::int32_t>(at) : number_at<std::uint32_t>(at);
  }
}

// Rounded to the nearest float; a tie goes away from zero: half a place is added to the bits, the rest cut
// off.
float nearest_float(double exact) {
  constexpr std::uint64_t kPlace = 1ull << 29;  // of a float's last bit in a double
  constexpr double kLeast = 1.17549435e-38;     // below, floats have fewer bits
  if (!std::isfinite(exact) || std::abs(exact) < kLeast) return static_cast<float>(exact);
  const auto bits = std::bit_cast<std::uint64_t>(exact) + kPlace / 2;
  return static_cast<float>(std::bit_cast<double>(bits & ~(kPlace - 1)));
}

// The texels of a plane, cut off 27 bits below the leading bit of the largest, as the unit adds them.
double sum_of_plane(std::span<const double> values, std::span<const Tap> taps) {
  std::int64_t exponent = -1;  // as a double has it
  double plain = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (taps[n].weight == 0) continue;
    plain += values[n] * taps[n].weight;
    exponent =
        std::max(exponent, static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(values[n]) >> 52 & 0x7ff));
  }
  if (!std::isfinite(plain) || exponent <= 0) return plain / kWhole;
  const double up = power_of_two(27 - (exponent - 1023)), down = power_of_two(exponent - 1023 - 27);
  double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n)
    if (taps[n].weight != 0) sum += std::trunc(values[n] * up) * taps[n].weight;
  return sum * down / kWhole;
}

// Integers of 8 and 16 bits as 0 … 1 or -1 … 1, mixed as 16-bit integers.
float normalised(const Image& image, std::span<const double> values, std::span<const Tap> taps) {
  const bool is_signed = image.kind == TexelKind::Signed;
  const double steps = is_signed ? 32767 : 65535;
  const double largest = image.channel_bits == 16 ? steps : is_signed ? 127 : 255;
  double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) sum += values[n] * taps[n].weight;
  const double exact = sum / kWhole / largest;
  const double value = values.size() == 1 ? exact : std::floor(exact * steps + 0.5) / steps;
  return static_cast<float>(std::max(value, -1.0));
}

// What channels of the border's colour hold, as an image would: parts of the largest number where integers
// are read as floats, else the bits of the float, cut off.
double border_number(const Texture& t, std::uint32_t k) {
  const float colour = t.border.at(k);
  const Image& image = t.image;
  if (image.kind == TexelKind::Float) return static_cast<double>(colour);
  const bool is_signed = image.kind == TexelKind::Signed;
  const std::uint64_t numbers = std::uint64_t{1} << image.channel_bits;
  if (!t.to_float) return static_cast<double>(std::bit_cast<std::uint32_t>(colour) & (numbers - 1));
  const double largest = static_cast<double>(is_signed ? numbers / 2 - 1 : numbers - 1);
  return std::round(std::clamp(static_cast<double>(colour), is_signed ? -1.0 : 0.0, 1.0) * largest);
}

// Halves are mixed exactly, and rounded to a half.
double half_mix(std::span<const double> values, std::span<const Tap> taps) {
  double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n)
    if (taps[n].weight != 0) sum += values[n] * taps[n].weight;
  return static_cast<double>(to_float(nearest<F16>(sum / kWhole)));
}

std::uint32_t mix(const Texture& t, std::span<const double> values, std::span<const Tap> taps) {
  if (t.image.kind == TexelKind::Float) {
    if (values.size() == 1) return std::bit_cast<std::uint32_t>(static_cast<float>(values[0]));
    if (t.image.channel_bits == 16)
      return std::bit_cast<std::uint32_t>(static_cast<float>(half_mix(values, taps)));
    const std::size_t near = std::min(values.size(), kPlaneTaps);
    const double sum = sum_of_plane(values.first(near), taps.first(near)) +
                       sum_of_plane(values.subspan(near), taps.subspan(near));
    return std::bit_cast<std::uint32_t>(nearest_float(sum));
  }
  if (t.to_float) return std::bit_cast<std::uint32_t>(normalised(t.image, values, taps));
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(values[0]));
}

}  // namespace

DeviceAddress make_texture(Memory& memory, const Texture& texture) {
  const DeviceAddress object = memory.allocate(sizeof texture, Fill::Written, std::string(kObjectName), true);
  memory.write(object, std::as_bytes(std::span(&texture, 1)));
  return object;
}

const Texture* texture_at(const Memory& memory, DeviceAddress object) {
  const Allocation* a = memory.find(object, sizeof(Texture));
  const bool is_one = a != nullptr && a->base == object && a->name == kObjectName;
  return is_one ? reinterpret_cast<const Texture*>(a->host) : nullptr;
}

Sample sample_at(const Texture& t, const std::array<float, 3>& at, int dimensions, std::uint32_t layer) {
  Sample s;
  const Image& image = t.image;
  const auto axis = t.linear ? neighbours : nearest_texel;
  // A read of one dimension samples at y = 0, half of it outside; one of layers does not.
  const bool has_rows = dimensions > 1 || !image.layered;
  const Axis x = axis(t, 0, at[0], image.width);
  const Axis y = has_rows ? axis(t, 1, at[1], image.height) : Axis{};
  const bool deep = dimensions > 2 && !image.layered;
  const Axis z = deep ? axis(t, 2, at[2], image.depth) : Axis{};
  const std::int64_t plane = image.layered ? plane_of(image, layer) : z.first;
  if (!t.linear) {
    put_tap(s, image, x.first, y.first, plane, kWhole);
    return s;
  }
  put_square(s, image, x, y, plane, kWhole - z.part);
  if (deep) put_square(s, image, x, y, z.second, z.part);
  return s;
}

Sample sample_on_cube(const Texture& t, const std::array<float, 3>& d) {
  const float x = std::abs(d[0]), y = std::abs(d[1]), z = std::abs(d[2]);
  const bool along_x = x >= y && x >= z, along_y = !along_x && y >= z;
  const float m = along_x ? x : along_y ? y : z;
  const float right = along_x ? (d[0] < 0 ? d[2] : -d[2]) : along_y ? d[0] : (d[2] < 0 ? -d[0] : d[0]);
  const float down = along_y ? (d[1] < 0 ? -d[2] : d[2]) : -d[1];
  const bool negative = (along_x ? d[0] : along_y ? d[1] : d[2]) < 0;
  const std::uint32_t face = (along_x ? 0u : along_y ? 2u : 4u) + (negative ? 1u : 0u);
  Texture plane = t;
  plane.normalised = true;
  return sample_at(plane, {(right / m + 1) / 2, (down / m + 1) / 2, 0}, 2, face);
}

Sample texel_at(const Texture& t, const std::array<std::int32_t, 3>& at, std::uint32_t layer) {
  Sample s;
  const Image& image = t.image;
  const std::int64_t x = texel_in_range(at[0], image.width, AddressMode::Border),
                     y = texel_in_range(at[1], image.height, AddressMode::Border);
  put_tap(s, image, x, y,
          image.layered ? plane_of(image, layer) : texel_in_range(at[2], image.depth, AddressMode::Border),
          kWhole);
  return s;
}

std::array<std::uint32_t, 4> value_of(const Texture& t, const Sample& s, const std::byte* image) {
  std::array<std::uint32_t, 4> value{};
  for (std::uint32_t k = 0; k < t.image.channels; ++k) {  // what a texel lacks is 0
    std::array<double, 8> values{};
    for (std::size_t n = 0; n < s.count; ++n)
      values.at(n) =
          s.taps.at(n).inside ? channel(t.image, image + s.taps.at(n).offset, k) : border_number(t, k);
    value.at(k) = mix(t, std::span(values).first(s.count), std::span(s.taps).first(s.count));
  }
  return value;
}

std::array<std::uint32_t, 4> gathered(const Texture& t, const std::array<float, 3>& at, std::uint32_t layer,
                                      std::size_t channel, const std::byte* image) {
  constexpr std::array<std::size_t, 4> kOrder = {2, 3, 1, 0};
  Sample square;
  put_square(square, t.image, neighbours(t, 0, at[0], t.image.width), neighbours(t, 1, at[1], t.image.height),
             t.image.layered ? plane_of(t.image, layer) : 0, kWhole);
  std::array<std::uint32_t, 4> value{};
  for (std::size_t k = 0; k < value.size(); ++k) {
    Sample one;
    one.taps[0] = square.taps.at(kOrder.at(k));
    one.taps[0].weight = kWhole;
    one.count = 1;
    value.at(k) = value_of(t, one, image).at(channel);
  }
  return value;
}

}  // namespace lab::sim
