// Device printf, assert, malloc and free. vprintf(format, arguments): both are generic addresses; the
// arguments lie side by side, each at its own alignment, floats already widened to double.
#include "common/sim/execute/builtins.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/device_runtime.h"

namespace lab::sim {
namespace {

constexpr std::size_t kMaxText = 4096;               // one string
constexpr std::size_t kMaxOutputPerBlock = 1 << 20;  // what is printed behind it is dropped
// Units of work (program/work.h).
constexpr std::uint64_t kWorkOfPrintf = 256, kWorkOfConversion = 40, kWorkOfPrintedByte = 4;
constexpr std::uint64_t kWorkOfMalloc = 300, kBytesPerUnit = 8;
constexpr std::uint64_t kLargestCharged = 1ull << 30;  // of malloc: more is refused

// A byte of any space, or -1 where there is nothing to read.
int byte_at(BlockRun& block, const WarpContext& w, int lane, std::uint64_t address) {
  if (in_local_window(address)) {
    const Warp& warp = block.warp_of(w);
    const std::uint64_t at = local_offset(address, w.place->first_thread + static_cast<std::uint32_t>(lane));
    if (at >= warp.local_stride) return -1;
    return std::to_integer<int>(warp.local[static_cast<std::size_t>(lane) * warp.local_stride + at]);
  }
  if (address - kSharedWindow < kWindowBytes) {
    const std::uint64_t at = address - kSharedWindow;
    return at < block.shared.size() ? std::to_integer<int>(block.shared[at]) : -1;
  }
  const Memory& memory = *block.launch().memory;
  const Allocation* a = memory.find(address, 1);
  if (a == nullptr) return -1;
  memory.lay_out(*a, address, 1);
  return std::to_integer<int>(a->host[address - a->base]);
}

class ArgumentReader {
 public:
  ArgumentReader(BlockRun& block, const WarpContext& w, int lane, const Inst& inst)
      : block_(block), w_(w), lane_(lane), inst_(inst) {}

  std::string text(std::uint64_t address) const {
    std::string out;
    while (out.size() < kMaxText) {
      const int next = byte(address + out.size());
      if (next == 0) break;
      out += static_cast<char>(next);
    }
    return out;
  }
  std::uint64_t value(std::uint64_t address, std::size_t size_bytes) const {
    std::uint64_t v = 0;
    for (std::size_t k = 0; k < size_bytes; ++k)
      v |= static_cast<std::uint64_t>(byte(address + k)) << (8 * k);
    return v;
  }

