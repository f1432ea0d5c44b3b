// A call of a library that is computed on the host. See library_call.h.
#include "common/run/cudart/libraries/library_call.h"

#include <cstring>

#include "common/run/cudart/driver.h"
#include "common/sim/base/float_bits.h"

namespace lab::cudart {
namespace {

template <class T, class From>
T widened(From value) {
  if constexpr (sizeof(From) == 2)
    return static_cast<T>(sim::to_float(value));
  else
    return static_cast<T>(value);
}
template <class To, class T>
To narrowed(T value) {
  if constexpr (sizeof(To) == 2)
    return sim::nearest<To>(static_cast<double>(value));
  else
    return static_cast<To>(value);
}

template <class T, class From>
void widen(const std::vector<std::byte>& bytes, T* to, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    From value;
    std::memcpy(&value, bytes.data() + k * sizeof value, sizeof value);
    to[k] = widened<T>(value);
  }
}
template <class T, class To>
void narrow(const T* from, std::vector<std::byte>& bytes, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const To value = narrowed<To>(from[k]);
    std::memcpy(bytes.data() + k * sizeof value, &value, sizeof value);
  }
}

template <class T>
void decode(Elem type, const std::vector<std::byte>& bytes, T* to, std::size_t count) {
  switch (type) {
    case Elem::F32:
      return widen<T, float>(bytes, to, count);
    case Elem::F64:
      return widen<T, double>(bytes, to, count);
    case Elem::F16:
      return widen<T, sim::F16>(bytes, to, count);
    case Elem::I8:
      return widen<T, std::int8_t>(bytes, to, count);
    case Elem::I32:
      return widen<T, std::int32_t>(bytes, to, count);
    case Elem::BF16:
      return widen<T, sim::BF16>(bytes, to, count);
  }
}

template <class T>
void encode(Elem type, const T* from, std::vector<std::byte>& bytes, std::size_t count) {
  switch (type) {
    case Elem::F32:
      return narrow<T, float>(from, bytes, count);
    case Elem::F64:
      return narrow<T, double>(from, bytes, count);
    case Elem::F16:
      return narrow<T, sim::F16>(from, bytes, count);
    case Elem::I8:
      return narrow<T, std::int8_t>(from, bytes, count);
    case Elem::I32:
      return narrow<T, std::int32_t>(from, bytes, count);
    case Elem::BF16:
      return narrow<T, sim::BF16>(from, bytes, count);
  }
}

// Lines of memory: columns, or rows of a matrix that lies by rows.
struct Lines {
  std::int64_t count, length;
};
Lines lines_of(const Matrix& m) { return m.by_rows ? Lines{m.rows, m.cols} : Lines{m.cols, m.rows}; }

Touched range_of(const Matrix& m, bool writes) {
  const Lines lines = lines_of(m);
  const std::uint64_t elem = bytes_of(m.type);
  return touched_rows(address_of(m.pointer), static_cast<std::uint64_t>(lines.length) * elem,
                      static_cast<std::uint64_t>(m.ld) * elem, static_cast<std::uint64_t>(lines.count),
                      writes);
}

}  // namespace

std::size_t bytes_of(Elem type) {
  switch (type) {
    case Elem::I8:
      return 1;
    case Elem::F16:
    case Elem::BF16:
      return 2;
    case Elem::F32:
    case Elem::I32:
      return 4;
    case Elem::F64:
      return 8;
  }
  throw ApiError{
      Error::NotSupported,
      msg("of cuBLAS's element types f64, f32, f16, bf16, s8 and s32 are computed, and not cudaDataType {}.",
          static_cast<int>(type))};
}

Matrix Matrix::at(std::int64_t elems) const {
  Matrix moved = *this;
  moved.pointer = static_cast<const std::byte*>(pointer) + elems * static_cast<std::int64_t>(bytes_of(type));
  return moved;
}

Matrix vector_of(const void* pointer, std::int64_t count, std::int64_t step, Elem type) {
  return {pointer, 1, count, step < 0 ? -step : step, type, false};
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
    context_.memory.read(address_of(m.at(k * m.ld).pointer), bytes);
    if (!m.by_rows) {
      decode(m.type, bytes, values.data() + k * m.rows, length);
      continue;
    }
    decode(m.type, bytes, line.data(), length);
    for (std::size_t j = 0; j < length; ++j)
      values[j * static_cast<std::size_t>(m.rows) + static_cast<std::size_t>(k)] = line[j];
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
    for (std::size_t j = 0; j < length; ++j) {
      const std::size_t column = m.by_rows ? j : static_cast<std::size_t>(k),
                        row = m.by_rows ? static_cast<std::size_t>(k) : j;
      line[j] = values[column * static_cast<std::size_t>(m.rows) + row];
    }
    encode(m.type, line.data(), bytes, length);
    context_.memory.write(address_of(m.at(k * m.ld).pointer), bytes);
  }
  touched_.push_back(range_of(m, true));
  bytes_ += values.size() * elem;
}

void Arrays::store_bytes(const void* to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  context_.memory.write(address_of(to), bytes);
  touched_.push_back({address_of(to), address_of(to) + bytes.size(), true, nullptr});
  bytes_ += bytes.size();
}

const void* Arrays::pointer_in(const void* list, std::int64_t index) {
  std::uint64_t address = 0;
  context_.memory.read(address_of(list) + 8 * static_cast<std::uint64_t>(index),
                       std::as_writable_bytes(std::span(&address, 1)));
  return pointer_to(address);
}

void Arrays::done() {
  work_order().touches(context_, stream_, touched_, msg("{}", call_));
  context_.timeline.add(stream_.clock, stream_.legacy,
                        context_.timeline.copy_seconds(bytes_, Timeline::Road::Memory));
  context_.records.note(RunNote::Library, call_);
}

template std::vector<float> Arrays::load(const Matrix&);
template std::vector<double> Arrays::load(const Matrix&);
template void Arrays::store(const Matrix&, const std::vector<float>&);
template void Arrays::store(const Matrix&, const std::vector<double>&);

int library_call(const char* call, StreamHandle stream, bool waits, Compute compute) {
  const int code = as_driver(
      [&] {
        return enter(call, [&](Context& c) {
          const std::string name = call;
          const auto work = [name, compute = std::move(compute)](Context& now, Stream& on) {
            Arrays arrays(now, on, name);
            compute(arrays);
            arrays.done();
            return Error::Success;
          };
          const Error result = submit(c, stream, work, kKernelNode);
          if (waits) wait_for_all(c);
          return result;
        });
      },
      Needs::Nothing);
  constexpr int kInvalid = 7, kExecutionFailed = 13, kNotSupported = 15;  // cublasStatus_t
  if (code == 0) return 0;
  if (code == static_cast<int>(Error::InvalidValue)) return kInvalid;
  return code == static_cast<int>(Error::NotSupported) ? kNotSupported : kExecutionFailed;
}

}  // namespace lab::cudart
