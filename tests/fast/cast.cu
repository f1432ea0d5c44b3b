// lab::cast_transpose on drawn matrices, on whichever device the program meets: every number by exact
// arithmetic, the bytes around both outputs, and the largest magnitude.
//
// Arguments: how many matrices, the seed, elements of the largest. Sizes are drawn from classes: 1, few,
// about a sector, about a tile, multiples of 16, more; numbers are any bits, those between two results and
// their neighbours, denormals, infinities, NaN; outputs and `in` lie anywhere, and either output or amax may
// be missing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/fast/cast.cuh"

namespace {

constexpr int64_t kGuard = 256;

float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

// What a byte without its sign is worth.
double worth(int byte, int fraction_bits, int bias) {
  const int field = byte >> fraction_bits, fraction = byte & ((1 << fraction_bits) - 1);
  return field == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                    : std::ldexp((1 << fraction_bits) + fraction, field - bias - fraction_bits);
}

// The finite numbers of a format in order, and the nearest one of any value: of two, the even byte.
class Format {
 public:
  Format(int fraction_bits, int bias, int largest) {
    for (int byte = 0; byte <= largest; ++byte) worth_.push_back(worth(byte, fraction_bits, bias));
  }
  [[nodiscard]] unsigned char nearest(float value) const {
    if (std::isnan(value)) return 0x7f;
    const double wanted = std::min(std::fabs(double(value)), worth_.back());
    const auto above = std::lower_bound(worth_.begin(), worth_.end(), wanted);
    auto byte = int(above - worth_.begin());
    if (byte > 0) {
      const double over = worth_[size_t(byte)] - wanted, under = wanted - worth_[size_t(byte - 1)];
      if (under < over || (under == over && byte % 2 == 1)) --byte;
    }
    return static_cast<unsigned char>(byte | (std::signbit(value) ? 0x80 : 0));
  }
  [[nodiscard]] double between(size_t byte) const {  // two numbers, exactly
    return (worth_[byte % (worth_.size() - 1)] + worth_[byte % (worth_.size() - 1) + 1]) / 2;
  }

 private:
  std::vector<double> worth_;
};
const Format kE4M3(3, 7, 0x7e), kE5M2(2, 15, 0x7b);
const Format& format_of(__nv_fp8_e4m3) { return kE4M3; }
const Format& format_of(__nv_fp8_e5m2) { return kE5M2; }

float value_of(float x) { return x; }
float value_of(__half x) { return __half2float(x); }
float value_of(__nv_bfloat16 x) { return __bfloat162float(x); }

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int64_t from(int64_t a, int64_t b) { return a + int64_t(random_() % uint64_t(b - a + 1)); }
  int64_t size() {
    switch (from(0, 6)) {
      case 0:
        return 1;
      case 1:
        return from(2, 9);
      case 2:
        return from(28, 36);
      case 3:
        return from(125, 131);
      case 4:
        return 16 * from(1, 20);
      case 5:
        return 32 * from(1, 12);
      default:
        return from(10, 900);
    }
  }
  // Bits of a number: any, or near where results change, which are few in 2^32.
  uint32_t number(const Format& format) {
    switch (from(0, 7)) {
      case 0:
        return uint32_t(random_());
      case 1:
        return uint32_t(from(0, 1) << 31 | from(0x7f7ffffe, 0x7f800002));  // about infinity
      case 2:
        return uint32_t(from(0, 1) << 31 | from(0, 1) << from(0, 22));  // denormals
      case 3:
        return bits_of(float(from(-1000, 1000)));
      default:
        return uint32_t(from(0, 1) << 31) ^
               uint32_t(bits_of(float(format.between(size_t(from(0, 255))))) + from(-1, 1));
    }
  }

 private:
  std::mt19937_64 random_;
};

template <typename T>
T narrow_to(float value) {
  if constexpr (sizeof(T) == 4)
    return value;
  else
    return T(value);
}