 private:
  int byte(std::uint64_t address) const {
    const int b = byte_at(block_, w_, lane_, address);
    if (b < 0) {
      block_.fault(FaultKind::OutOfBounds, w_, inst_.pc, lane_, address,
                   msg("{} calls printf, which reads outside every buffer: {}.",
                       block_.thread_name(w_, lane_), block_.launch().memory->describe(address, 1)));
    }
    return b;
  }
  BlockRun& block_;
  const WarpContext& w_;
  int lane_;
  const Inst& inst_;
};

// One conversion, `%-8.3lld`: its text without length letters, how long the number is, and its letter.
struct Conversion {
  std::string flags;
  bool is_long = false;
  char letter = 0;
  int stars = 0;
};

Conversion parse_conversion(const std::string& format, std::size_t& at) {
  Conversion c;
  ++at;
  while (at < format.size() && std::strchr("-+ #0123456789.*lhjzt", format[at]) != nullptr) {
    const char ch = format[at++];
    if (ch == 'l' || ch == 'j' || ch == 'z' || ch == 't') {
      c.is_long = true;
    } else if (ch == '*') {
      c.flags += ch;
      ++c.stars;
    } else if (ch != 'h') {
      c.flags += ch;
    }
  }
  if (at < format.size()) c.letter = format[at++];
  if (c.flags.size() > 24) c.flags.clear();
  return c;
}

// A width of a thousand million would be a thousand million blanks, thread by thread: no number passes 1000.
std::string with_small_numbers(const std::string& flags) {
  std::string result;
  for (std::size_t at = 0; at < flags.size();) {
    const std::size_t end = std::min(flags.find_first_not_of("0123456789", at), flags.size());
    const std::size_t first = std::min(flags.find_first_not_of('0', at), end);
    if (end == at) {
      result += flags[at++];
    } else {
      result += end - first > 3 ? "1000" : flags.substr(at, end - at);
      at = end;
    }
  }
  return result;
}

// Flags, width, precision, in this order. What else a kernel writes means nothing to printf, and is printed
// as it is.
bool is_well_formed(const std::string& flags) {
  const auto past = [&](const char* letters, std::size_t from) {
    return std::min(flags.find_first_not_of(letters, from), flags.size());
  };
  std::size_t at = past("0123456789", past("-+ #0", 0));
  if (at < flags.size() && flags[at] == '.') at = past("0123456789", at + 1);
  return at == flags.size();
}

// A `*` and its number; a precision below zero is none.
void put_number(std::string& flags, std::size_t star, std::int32_t number) {
  const bool none = number < 0 && star > 0 && flags[star - 1] == '.';
  if (none) {
    flags.erase(star - 1, 2);
  } else {
    flags.replace(star, 1, std::to_string(std::clamp(number, -1000, 1000)));
  }
}

template <class... T>
std::string format_one(const std::string& specification, T... value) {
  char buffer[kMaxText];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int length = std::snprintf(buffer, sizeof buffer, specification.c_str(), value...);
#pragma GCC diagnostic pop
  return length < 0 ? std::string()
                    : std::string(buffer,
                                  std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1));
}

// `count` becomes the number of arguments that the format takes.
std::string expand(const ArgumentReader& reader, const std::string& format, std::uint64_t arguments,
                   int& count) {
  std::string out;
  const auto next = [&](std::size_t size_bytes) {
    ++count;
    arguments = (arguments + size_bytes - 1) / size_bytes * size_bytes;
    const std::uint64_t v = reader.value(arguments, size_bytes);
    arguments += size_bytes;
    return v;
  };
  for (std::size_t at = 0; at < format.size() && out.size() < kMaxText * 4;) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    if (at + 1 < format.size() && format[at + 1] == '%') {
      out += '%';
      at += 2;
      continue;
    }
    Conversion c = parse_conversion(format, at);
    for (std::size_t star = c.flags.find('*'); star != std::string::npos; star = c.flags.find('*')) {
      put_number(c.flags, star, static_cast<std::int32_t>(next(4)));
    }
    const std::string start = "%" + with_small_numbers(c.flags);
    if (!is_well_formed(c.flags)) {
      out += start;
      if (c.letter != 0) out += c.letter;
      continue;
    }
    switch (c.letter) {
      case 'd':
      case 'i':
        out += c.is_long ? format_one(start + "lld", static_cast<long long>(next(8)))
                         : format_one(start + "d", static_cast<std::int32_t>(next(4)));
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        out += c.is_long ? format_one(start + "ll" + c.letter, static_cast<unsigned long long>(next(8)))
                         : format_one(start + c.letter, static_cast<std::uint32_t>(next(4)));
        break;
      case 'c':
        out += format_one(start + "c", static_cast<int>(next(4) & 0xff));
        break;
      case 'p':
        out += format_one(start + "p", reinterpret_cast<const void*>(static_cast<std::uintptr_t>(next(8))));
        break;
      case 's':
        out += format_one(start + "s", reader.text(next(8)).c_str());
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        out += format_one(start + c.letter, std::bit_cast<double>(next(8)));
        break;
      default:
        out += start;
        break;
    }
  }
  return out;
}

