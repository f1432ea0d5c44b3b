// Matrices of cuSPARSE. See sparse.h.
#include "common/run/cudart/libraries/sparse.h"

#include <algorithm>

namespace lab::cudart {
namespace {

const void* moved(const void* pointer, std::int64_t elems, Elem type) {
  if (pointer == nullptr) return nullptr;
  return static_cast<const std::byte*>(pointer) + elems * static_cast<std::int64_t>(bytes_of(type));
}

std::vector<std::int64_t> load_indices(Arrays& arrays, const void* at, std::int64_t count, Elem type) {
  return arrays.load<std::int64_t>(list_of(at, count, type));
}

}  // namespace

Dense Dense::batch(int number) const {
  Dense one = *this;
  one.values = moved(values, batches > 1 ? number * batch_step : 0, type);
  return one;
}

Sparse Sparse::batch(int number) const {
  Sparse one = *this;
  if (batches == 1) return one;
  one.starts = moved(starts, number * (is_compressed() ? starts_step : entries_step), starts_type);
  one.indices = moved(indices, number * entries_step, indices_type);
  one.values = moved(values, number * entries_step, type);
  return one;
}

std::vector<std::int64_t> load_starts(Arrays& arrays, const Sparse& m) {
  std::vector<std::int64_t> starts = load_indices(arrays, m.starts, m.lines() + 1, m.starts_type);
  std::int64_t before = m.base;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    if (starts[k] < before || starts[k] > m.base + m.count)
      throw ApiError{Error::IllegalAddress, msg("out-of-bounds: offset {} of the sparse matrix is {}. "
                                                "Offsets must not fall, and must lie between {} and "
                                                "{}: its entries, {}, counted from {}.",
                                                k, starts[k], m.base, m.base + m.count, m.count, m.base)};
    before = starts[k];
    starts[k] -= m.base;
  }
  return starts;
}

void store_indices(Arrays& arrays, const void* to, Elem type, const std::vector<std::int64_t>& indices) {
  const auto count = static_cast<std::int64_t>(indices.size());
  if (to != nullptr) arrays.store<std::int64_t>(list_of(to, count, type), indices);
}

template <class T>
Entries<T> load_entries(Arrays& arrays, const Sparse& m) {
  const std::vector<std::int64_t> starts =
      m.is_compressed() ? load_starts(arrays, m) : std::vector<std::int64_t>{0, m.count};
  const std::int64_t first = starts.front(), count = starts.back() - first;
  const std::vector<std::int64_t> minor =
      load_indices(arrays, moved(m.indices, first, m.indices_type), count, m.indices_type);
  std::vector<std::int64_t> major(minor.size());
  if (m.format == Format::Coo) {
    major = load_indices(arrays, m.starts, count, m.starts_type);
    for (std::int64_t& index : major) index -= m.base;
  } else if (m.is_compressed()) {
    for (std::size_t line = 0; line + 1 < starts.size(); ++line)
      std::fill(major.begin() + (starts[line] - first), major.begin() + (starts[line + 1] - first),
                static_cast<std::int64_t>(line));
  }
  std::vector<T> values(minor.size());
  if (m.values != nullptr) values = arrays.load<T>(list_of(moved(m.values, first, m.type), count, m.type));
  Entries<T> entries;
  entries.reserve(minor.size());
  for (std::size_t k = 0; k < minor.size(); ++k) {
    Entry<T> entry{major[k], minor[k] - m.base, values[k]};
    if (m.format == Format::Csc) std::swap(entry.row, entry.col);
    if (entry.row < 0 || entry.row >= m.rows || entry.col < 0 || entry.col >= m.cols)
      throw ApiError{
          Error::IllegalAddress,
          msg("out-of-bounds: entry {} of the sparse matrix lies in row {} and column {}, counted from 0, "
              "and the matrix has {} rows and {} columns. Its indices are counted from {}, as its descriptor "
              "says.",
              first + static_cast<std::int64_t>(k), entry.row, entry.col, m.rows, m.cols, m.base)};
    entries.push_back(entry);
  }
  return entries;
}

