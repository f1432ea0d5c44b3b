// A call of a library that is computed on the host. See library_call.h.
#include "common/run/cudart/libraries/library_call.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "common/run/cudart/driver.h"
#include "common/sim/base/float_bits.h"

namespace lab::cudart {
namespace {

template <class T>
constexpr bool kIsComplex = false;
template <class R>
constexpr bool kIsComplex<std::complex<R>> = true;
template <class T>
constexpr bool kIsHalf = std::is_same_v<T, sim::F16> || std::is_same_v<T, sim::BF16>;

[[noreturn]] void not_computed(Elem type) {
  throw ApiError{Error::NotSupported, msg("this call is not computed here for numbers of cudaDataType {}.",
                                          static_cast<int>(type))};
}

// The one table of types: `act` gets a number of this one.
template <class Act>
auto with_number(Elem type, const Act& act) {
  switch (type) {
    case Elem::F32:
      return act(float{});
    case Elem::F64:
      return act(double{});
    case Elem::F16:
      return act(sim::F16{});
    case Elem::I8:
      return act(std::int8_t{});
    case Elem::C32:
      return act(std::complex<float>{});
    case Elem::C64:
      return act(std::complex<double>{});
    case Elem::I32:
      return act(std::int32_t{});
    case Elem::BF16:
      return act(sim::BF16{});
    case Elem::I64:
      return act(std::int64_t{});
  }
  not_computed(type);
}

template <class To, class From>
To converted(Elem type, From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsHalf<From>) {
    return converted<To>(type, sim::to_float(value));
  } else if constexpr (kIsComplex<To> && kIsComplex<From>) {
    return To(static_cast<typename To::value_type>(value.real()),
              static_cast<typename To::value_type>(value.imag()));
  } else if constexpr (kIsComplex<From>) {
    not_computed(type);
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (kIsHalf<To>) {
    return sim::nearest<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class T>
void decode(Elem type, const std::byte* bytes, T* to, std::size_t count) {
  with_number(type, [&](auto number) {
    for (std::size_t k = 0; k < count; ++k) {
      std::memcpy(&number, bytes + k * sizeof number, sizeof number);
      to[k] = converted<T>(type, number);
    }
  });
}
template <class T>
void encode(Elem type, const T* from, std::byte* bytes, std::size_t count) {
  with_number(type, [&](auto number) {
    for (std::size_t k = 0; k < count; ++k) {
      number = converted<decltype(number)>(type, from[k]);
      std::memcpy(bytes + k * sizeof number, &number, sizeof number);
    }
  });
}

// Lines of memory: columns, or rows of a matrix that lies by rows.
struct Lines {
  std::int64_t count, length;
};
Lines lines_of(const Matrix& m) { return m.by_rows ? Lines{m.rows, m.cols} : Lines{m.cols, m.rows}; }

// What of line k is used.
struct Used {
  std::size_t first, count;
};
Used used_of(const Matrix& m, std::int64_t k) {
  const std::int64_t length = lines_of(m).length;
  const std::int64_t first = m.half == Half::Lower ? std::min(k, length) : 0;
  const std::int64_t behind = m.half == Half::Upper ? std::min(k + 1, length) : length;
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(behind - first)};
}

Touched range_of(const Matrix& m, bool writes) {
  const Lines lines = lines_of(m);
  const std::uint64_t elem = bytes_of(m.type);
  Touched range =
      touched_rows(address_of(m.pointer), static_cast<std::uint64_t>(lines.length) * elem,
                   static_cast<std::uint64_t>(m.ld) * elem, static_cast<std::uint64_t>(lines.count), writes);
  if (m.half == Half::Both) return range;
  const auto bytes = std::make_shared<ByteSet>();
  for (std::int64_t k = 0; k < lines.count; ++k) {
    const Used used = used_of(m, k);
    bytes->add(address_of(m.at(k * m.ld).pointer) + used.first * elem, used.count * elem);
  }
  range.bytes = bytes;
  return range;
}

Touched range_of(sim::DeviceAddress vector, std::size_t elem, std::span<const std::int64_t> places,
                 bool writes) {
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  const auto bytes = std::make_shared<ByteSet>();
  const auto at = [&](std::int64_t place) { return vector + static_cast<std::uint64_t>(place) * elem; };
  for (const std::int64_t place : places) bytes->add(at(place), elem);
  return {at(*least), at(*most) + elem, writes, bytes};
}

// Where the place of element j of line k is in a vector by columns.
std::size_t by_columns(const Matrix& m, std::size_t k, std::size_t j) {
  const auto rows = static_cast<std::size_t>(m.rows);
  return m.by_rows ? j * rows + k : k * rows + j;
}

}  // namespace

std::size_t bytes_of(Elem type) {
  return with_number(type, [](auto number) { return sizeof number; });
}

template <class T>
T number_at(const void* host, Elem type) {
  T value{};
  decode(type, static_cast<const std::byte*>(host), &value, 1);
  return value;
}
template <class T>
void put_number(void* host, Elem type, T value) {
  encode(type, &value, static_cast<std::byte*>(host), 1);
}

Matrix Matrix::at(std::int64_t elems) const {
  Matrix moved = *this;
  moved.pointer = static_cast<const std::byte*>(pointer) + elems * static_cast<std::int64_t>(bytes_of(type));
  return moved;
}

Matrix list_of(const void* pointer, std::int64_t count, Elem type) {
  return {pointer, count, 1, count, type, false};
}
Matrix vector_of(const void* pointer, std::int64_t count, std::int64_t step, Elem type) {
  if (step == 1 || step == -1) return list_of(pointer, count, type);
  return {pointer, 1, count, step < 0 ? -step : step, type, false};
}

void Arrays::read(sim::DeviceAddress from, std::span<std::byte> bytes) {
  context_.memory.read(from, bytes);
  const sim::Allocation* const a = checks_run() ? context_.memory.find(from, bytes.size()) : nullptr;
  if (a == nullptr || a->is_whole()) return;
  const std::span marks(a->written + (from - a->base), bytes.size());
  const auto found = std::find_if(marks.begin(), marks.end(),
                                  [](std::uint8_t mark) { return mark != sim::Allocation::kWritten; });
  if (found == marks.end()) return;
  const auto first = from + static_cast<std::uint64_t>(found - marks.begin());
  say_with_place(
      msg("{}: {} reads what was never written, from {} on. Write all that it reads first: by a copy, a "
          "kernel or cudaMemset.",
          std::string(sim::code(sim::FaultKind::PoisonedGlobal)), call_, context_.memory.describe(first, 1)));
}

template <class T>
std::vector<T> Arrays::load(const Matrix& m) {
  std::vector<T> values(static_cast<std::size_t>(m.rows * m.cols));
  if (values.empty()) return values;
  const Lines lines = lines_of(m);
  const std::size_t elem = bytes_of(m.type), length = static_cast<std::size_t>(lines.length);
  std::vector<std::byte> bytes(length * elem);
  std::vector<T> line(m.by_rows ? length : 0);
  for (std::int64_t k = 0; k < lines.count; ++k) {
    const Used used = used_of(m, k);
    const std::span here = std::span(bytes).subspan(used.first * elem, used.count * elem);
    read(address_of(m.at(k * m.ld).pointer) + used.first * elem, here);
    T* const to = m.by_rows ? line.data() : &values[static_cast<std::size_t>(k) * length];
    decode(m.type, here.data(), to + used.first, used.count);
    for (std::size_t j = used.first; m.by_rows && j < used.first + used.count; ++j)
      values[by_columns(m, static_cast<std::size_t>(k), j)] = line[j];
  }
  touched_.push_back(range_of(m, false));
  bytes_ += values.size() * elem;
  return values;
}

template <class T>
void Arrays::store(const Matrix& m, const std::vector<T>& values) {
  if (values.empty()) return;
  const Lines lines = lines_of(m);
  const std::size_t elem = bytes_of(m.type), length = static_cast<std::size_t>(lines.length);
  std::vector<std::byte> bytes(length * elem);
  std::vector<T> line(length);
  for (std::int64_t k = 0; k < lines.count; ++k) {
    const Used used = used_of(m, k);
    for (std::size_t j = used.first; j < used.first + used.count; ++j)
      line[j] = values[by_columns(m, static_cast<std::size_t>(k), j)];
    const std::span here = std::span(bytes).subspan(used.first * elem, used.count * elem);
    encode(m.type, line.data() + used.first, here.data(), used.count);
    context_.memory.write(address_of(m.at(k * m.ld).pointer) + used.first * elem, here);
  }
  touched_.push_back(range_of(m, true));
  bytes_ += values.size() * elem;
}

template <class T>
std::vector<T> Arrays::load_at(const void* vector, Elem type, std::span<const std::int64_t> places) {
  std::vector<T> values;
  if (places.empty()) return values;
  const std::size_t elem = bytes_of(type);
  std::vector<std::byte> bytes(elem);
  for (const std::int64_t place : places) {
    read(address_of(vector) + static_cast<std::uint64_t>(place) * elem, bytes);
    values.push_back(number_at<T>(bytes.data(), type));
  }
  touched_.push_back(range_of(address_of(vector), elem, places, false));
  bytes_ += places.size() * elem;
  return values;
}

template <class T>
void Arrays::store_at(const void* vector, Elem type, std::span<const std::int64_t> places,
                      const std::vector<T>& values) {
  if (places.empty()) return;
  const std::size_t elem = bytes_of(type);
  std::vector<std::byte> bytes(elem);
  for (std::size_t k = 0; k < places.size(); ++k) {
    put_number(bytes.data(), type, values[k]);
    context_.memory.write(address_of(vector) + static_cast<std::uint64_t>(places[k]) * elem, bytes);
  }
  touched_.push_back(range_of(address_of(vector), elem, places, true));
  bytes_ += places.size() * elem;
}

void Arrays::store_bytes(const void* to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  context_.memory.write(address_of(to), bytes);
  touched_.push_back({address_of(to), address_of(to) + bytes.size(), true, nullptr});
  bytes_ += bytes.size();
}

void Arrays::scratch(const void* buffer, std::size_t bytes) {
  if (bytes == 0) return;
  if (context_.memory.find(address_of(buffer), bytes) == nullptr) {
    std::vector<std::byte> whole(bytes);
    context_.memory.read(address_of(buffer), whole);  // throws: where it ends
  }
  touched_.push_back({address_of(buffer), address_of(buffer) + bytes, true, nullptr});
}

const void* Arrays::pointer_in(const void* list, std::int64_t index) {
  std::uint64_t address = 0;
  read(address_of(list) + 8 * static_cast<std::uint64_t>(index),
       std::as_writable_bytes(std::span(&address, 1)));
  return pointer_to(address);
}

void Arrays::done() {
  work_order().touches(context_, stream_, touched_, msg("{}", call_));
  context_.timeline.add(stream_.clock, stream_.legacy,
                        context_.timeline.copy_seconds(bytes_, Timeline::Road::Memory));
  context_.records.note(RunNote::Library, call_);
}

// What is loaded and stored as: each type with all of its functions.
#define LAB_NUMBER(T)                                                                        \
  template T number_at(const void*, Elem);                                                   \
  template void put_number(void*, Elem, T);                                                  \
  template std::vector<T> Arrays::load(const Matrix&);                                       \
  template void Arrays::store(const Matrix&, const std::vector<T>&);                         \
  template std::vector<T> Arrays::load_at(const void*, Elem, std::span<const std::int64_t>); \
  template void Arrays::store_at(const void*, Elem, std::span<const std::int64_t>, const std::vector<T>&)
LAB_NUMBER(float);
LAB_NUMBER(double);
LAB_NUMBER(std::complex<float>);
LAB_NUMBER(std::complex<double>);
LAB_NUMBER(std::int64_t);
#undef LAB_NUMBER

int library_call(const char* call, StreamHandle stream, bool waits, Compute compute,
                 const StatusCodes& codes) {
  const int code = as_driver(Needs::Nothing, [&] {
    return enter(call, [&](Context& c) {
      const std::string name = call;
      const auto work = [name, compute = std::move(compute)](Context& now, Stream& on) {
        if (now.memory.visible()) now.memory.see_host_writes();
        Arrays arrays(now, on, name);
        compute(arrays);
        arrays.done();
        return Error::Success;
      };
      const Error result = submit(c, stream, work, kKernelNode);
      if (waits) wait_for_all(c);
      return result;
    });
  });
  if (code == 0) return 0;
  if (code == static_cast<int>(Error::InvalidValue)) return codes.invalid;
  return code == static_cast<int>(Error::NotSupported) ? codes.not_supported : codes.failed;
}

void refuse_argument(int code, const char* status, int number) {
  throw Refused{
      code, status,
      msg("argument {} is a null pointer, a number that is negative or too small, or no member of its "
          "enumeration.",
          number)};
}

}  // namespace lab::cudart