// A buffer on the device with guards around it, from `shift` bytes behind an aligned address.
class Buffer {
 public:
  Buffer(int64_t bytes, int64_t shift)
      : all_(size_t(bytes + shift + 2 * kGuard), 0xEE), from_(size_t(kGuard + shift)) {
    cudaMalloc(&device_, all_.size());
  }
  ~Buffer() { cudaFree(device_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] unsigned char* host() { return &all_[from_]; }
  [[nodiscard]] void* device() const { return device_ + from_; }
  void send() const { cudaMemcpy(device_, all_.data(), all_.size(), cudaMemcpyHostToDevice); }
  [[nodiscard]] bool holds_the_same() const {
    std::vector<unsigned char> got(all_.size());
    cudaMemcpy(got.data(), device_, got.size(), cudaMemcpyDeviceToHost);
    return got == all_;
  }

 private:
  std::vector<unsigned char> all_;
  size_t from_;
  unsigned char* device_ = nullptr;
};

template <typename In, typename Out>
bool right(Draw& draw, int64_t rows, int64_t cols, std::string& name) {
  const Format& format = format_of(Out());
  const auto shift = [&] { return draw.from(0, 1) ? draw.from(0, 40) : 0; };
  Buffer in(rows * cols * int64_t(sizeof(In)), shift() * int64_t(sizeof(In))), out(rows * cols, shift()),
      out_t(rows * cols, shift()), one(4, 0), largest(4, 0);
  const bool nans = draw.from(0, 2) == 0;
  const int wanted = int(draw.from(1, 7)), scaled = int(draw.from(0, 2));
  const float scale = scaled ? std::ldexp(float(draw.from(1, 9)), int(draw.from(-6, 6))) : 1;
  name = std::to_string(sizeof(In)) + " bytes, " + std::to_string(rows) + " x " + std::to_string(cols) +
         ", outputs " + std::to_string(wanted) + ", scale " + std::to_string(scale);
  uint32_t most = draw.from(0, 1) ? bits_of(3e4f) : 0;
  memcpy(one.host(), &scale, 4), memcpy(largest.host(), &most, 4);
  largest.send();
  out.send(), out_t.send();
  for (int64_t i = 0; i < rows * cols; ++i) {
    In x = narrow_to<In>(float_of(draw.number(format)));
    while (!nans && std::isnan(value_of(x))) x = narrow_to<In>(float_of(draw.number(format)));
    memcpy(in.host() + i * int64_t(sizeof(In)), &x, sizeof(In));
    const float value = value_of(x);
    const volatile float product = value * scale;
    const unsigned char byte = format.nearest(product);
    if (wanted & 1) out.host()[i] = byte;
    if (wanted & 2) out_t.host()[i % cols * rows + i / cols] = byte;
    if (wanted & 4) most = std::max(most, bits_of(value) & 0x7fffffff);
  }
  memcpy(largest.host(), &most, 4);
  in.send(), one.send();
  const auto go = [&](lab::Scale by) {
    return lab::cast_transpose(wanted & 1 ? static_cast<Out*>(out.device()) : nullptr,
                               wanted & 2 ? static_cast<Out*>(out_t.device()) : nullptr,
                               static_cast<const In*>(in.device()), rows, cols, by,
                               wanted & 4 ? static_cast<float*>(largest.device()) : nullptr);
  };
  cudaError_t error = scaled == 0   ? go(nullptr)
                      : scaled == 1 ? go(scale)
                                    : go(static_cast<const float*>(one.device()));
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  float got = 0;
  cudaMemcpy(&got, largest.device(), 4, cudaMemcpyDeviceToHost);
  if (std::isnan(got) && std::isnan(float_of(most))) memcpy(largest.host(), &got, 4);  // any NaN will do
  if (error != cudaSuccess) name += std::string(": ") + cudaGetErrorString(error);
  if (!out.holds_the_same()) name += ": rows";
  if (!out_t.holds_the_same()) name += ": columns";
  if (!largest.holds_the_same()) name += ": amax";
  return error == cudaSuccess && out.holds_the_same() && out_t.holds_the_same() && largest.holds_the_same() &&
         in.holds_the_same();
}

// fp8.cuh's integers against exact arithmetic: all halves, about every place where a result changes, drawn
// floats.
template <typename Out>
int wrong_integers(Draw& draw) {
  const Format& format = format_of(Out());
  int wrong = 0;
  const auto check = [&](uint32_t bits) {
    using Kind = lab::fast::FormatOf<Out>;
    wrong += lab::fast::narrowed<Kind>(bits) != format.nearest(float_of(bits));
  };
  for (uint32_t half = 0; half < 65536; ++half) {
    check(half << 16);  // bf16
    __half x;
    const auto bits = uint16_t(half);
    memcpy(&x, &bits, 2);
    check(bits_of(value_of(x)));
  }
  for (int n = 0; n < 100000; ++n) check(draw.number(format));
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int64_t otherwise) { return argc > i ? std::atoll(argv[i]) : otherwise; };
  const auto seed = static_cast<unsigned>(argument(2, 1));
  const int64_t most = argument(3, 16000);
  Draw draw(seed);
  int cases = 2,
      wrong = (wrong_integers<__nv_fp8_e4m3>(draw) != 0) + (wrong_integers<__nv_fp8_e5m2>(draw) != 0);
  for (int64_t n = argument(1, 10); n > 0; --n) {
    int64_t rows = draw.size(), cols = draw.size();
    while (rows * cols > most) rows = draw.size(), cols = draw.size();
    std::string name;
    bool good = false;
    switch (draw.from(0, 5)) {
      case 0:
        good = right<float, __nv_fp8_e4m3>(draw, rows, cols, name);
        break;
      case 1:
        good = right<float, __nv_fp8_e5m2>(draw, rows, cols, name);
        break;
      case 2:
        good = right<__half, __nv_fp8_e4m3>(draw, rows, cols, name);
        break;
      case 3:
        good = right<__half, __nv_fp8_e5m2>(draw, rows, cols, name);
        break;
      case 4:
        good = right<__nv_bfloat16, __nv_fp8_e4m3>(draw, rows, cols, name);
        break;
      default:
        good = right<__nv_bfloat16, __nv_fp8_e5m2>(draw, rows, cols, name);
    }
    ++cases, wrong += !good;
    if (!good) std::printf("WRONG %s\n", name.c_str());
  }
  std::printf("seed %u: %d cases, %d wrong\n", seed, cases, wrong);
  return wrong == 0 ? 0 : 1;
}
