// What goes into each test of a tensor instruction: read by the programs that measure (tools/golden/tensor.cu,
// wgmma.cu) and by the test that compares (tests/sim/test_golden_tensor.cpp).
//
// Enters: an entry's name and what its lanes read. Leaves: 4,096 bytes a case, 32 words a lane. A case is a
// kind of numbers: near each other, far apart, any bits, subnormal, with zeros, infinities, almost infinite.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace lab::golden {

constexpr unsigned kTensorCases = 16, kTensorLanes = 32, kTensorWords = 32;

struct TensorPart {
  std::string type;  // "f16", "s32", "mem"
  unsigned words;    // 32 bits each
};

struct TensorDraw {
  std::uint64_t state;
  std::uint64_t operator()() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
};

inline std::uint64_t fnv1a(const void* bytes, std::size_t count) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t k = 0; k < count; ++k)
    hash = (hash ^ static_cast<const unsigned char*>(bytes)[k]) * 0x100000001b3u;
  return hash;
}

// Exponents of a case lie up to `factors` (of A and B) or `summand` (of C) from 1.
struct TensorSpread {
  int factors, summand;
};
constexpr TensorSpread kTensorSpread[kTensorCases] = {{0, 0}, {0, 0},   {1, 1}, {2, 2}, {4, 4}, {6, 6},
                                                      {9, 9}, {6, 20},  {0, 0}, {0, 0}, {0, 0}, {12, 12},
                                                      {3, 3}, {0, 0},   {6, 6}, {0, 0}};

inline std::uint64_t tensor_float(int exponent_bits, int mantissa_bits, unsigned kind, bool summand,
                                  TensorDraw& draw) {
  const std::uint64_t r = draw(), choice = draw() >> 20;
  const std::uint64_t fraction_mask = (std::uint64_t{1} << mantissa_bits) - 1;
  const std::int64_t top = (std::int64_t{1} << exponent_bits) - 1, bias = top / 2;
  std::uint64_t fraction = r & fraction_mask;
  const std::uint64_t sign = (r >> 63) << (exponent_bits + mantissa_bits);
  std::int64_t exponent = 0;
  const int spread = summand ? kTensorSpread[kind].summand : kTensorSpread[kind].factors;
  const std::int64_t any = static_cast<std::int64_t>(choice >> 8);
  switch (kind) {
    case 8:
      exponent = any % (top + 1);
      break;
    case 9:
      exponent = any % top;
      break;
    case 10:
      exponent = any % 3;
      break;
    case 13:
      exponent = top - 1 - any % 4;
      break;
    default:
      exponent = bias + any % (2 * spread + 1) - spread;
  }
  if (kind == 11 && choice % 2 == 0) return sign;
  if (kind == 12 && choice % 16 == 0) {
    const std::uint64_t infinity = static_cast<std::uint64_t>(top) << mantissa_bits;
    // The GPU was given this bit: of f64 it lies in the low half.
    const std::uint64_t nan_bit = std::uint64_t{1} << ((mantissa_bits - 1) % 32);
    const std::uint64_t edges[] = {0, infinity, infinity, infinity | nan_bit, 1, infinity - 1,
                                   std::uint64_t{1} << mantissa_bits, fraction_mask};
    return sign | edges[choice / 16 % 8];
  }
  if (kind == 14 && summand) return sign;
  if (kind == 15 && mantissa_bits > 2) fraction &= fraction_mask & ~(fraction_mask >> 2);
  if (exponent < 0) exponent = 0;
  if (exponent > top) exponent = top;
  if (kind != 8 && exponent == top) exponent = top - 1;
  return sign | static_cast<std::uint64_t>(exponent) << mantissa_bits | fraction;
}

// The next word of a part; of f64 the next two.
inline void tensor_words(const TensorPart& part, unsigned kind, bool summand, TensorDraw& draw,
                         std::uint32_t* words) {
  const auto packed = [&](int exponent_bits, int mantissa_bits) {
    const int bits = 1 + exponent_bits + mantissa_bits;
    std::uint32_t word = 0;
    for (int at = 0; at < 32; at += bits)
      word |= static_cast<std::uint32_t>(tensor_float(exponent_bits, mantissa_bits, kind, summand, draw)) << at;
    return word;
  };
  for (unsigned k = 0; k < part.words; ++k) {
    if (part.type == "f64") {
      const std::uint64_t value = tensor_float(11, 52, kind, summand, draw);
      std::memcpy(words + k, &value, sizeof value);
      ++k;
    } else if (part.type == "f16") {
      words[k] = packed(5, 10);
    } else if (part.type == "bf16") {
      words[k] = packed(8, 7);
    } else if (part.type == "f32" || part.type == "tf32") {
      words[k] = packed(8, 23);
    } else if (part.type == "e4m3") {
      words[k] = packed(4, 3);
    } else if (part.type == "e5m2") {
      words[k] = packed(5, 2);
    } else if (part.type == "pairs" || part.type == "ones") {  // which of A's numbers are kept
      static constexpr std::uint32_t kPairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, kOnes[] = {0x4, 0xe};
      words[k] = 0;
      for (int at = 0; at < 32; at += 4) words[k] |= (part.type == "ones" ? kOnes[draw() % 2] : kPairs[draw() % 6]) << at;
    } else {
      words[k] = static_cast<std::uint32_t>(draw());
      // Sums that leave the range: .satfinite shows.
      if (part.type == "s32" && kind >= 8) words[k] = (words[k] & 0x80000fffu) ^ (words[k] >> 31 ? 0 : 0x7ffff000u);
    }
  }
}

// All that an entry reads, case by case.
inline std::vector<std::uint32_t> tensor_input(const std::string& entry, const std::vector<TensorPart>& parts) {
  std::vector<std::uint32_t> words(std::size_t{kTensorCases} * kTensorLanes * kTensorWords);
  TensorDraw draw{fnv1a(entry.data(), entry.size())};
  for (unsigned kind = 0; kind < kTensorCases; ++kind) {
    for (unsigned lane = 0; lane < kTensorLanes; ++lane) {
      std::uint32_t* at = words.data() + (std::size_t{kind} * kTensorLanes + lane) * kTensorWords;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        tensor_words(parts[p], kind, p == 2, draw, at);
        at += parts[p].words;
      }
    }
  }
  return words;
}

// A block of wgmma's tests: bytes of A, of B, then 128 words a thread, register by register.
constexpr unsigned kGroupLanes = 128, kGroupFactorWords[] = {2048, 8192}, kGroupResultWords = 128 * kGroupLanes;
constexpr unsigned kGroupWords = kGroupFactorWords[0] + kGroupFactorWords[1] + kGroupResultWords;

inline std::vector<std::uint32_t> group_input(const std::string& entry, const std::string& a, const std::string& b,
                                              const std::string& d, unsigned registers) {
  std::vector<std::uint32_t> words(std::size_t{kTensorCases} * kGroupWords);
  TensorDraw draw{fnv1a(entry.data(), entry.size())};
  for (unsigned kind = 0; kind < kTensorCases; ++kind) {
    std::uint32_t* at = words.data() + std::size_t{kind} * kGroupWords;
    tensor_words({a, kGroupFactorWords[0]}, kind, false, draw, at);
    tensor_words({b, kGroupFactorWords[1]}, kind, false, draw, at + kGroupFactorWords[0]);
    tensor_words({d, registers * kGroupLanes}, kind, true, draw, at + kGroupFactorWords[0] + kGroupFactorWords[1]);
  }
  return words;
}

}  // namespace lab::golden