template <class T>
void store_entries(Arrays& arrays, const Sparse& m, Entries<T> entries) {
  const bool by_columns = m.format == Format::Csc;
  const auto line_of = [&](const Entry<T>& e) { return by_columns ? e.col : e.row; };
  const auto index_of = [&](const Entry<T>& e) { return by_columns ? e.row : e.col; };
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry<T>& a, const Entry<T>& b) {
    return std::pair(line_of(a), index_of(a)) < std::pair(line_of(b), index_of(b));
  });
  std::vector<std::int64_t> starts, indices;
  if (m.is_compressed()) starts.assign(static_cast<std::size_t>(m.lines()) + 1, m.base);
  for (const Entry<T>& entry : entries) {
    indices.push_back(index_of(entry) + m.base);
    if (!m.is_compressed()) starts.push_back(line_of(entry) + m.base);
    if (m.is_compressed()) ++starts[static_cast<std::size_t>(line_of(entry)) + 1];
  }
  if (m.is_compressed())
    for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1] - m.base;
  store_indices(arrays, m.starts, m.starts_type, starts);
  store_indices(arrays, m.indices, m.indices_type, indices);
  if (m.values != nullptr) store_values(arrays, m, entries);
}

template <class T>
void store_values(Arrays& arrays, const Sparse& m, const Entries<T>& entries) {
  std::vector<T> values;
  for (const Entry<T>& entry : entries) values.push_back(entry.value);
  const auto count = static_cast<std::int64_t>(values.size());
  arrays.store<T>(list_of(m.values, count, m.type), values);
}

template <class T>
Table<T> load_table(Arrays& arrays, const Dense& m, const std::vector<bool>& rows) {
  Table<T> table(m.rows, m.cols);
  std::vector<std::int64_t> places;
  const auto each = [&](const auto& act) {
    for (std::int64_t r = 0; r < m.rows; ++r)
      for (std::int64_t c = 0; c < m.cols && (rows.empty() || rows[static_cast<std::size_t>(r)]); ++c)
        act(r, c);
  };
  if (std::find(rows.begin(), rows.end(), false) == rows.end()) {
    const std::vector<T> values = arrays.load<T>({m.values, m.rows, m.cols, m.ld, m.type, m.by_rows});
    each([&](std::int64_t r, std::int64_t c) {
      table(r, c) = values[static_cast<std::size_t>(r + c * m.rows)];
    });
    return table;
  }
  each([&](std::int64_t r, std::int64_t c) { places.push_back(m.place(r, c)); });
  const std::vector<T> values = arrays.load_at<T>(m.values, m.type, places);
  auto value = values.begin();
  each([&](std::int64_t r, std::int64_t c) { table(r, c) = *value++; });
  return table;
}

template <class T>
void store_table(Arrays& arrays, const Dense& m, Table<T> table) {
  std::vector<T> values;
  for (std::int64_t c = 0; c < m.cols; ++c)
    for (std::int64_t r = 0; r < m.rows; ++r) values.push_back(table(r, c));
  arrays.store<T>({m.values, m.rows, m.cols, m.ld, m.type, m.by_rows}, values);
}

template <class T>
Entries<T> turned(Entries<T> entries, int operation) {
  if (operation == 0) return entries;
  for (Entry<T>& entry : entries) {
    std::swap(entry.row, entry.col);
    if (operation == 2) entry.value = conjugate(entry.value);
  }
  return entries;
}

#define LAB_SPARSE(T)                                                            \
  template Entries<T> load_entries(Arrays&, const Sparse&);                      \
  template void store_entries(Arrays&, const Sparse&, Entries<T>);               \
  template void store_values(Arrays&, const Sparse&, const Entries<T>&);         \
  template Table<T> load_table(Arrays&, const Dense&, const std::vector<bool>&); \
  template void store_table(Arrays&, const Dense&, Table<T>);                    \
  template Entries<T> turned(Entries<T>, int)
LAB_SPARSE(double);
LAB_SPARSE(std::complex<double>);
#undef LAB_SPARSE

bool is_value_type(Elem type) {
  constexpr Elem kTypes[] = {Elem::F32, Elem::F64, Elem::F16, Elem::BF16,
                             Elem::I8,  Elem::I32, Elem::C32, Elem::C64};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

void must_fit(bool fits) {
  if (!fits)
    throw Refused{kSparseInvalid, "CUSPARSE_STATUS_INVALID_VALUE",
                  "the sizes of its matrices and vectors do not fit together."};
}
void must_match(bool matches) {
  if (!matches)
    throw Refused{
        kSparseNotSupported, "CUSPARSE_STATUS_NOT_SUPPORTED",
        "the types of its matrices and vectors, and the type that it computes in, are not among those that "
        "go together."};
}

}  // namespace lab::cudart
