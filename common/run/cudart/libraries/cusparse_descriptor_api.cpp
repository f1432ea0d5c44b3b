// cuSPARSE: handles, and descriptors of sparse and dense matrices and vectors.
//
// Enters: calls of libcusparse.so. Leaves: what handles and descriptors remember. Nothing that computes stands here.
#include <array>

#include "common/run/cudart/libraries/sparse.h"

using namespace lab::cudart;

namespace {

constexpr std::array kSparseVersion{12, 6, 3};
constexpr std::pair<const char*, const char*> kSparseStatus[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"}};
std::pair<const char*, const char*> sparse_status(int code) {
  if (code < 0 || code >= static_cast<int>(std::size(kSparseStatus)))
    return {"unrecognized error code", "unrecognized error code"};
  return kSparseStatus[code];
}

// cusparseIndexType_t, as the type of its numbers.
enum class IndexType : int { U16 = 1, I32 = 2, I64 = 3 };
bool is_index_type(IndexType type) { return type >= IndexType::U16 && type <= IndexType::I64; }
Elem elem_of_index(IndexType type) { return type == IndexType::I32 ? Elem::I32 : Elem::I64; }
IndexType index_of_elem(Elem type) { return type == Elem::I32 ? IndexType::I32 : IndexType::I64; }
enum class Order : int { Columns = 1, Rows = 2 };

// A question: where the answer goes, which may not be null, and the answer. They are arguments 2, 3, … of a call.
template <class... To, class... From>
int answer(std::pair<To*, From>... answers) {
  int number = 1;
  (must(++number, answers.first != nullptr), ...);
  ((*answers.first = answers.second), ...);
  return 0;
}
void must_be_format(const Sparse* m, Format format) { must(1, m != nullptr && m->format == format); }

template <Format format>
int create_compressed(Sparse** made, std::int64_t rows, std::int64_t cols, std::int64_t count,
                      const void* starts, const void* indices, const void* values, IndexType starts_type,
                      IndexType indices_type, int base, Elem type) {
  must(1, made != nullptr, 2, rows >= 0, 3, cols >= 0, 4, count >= 0, 8, is_index_type(starts_type), 9,
       is_index_type(indices_type), 10, is_base(base), 11, is_value_type(type));
  must_fit(count <= rows * cols);
  must_match(starts_type == indices_type && indices_type != IndexType::U16);
  *made = new Sparse{format,
                     rows,
                     cols,
                     count,
                     starts,
                     indices,
                     values,
                     elem_of_index(starts_type),
                     elem_of_index(indices_type),
                     base,
                     type};
  return 0;
}
int create_coo(Sparse** made, std::int64_t rows, std::int64_t cols, std::int64_t count,
               const void* row_indices, const void* col_indices, const void* values, IndexType index_type,
               int base, Elem type) {
  must(1, made != nullptr, 2, rows >= 0, 3, cols >= 0, 4, count >= 0, 8, is_index_type(index_type), 9,
       is_base(base), 10, is_value_type(type));
  must_fit(count <= rows * cols);
  must_match(index_type != IndexType::U16);
  const Elem indices = elem_of_index(index_type);
  *made = new Sparse{Format::Coo, rows,    cols,    count, row_indices, col_indices,
                     values,      indices, indices, base,  type};
  return 0;
}
int create_sparse_vector(Sparse** made, std::int64_t size, std::int64_t count, const void* indices,
                         const void* values, IndexType index_type, int base, Elem type) {
  must(1, made != nullptr, 2, size >= 0, 3, count >= 0, 6, is_index_type(index_type), 7, is_base(base), 8,
       is_value_type(type));
  must_fit(count <= size);
  must_match(index_type != IndexType::U16);
  const Elem index = elem_of_index(index_type);
  *made = new Sparse{Format::Row, 1, size, count, nullptr, indices, values, index, index, base, type};
  return 0;
}
int create_dense_vector(Dense** made, std::int64_t size, const void* values, Elem type) {
  must(1, made != nullptr, 2, size >= 0, 4, is_value_type(type));
  *made = new Dense{values, size, 1, size, type};
  return 0;
}
int create_dense_matrix(Dense** made, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                        const void* values, Elem type, Order order) {
  must(1, made != nullptr, 2, rows >= 0, 3, cols >= 0, 6, is_value_type(type), 7,
       order == Order::Columns || order == Order::Rows);
  const bool by_rows = order == Order::Rows;
  must_fit(ld >= (by_rows ? cols : rows));
  *made = new Dense{values, rows, cols, ld, type, by_rows};
  return 0;
}

template <Format format>
int get_compressed(const Sparse* m, std::int64_t* rows, std::int64_t* cols, std::int64_t* count,
                   const void** starts, const void** indices, const void** values, IndexType* starts_type,
                   IndexType* indices_type, int* base, Elem* type) {
  must_be_format(m, format);
  return answer(std::pair(rows, m->rows), std::pair(cols, m->cols), std::pair(count, m->count),
                std::pair(starts, m->starts), std::pair(indices, m->indices), std::pair(values, m->values),
                std::pair(starts_type, index_of_elem(m->starts_type)),
                std::pair(indices_type, index_of_elem(m->indices_type)), std::pair(base, m->base),
                std::pair(type, m->type));
}
int get_coo(const Sparse* m, std::int64_t* rows, std::int64_t* cols, std::int64_t* count,
            const void** row_indices, const void** col_indices, const void** values, IndexType* index_type,
            int* base, Elem* type) {
  must_be_format(m, Format::Coo);
  return answer(std::pair(rows, m->rows), std::pair(cols, m->cols), std::pair(count, m->count),
                std::pair(row_indices, m->starts), std::pair(col_indices, m->indices),
                std::pair(values, m->values), std::pair(index_type, index_of_elem(m->indices_type)),
                std::pair(base, m->base), std::pair(type, m->type));
}
int get_sparse_vector(const Sparse* v, std::int64_t* size, std::int64_t* count, const void** indices,
                      const void** values, IndexType* index_type, int* base, Elem* type) {
  must_be_format(v, Format::Row);
  return answer(std::pair(size, v->cols), std::pair(count, v->count), std::pair(indices, v->indices),
                std::pair(values, v->values), std::pair(index_type, index_of_elem(v->indices_type)),
                std::pair(base, v->base), std::pair(type, v->type));
}
int get_dense_vector(const Dense* v, std::int64_t* size, const void** values, Elem* type) {
  must(1, v != nullptr);
  return answer(std::pair(size, v->rows), std::pair(values, v->values), std::pair(type, v->type));
}
int get_dense_matrix(const Dense* m, std::int64_t* rows, std::int64_t* cols, std::int64_t* ld,
                     const void** values, Elem* type, Order* order) {
  must(1, m != nullptr);
  return answer(std::pair(rows, m->rows), std::pair(cols, m->cols), std::pair(ld, m->ld),
                std::pair(values, m->values), std::pair(type, m->type),
                std::pair(order, m->by_rows ? Order::Rows : Order::Columns));
}
int get_size(const Sparse* m, std::int64_t* rows, std::int64_t* cols, std::int64_t* count) {
  must(1, m != nullptr);
  return answer(std::pair(rows, m->rows), std::pair(cols, m->cols), std::pair(count, m->count));
}
// One member of a descriptor.
template <auto member, class Descriptor, class Value>
int get(const Descriptor* descriptor, Value* value) {
  must(1, descriptor != nullptr);
  return answer(std::pair(value, static_cast<Value>(descriptor->*member)));
}
template <class Descriptor>
int set_values(Descriptor* descriptor, const void* values) {
  must(1, descriptor != nullptr, 2, values != nullptr);
  descriptor->values = values;
  return 0;
}
template <Format format>
int set_pointers(Sparse* m, const void* starts, const void* indices, const void* values) {
  must_be_format(m, format);
  m->starts = starts, m->indices = indices, m->values = values;
  return 0;
}

int set_batch(Sparse* m, int count, std::int64_t starts_step, std::int64_t entries_step) {
  must(1, m != nullptr, 2, count >= 1);
  const auto wide = [](std::int64_t step, std::int64_t least) { return step == 0 || step >= least; };
  must_fit(wide(starts_step, m->is_compressed() ? m->lines() + 1 : 0) && wide(entries_step, m->count));
  m->batches = count, m->starts_step = starts_step, m->entries_step = entries_step;
  return 0;
}
int set_coo_batch(Sparse* m, int count, std::int64_t step) { return set_batch(m, count, 0, step); }
int set_dense_batch(Dense* m, int count, std::int64_t step) {
  must(1, m != nullptr, 2, count >= 1);
  must_fit(step == 0 || step >= m->ld * (m->by_rows ? m->rows : m->cols));
  m->batches = count, m->batch_step = step;
  return 0;
}
int get_dense_batch(const Dense* m, int* count, std::int64_t* step) {
  must(1, m != nullptr);
  return answer(std::pair(count, m->batches), std::pair(step, m->batch_step));
}

// cusparseSpMatAttribute_t: 0 is the fill mode, 1 the diagonal's.
void must_be_attribute(const Sparse* m, int attribute, const int* value, std::size_t bytes) {
  must(1, m != nullptr, 2, attribute == 0 || attribute == 1, 3, value != nullptr, 4, bytes == sizeof *value);
}
int set_attribute(Sparse* m, int attribute, const int* value, std::size_t bytes) {
  must_be_attribute(m, attribute, value, bytes);
  (attribute == 0 ? m->fill : m->diagonal) = *value;
  return 0;
}
int get_attribute(const Sparse* m, int attribute, int* value, std::size_t bytes) {
  must_be_attribute(m, attribute, value, bytes);
  *value = attribute == 0 ? m->fill : m->diagonal;
  return 0;
}

int set_stream(SparseHandle* handle, StreamHandle stream) {
  must(1, handle != nullptr);
  handle->stream = stream;
  return 0;
}
int set_pointer_mode(SparseHandle* handle, int mode) {
  must(1, handle != nullptr, 2, mode == 0 || mode == 1);
  handle->device_scalars = mode == 1;
  return 0;
}
int get_version(const SparseHandle* handle, int* version) {
  must(1, handle != nullptr);
  return answer(std::pair(version, kSparseVersion[0] * 1000 + kSparseVersion[1] * 100 + kSparseVersion[2]));
}
int get_property(int which, int* value) {
  must(1, which >= 0 && which < 3, 2, value != nullptr);
  *value = kSparseVersion[static_cast<std::size_t>(which)];
  return 0;
}

}  // namespace

LAB_NAMED(cusparseCreate, make_descriptor<SparseHandle>);
LAB_NAMED(cusparseDestroy, drop_descriptor<SparseHandle>);
LAB_NAMED(cusparseGetVersion, get_version);
LAB_NAMED(cusparseGetProperty, get_property);
LAB_NAMED(cusparseSetStream, set_stream);
LAB_NAMED(cusparseGetStream, get<&SparseHandle::stream, SparseHandle, StreamHandle>);
LAB_NAMED(cusparseSetPointerMode, set_pointer_mode);
LAB_NAMED(cusparseGetPointerMode, get<&SparseHandle::device_scalars, SparseHandle, int>);
LAB_ENTRY const char* cusparseGetErrorName(int code) { return sparse_status(code).first; }
LAB_ENTRY const char* cusparseGetErrorString(int code) { return sparse_status(code).second; }

LAB_NAMED(cusparseCreateCsr, create_compressed<Format::Csr>);
LAB_NAMED(cusparseCreateConstCsr, create_compressed<Format::Csr>);
LAB_NAMED(cusparseCreateCsc, create_compressed<Format::Csc>);
LAB_NAMED(cusparseCreateConstCsc, create_compressed<Format::Csc>);
LAB_NAMED(cusparseCreateCoo, create_coo);
LAB_NAMED(cusparseCreateConstCoo, create_coo);
LAB_NAMED(cusparseDestroySpMat, drop_descriptor<Sparse>);
LAB_NAMED(cusparseCsrGet, get_compressed<Format::Csr>);
LAB_NAMED(cusparseConstCsrGet, get_compressed<Format::Csr>);
LAB_NAMED(cusparseCscGet, get_compressed<Format::Csc>);
LAB_NAMED(cusparseConstCscGet, get_compressed<Format::Csc>);
LAB_NAMED(cusparseCooGet, get_coo);
LAB_NAMED(cusparseConstCooGet, get_coo);
LAB_NAMED(cusparseCsrSetPointers, set_pointers<Format::Csr>);
LAB_NAMED(cusparseCscSetPointers, set_pointers<Format::Csc>);
LAB_NAMED(cusparseCooSetPointers, set_pointers<Format::Coo>);
LAB_NAMED(cusparseSpMatGetFormat, get<&Sparse::format, Sparse, Format>);
LAB_NAMED(cusparseSpMatGetIndexBase, get<&Sparse::base, Sparse, int>);
LAB_NAMED(cusparseSpMatGetSize, get_size);
LAB_NAMED(cusparseSpMatGetValues, get<&Sparse::values, Sparse, const void*>);
LAB_NAMED(cusparseConstSpMatGetValues, get<&Sparse::values, Sparse, const void*>);
LAB_NAMED(cusparseSpMatSetValues, set_values<Sparse>);
LAB_NAMED(cusparseSpMatSetAttribute, set_attribute);
LAB_NAMED(cusparseSpMatGetAttribute, get_attribute);
LAB_NAMED(cusparseSpMatGetStridedBatch, get<&Sparse::batches, Sparse, int>);
LAB_NAMED(cusparseCsrSetStridedBatch, set_batch);
LAB_NAMED(cusparseCooSetStridedBatch, set_coo_batch);

LAB_NAMED(cusparseCreateSpVec, create_sparse_vector);
LAB_NAMED(cusparseCreateConstSpVec, create_sparse_vector);
LAB_NAMED(cusparseDestroySpVec, drop_descriptor<Sparse>);
LAB_NAMED(cusparseSpVecGet, get_sparse_vector);
LAB_NAMED(cusparseConstSpVecGet, get_sparse_vector);
LAB_NAMED(cusparseSpVecGetIndexBase, get<&Sparse::base, Sparse, int>);
LAB_NAMED(cusparseSpVecGetValues, get<&Sparse::values, Sparse, const void*>);
LAB_NAMED(cusparseConstSpVecGetValues, get<&Sparse::values, Sparse, const void*>);
LAB_NAMED(cusparseSpVecSetValues, set_values<Sparse>);

LAB_NAMED(cusparseCreateDnVec, create_dense_vector);
LAB_NAMED(cusparseCreateConstDnVec, create_dense_vector);
LAB_NAMED(cusparseDestroyDnVec, drop_descriptor<Dense>);
LAB_NAMED(cusparseDnVecGet, get_dense_vector);
LAB_NAMED(cusparseConstDnVecGet, get_dense_vector);
LAB_NAMED(cusparseDnVecGetValues, get<&Dense::values, Dense, const void*>);
LAB_NAMED(cusparseConstDnVecGetValues, get<&Dense::values, Dense, const void*>);
LAB_NAMED(cusparseDnVecSetValues, set_values<Dense>);

LAB_NAMED(cusparseCreateDnMat, create_dense_matrix);
LAB_NAMED(cusparseCreateConstDnMat, create_dense_matrix);
LAB_NAMED(cusparseDestroyDnMat, drop_descriptor<Dense>);
LAB_NAMED(cusparseDnMatGet, get_dense_matrix);
LAB_NAMED(cusparseConstDnMatGet, get_dense_matrix);
LAB_NAMED(cusparseDnMatGetValues, get<&Dense::values, Dense, const void*>);
LAB_NAMED(cusparseConstDnMatGetValues, get<&Dense::values, Dense, const void*>);
LAB_NAMED(cusparseDnMatSetValues, set_values<Dense>);
LAB_NAMED(cusparseDnMatSetStridedBatch, set_dense_batch);
LAB_NAMED(cusparseDnMatGetStridedBatch, get_dense_batch);