void free_of_kernel(BlockRun& block, const WarpContext& w, const Inst& inst, int lane,
                    DeviceAddress address) {
  Memory& memory = *block.launch().memory;
  if (address == 0 || memory.heap_release(address)) return;
  block.fault(FaultKind::OutOfBounds, w, inst.pc, lane, address,
              msg("{} frees an address that malloc of a kernel did not give, or frees it twice: {}.",
                  block.thread_name(w, lane), memory.describe(address, 1)));
}

}  // namespace

void copy_argument(BlockRun& block, const WarpContext& w, const CallSite& site, std::size_t k, int lane,
                   std::span<std::byte> to) {
  if (k >= site.arguments.size()) return;
  const Warp& warp = block.warp_of(w);
  std::memcpy(to.data(),
              warp.local.data() + static_cast<std::size_t>(lane) * warp.local_stride + w.local_base +
                  site.arguments[k].offset_bytes,
              std::min<std::size_t>(to.size(), site.arguments[k].size_bytes));
}

std::uint64_t argument_of(BlockRun& block, const WarpContext& w, const CallSite& site, std::size_t k,
                          int lane) {
  std::uint64_t value = 0;
  copy_argument(block, w, site, k, lane, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void set_result(BlockRun& block, const WarpContext& w, const CallSite& site, int lane, std::uint64_t value) {
  if (site.results.empty()) return;
  Warp& warp = block.warp_of(w);
  std::memcpy(warp.local.data() + static_cast<std::size_t>(lane) * warp.local_stride + w.local_base +
                  site.results[0].offset_bytes,
              &value, std::min<std::size_t>(sizeof value, site.results[0].size_bytes));
}

[[noreturn]] static void fail_assertion(const BlockRun& block, const WarpContext& w, std::uint32_t pc,
                                        int lane, std::string condition) {
  Fault fault = block.fault_at(FaultKind::Trap, w, pc, lane, 0,
                               msg("{}: the assertion `{}` failed.", block.thread_name(w, lane), condition));
  fault.assertion = std::move(condition);
  throw FaultError(std::move(fault));
}

void run_builtin(BlockRun& block, WarpContext& w, const CallSite& site, const Inst& inst) {
  if (site.builtin >= kFirstOfDeviceRuntime) return run_device_runtime(block, w, site, inst);
  if (site.builtin != Builtin::AssertFail)
    block.notify<&Observer::system_call>(w.place->warp, w.mask,
                                         site.builtin == Builtin::Malloc || site.builtin == Builtin::Free);
  for (const int lane : lanes_of<int>(w.mask)) {
    const ArgumentReader reader(block, w, lane, inst);
    const std::uint64_t first = argument_of(block, w, site, 0, lane);
    switch (site.builtin) {
      case Builtin::AssertFail:  // __assertfail(message, file, line, function, char size)
        fail_assertion(block, w, inst.pc, lane, reader.text(first));
      case Builtin::Malloc:
        block.charge(w, inst, kWorkOfMalloc + std::min(first, kLargestCharged) / kBytesPerUnit);
        set_result(block, w, site, lane, block.launch().memory->heap_allocate(first));
        break;
      case Builtin::Free:
        block.charge(w, inst, kWorkOfMalloc);
        free_of_kernel(block, w, inst, lane, first);
        break;
      default: {
        std::int32_t arguments = 0;  // what device printf returns
        block.charge(w, inst, kWorkOfPrintf);
        if (block.output.size() < kMaxOutputPerBlock) {
          const std::string format = reader.text(first);
          const std::string line = expand(reader, format, argument_of(block, w, site, 1, lane), arguments);
          block.charge(w, inst,
                       (format.size() + line.size()) * kWorkOfPrintedByte +
                           static_cast<std::uint64_t>(arguments) * kWorkOfConversion);
          block.output += line;
        }
        set_result(block, w, site, lane, static_cast<std::uint32_t>(arguments));
      }
    }
  }
}

}  // namespace lab::sim
