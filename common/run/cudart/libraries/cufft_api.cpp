// cuFFT: plans of one to three dimensions, many at once, and the six kinds of transforms.
//
// Enters: calls of libcufft.so. Leaves: transforms, computed on the host in double precision (fft.h), in the order of the plan's stream;
// what they read and write is checked and ordered like a copy. Work areas are not needed: every plan wants none.
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "common/run/cudart/libraries/fft.h"
#include "common/run/cudart/libraries/library_call.h"

using namespace lab::cudart;

namespace lab::cudart {
namespace {

constexpr int kInvalidPlan = 1, kInvalidType = 3, kInvalidArgument = 4, kExecFailed = 6, kInvalidSize = 8,
              kTooNew = 16;
constexpr int kForward = -1, kInverse = 1;
constexpr std::size_t kMostDimensions = 3;

// cufftType: what goes in, what comes out, the numbers.
struct Kind {
  int type;
  bool real_in, real_out;
  Elem real = Elem::F32, complex = Elem::C32;
};
constexpr Kind kKinds[] = {{0x29, false, false},
                           {0x2a, true, false},
                           {0x2c, false, true},
                           {0x69, false, false, Elem::F64, Elem::C64},
                           {0x6a, true, false, Elem::F64, Elem::C64},
                           {0x6c, false, true, Elem::F64, Elem::C64}};
const Kind* kind_of(int type) {
  const auto* const found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.type == type; });
  return found == std::end(kKinds) ? nullptr : found;
}

// Where the elements of one side lie: of batch b at b * distance, then by dimension, the last one `stride` apart.
struct Layout {
  std::array<std::size_t, kMostDimensions> steps{};
  std::size_t distance = 0;
};

struct Plan {
  const Kind* kind = nullptr;
  std::array<std::size_t, kMostDimensions> sizes{1, 1,
                                                 1};  // dimensions that are not there come first, and are 1
  std::size_t batch = 1;
  std::optional<Layout> in, out;  // none: packed, and padded where both are one array
  StreamHandle stream = nullptr;
};

struct Plans {
  std::mutex mutex;
  std::map<int, Plan> all;
  int last = 0;
};
Plans& plans() {
  static Plans* const only = new Plans;
  return *only;
}

using Sizes = std::array<std::size_t, kMostDimensions>;

// A real side is as long as the transform, a complex one that belongs to it half as long and one more.
Sizes sizes_of_side(const Plan& plan, bool is_real) {
  Sizes sizes = plan.sizes;
  if (!is_real && (plan.kind->real_in || plan.kind->real_out)) sizes.back() = sizes.back() / 2 + 1;
  return sizes;
}

Layout packed(const Plan& plan, bool is_real, bool in_place) {
  Sizes rows = sizes_of_side(plan, is_real);
  if (is_real && in_place) rows.back() = 2 * (plan.sizes.back() / 2 + 1);
  return {{rows[1] * rows[2], rows[2], 1}, rows[0] * rows[1] * rows[2]};
}

// Elements of one side, by their numbers in the order of the dimensions.
class SideOfPlan {
 public:
  SideOfPlan(const Plan& plan, const Layout& layout, bool is_real, const void* at)
      : layout_(layout),
        sizes_(sizes_of_side(plan, is_real)),
        batch_(plan.batch),
        is_real_(is_real),
        type_(is_real ? plan.kind->real : plan.kind->complex),
        at_(at) {}

  [[nodiscard]] std::size_t count() const { return sizes_[0] * sizes_[1] * sizes_[2]; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

  std::vector<Complex> load(Arrays& arrays, std::size_t batch) const {
    std::vector<Complex> values;
    values.reserve(count());
    for_rows(batch, [&](const void* row, std::size_t elems, std::size_t step) {
      const std::vector<Complex> line = arrays.load<Complex>(matrix(row, elems, step));
      values.insert(values.end(), line.begin(), line.end());
    });
    return values;
  }
  void store(Arrays& arrays, std::size_t batch, const std::vector<Complex>& values) const {
    auto value = values.begin();
    for_rows(batch, [&](const void* row, std::size_t elems, std::size_t step) {
      const auto end = value + static_cast<std::ptrdiff_t>(elems);
      if (is_real_) {
        std::vector<double> line;
        for (auto each = value; each != end; ++each) line.push_back(each->real());
        arrays.store<double>(matrix(row, elems, step), line);
      } else {
        arrays.store<Complex>(matrix(row, elems, step), {value, end});
      }
      value = end;
    });
  }

 private:
  [[nodiscard]] Matrix matrix(const void* row, std::size_t elems, std::size_t step) const {
    const auto count = static_cast<std::int64_t>(elems);
    if (step == 1) return {row, count, 1, count, type_, false};
    return {row, 1, count, static_cast<std::int64_t>(step), type_, false};
  }
  // Rows that lie side by side are one.
  template <class Act>
  void for_rows(std::size_t batch, const Act& act) const {
    const auto* const start = static_cast<const std::byte*>(at_) + batch * layout_.distance * bytes_of(type_);
    const auto& steps = layout_.steps;
    if (steps[2] == 1 && steps[1] == sizes_[2] && steps[0] == sizes_[1] * sizes_[2])
      return act(start, count(), 1);
    for (std::size_t i = 0; i < sizes_[0]; ++i)
      for (std::size_t j = 0; j < sizes_[1]; ++j)
        act(start + (i * steps[0] + j * steps[1]) * bytes_of(type_), sizes_[2], steps[2]);
  }

  Layout layout_;
  Sizes sizes_;
  std::size_t batch_;
  bool is_real_;
  Elem type_;
  const void* at_;
};

// All lines along one dimension.
void transform_along(std::vector<Complex>& values, const Sizes& sizes, std::size_t dimension,
                     const LineTransform& transform) {
  std::size_t step = 1;
  for (std::size_t d = dimension + 1; d < kMostDimensions; ++d) step *= sizes[d];
  const std::size_t length = sizes[dimension];
  std::vector<Complex> line(length);
  for (std::size_t first = 0; first < values.size(); first += step * length) {
    for (std::size_t k = 0; k < step; ++k) {
      for (std::size_t j = 0; j < length; ++j) line[j] = values[first + k + j * step];
      transform(line);
      for (std::size_t j = 0; j < length; ++j) values[first + k + j * step] = line[j];
    }
  }
}

// The first half of each line, which says all of it where the values in the other domain are real.
std::vector<Complex> halved(const std::vector<Complex>& values, std::size_t length) {
  std::vector<Complex> half;
  for (std::size_t row = 0; row < values.size(); row += length)
    half.insert(half.end(), values.begin() + static_cast<std::ptrdiff_t>(row),
                values.begin() + static_cast<std::ptrdiff_t>(row + length / 2 + 1));
  return half;
}
std::vector<Complex> unfolded(const std::vector<Complex>& half, std::size_t length) {
  std::vector<Complex> values;
  for (std::size_t row = 0; row < half.size(); row += length / 2 + 1) {
    for (std::size_t k = 0; k < length; ++k)
      values.push_back(k <= length / 2 ? half[row + k] : std::conj(half[row + length - k]));
    for (const std::size_t own : {std::size_t{0}, length % 2 == 0 ? length / 2 : 0})  // their own conjugates
      values[values.size() - length + own].imag(0);
  }
  return values;
}

void run(const Plan& plan, int direction, const void* from, const void* to, Arrays& arrays) {
  const bool in_place = from == to;
  const Kind& kind = *plan.kind;
  const SideOfPlan in(plan, plan.in.value_or(packed(plan, kind.real_in, in_place)), kind.real_in, from);
  const SideOfPlan out(plan, plan.out.value_or(packed(plan, kind.real_out, in_place)), kind.real_out, to);
  std::vector<LineTransform> transforms;
  for (const std::size_t size : plan.sizes) transforms.emplace_back(size, direction);
  std::vector<std::vector<Complex>> results;
  for (std::size_t b = 0; b < plan.batch; ++b) {
    std::vector<Complex> values = in.load(arrays, b);
    for (std::size_t d = 0; d + 1 < kMostDimensions; ++d)
      if (plan.sizes[d] > 1) transform_along(values, in.sizes(), d, transforms[d]);
    if (kind.real_out) values = unfolded(values, plan.sizes.back());
    transform_along(values, plan.sizes, kMostDimensions - 1, transforms.back());
    results.push_back(kind.real_in ? halved(values, plan.sizes.back()) : std::move(values));
  }
  for (std::size_t b = 0; b < plan.batch; ++b)
    out.store(arrays, b, results[b]);  // batches may share rows of an array
}

template <class Body>
int with_plan(int handle, const Body& body) {
  Plans& known = plans();
  const std::lock_guard lock(known.mutex);
  const auto found = known.all.find(handle);
  return found == known.all.end() ? kInvalidPlan : body(found->second);
}

int execute(const char* call, int handle, int type, int direction, const void* from, void* to) {
  Plan plan;
  const int known = with_plan(handle, [&](const Plan& one) {
    plan = one;
    return one.kind == nullptr ? kInvalidPlan : one.kind->type != type ? kInvalidType : 0;
  });
  if (known != 0) return known;
  if (from == nullptr || to == nullptr || (direction != kForward && direction != kInverse))
    return kInvalidArgument;
  return library_call(call, plan.stream, false,
                      [=](Arrays& arrays) { run(plan, direction, from, to, arrays); },
                      {kExecFailed, kExecFailed, kTooNew});
}

// cufftPlanMany's description of a side; no embedding: packed.
template <class Integer>
std::optional<Layout> layout_of(const Integer* embed, std::size_t rank, Integer stride, Integer distance) {
  if (embed == nullptr) return std::nullopt;
  Layout layout;
  layout.distance = static_cast<std::size_t>(distance);
  std::size_t step = static_cast<std::size_t>(stride);
  for (std::size_t d = kMostDimensions; d-- > 0;) {
    layout.steps.at(d) = step;
    const std::size_t own = d - (kMostDimensions - rank);
    if (d > kMostDimensions - rank) step *= static_cast<std::size_t>(embed[own]);
  }
  return layout;
}

template <class Integer>
int make(int handle, int rank, const Integer* sizes, const Integer* in_embed, Integer in_stride,
         Integer in_distance, const Integer* out_embed, Integer out_stride, Integer out_distance, int type,
         Integer batch, std::size_t* work_bytes) {
  return with_plan(handle, [&](Plan& plan) {
    if (plan.kind != nullptr) return kInvalidPlan;  // it is made already
    const Kind* const kind = kind_of(type);
    if (kind == nullptr) return kInvalidType;
    if (rank < 1 || rank > static_cast<int>(kMostDimensions) || sizes == nullptr || work_bytes == nullptr)
      return kInvalidArgument;
    if (batch < 1 || std::any_of(sizes, sizes + rank, [](Integer n) { return n < 1; })) return kInvalidSize;
    const bool embedded = in_embed != nullptr && out_embed != nullptr;
    if (embedded && (in_stride < 1 || out_stride < 1 || in_distance < 0 || out_distance < 0))
      return kInvalidArgument;
    const auto dimensions = static_cast<std::size_t>(rank);
    std::copy(sizes, sizes + rank, plan.sizes.end() - rank);
    plan.batch = static_cast<std::size_t>(batch);
    plan.in = layout_of(embedded ? in_embed : nullptr, dimensions, in_stride, in_distance);
    plan.out = layout_of(embedded ? out_embed : nullptr, dimensions, out_stride, out_distance);
    plan.kind = kind;
    *work_bytes = 0;
    return 0;
  });
}

int make_packed(int handle, std::initializer_list<int> sizes, int type, int batch, std::size_t* work_bytes) {
  return make<int>(handle, static_cast<int>(sizes.size()), sizes.begin(), nullptr, 1, 0, nullptr, 1, 0, type,
                   batch, work_bytes);
}

int create(int* handle) {
  if (handle == nullptr) return kInvalidArgument;
  Plans& known = plans();
  const std::lock_guard lock(known.mutex);
  *handle = ++known.last;
  known.all[*handle];
  return 0;
}

// A plan is made, or there is none.
template <class Make>
int create_and(int* handle, const Make& make_it) {
  if (const int code = create(handle); code != 0) return code;
  std::size_t work_bytes = 0;
  const int code = make_it(*handle, &work_bytes);
  if (code == 0) return 0;
  const std::lock_guard lock(plans().mutex);
  plans().all.erase(*handle);
  return code;
}

int no_work(std::size_t* work_bytes) {
  if (work_bytes == nullptr) return kInvalidArgument;
  *work_bytes = 0;
  return 0;
}

}  // namespace
}  // namespace lab::cudart

LAB_ENTRY int cufftCreate(int* handle) { return create(handle); }
LAB_ENTRY int cufftDestroy(int handle) {
  const std::lock_guard lock(plans().mutex);
  return plans().all.erase(handle) == 0 ? kInvalidPlan : 0;
}
LAB_ENTRY int cufftPlan1d(int* handle, int nx, int type, int batch) {
  return create_and(handle,
                    [&](int made, std::size_t* work) { return make_packed(made, {nx}, type, batch, work); });
}
LAB_ENTRY int cufftPlan2d(int* handle, int nx, int ny, int type) {
  return create_and(handle, [&](int made, std::size_t* work) {
    return make_packed(made, {nx, ny}, type, 1, work);
  });
}
LAB_ENTRY int cufftPlan3d(int* handle, int nx, int ny, int nz, int type) {
  return create_and(handle, [&](int made, std::size_t* work) {
    return make_packed(made, {nx, ny, nz}, type, 1, work);
  });
}
LAB_ENTRY int cufftPlanMany(int* handle, int rank, int* sizes, int* in_embed, int in_stride, int in_distance,
                            int* out_embed, int out_stride, int out_distance, int type, int batch) {
  return create_and(handle, [&](int made, std::size_t* work) {
    return make<int>(made, rank, sizes, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                     type, batch, work);
  });
}
LAB_ENTRY int cufftMakePlan1d(int handle, int nx, int type, int batch, std::size_t* work) {
  return make_packed(handle, {nx}, type, batch, work);
}
LAB_ENTRY int cufftMakePlan2d(int handle, int nx, int ny, int type, std::size_t* work) {
  return make_packed(handle, {nx, ny}, type, 1, work);
}
LAB_ENTRY int cufftMakePlan3d(int handle, int nx, int ny, int nz, int type, std::size_t* work) {
  return make_packed(handle, {nx, ny, nz}, type, 1, work);
}
LAB_ENTRY int cufftMakePlanMany(int handle, int rank, int* sizes, int* in_embed, int in_stride,
                                int in_distance, int* out_embed, int out_stride, int out_distance, int type,
                                int batch, std::size_t* work) {
  return make<int>(handle, rank, sizes, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                   type, batch, work);
}
LAB_ENTRY int cufftMakePlanMany64(int handle, int rank, long long* sizes, long long* in_embed,
                                  long long in_stride, long long in_distance, long long* out_embed,
                                  long long out_stride, long long out_distance, int type, long long batch,
                                  std::size_t* work) {
  return make<long long>(handle, rank, sizes, in_embed, in_stride, in_distance, out_embed, out_stride,
                         out_distance, type, batch, work);
}
LAB_ENTRY int cufftSetStream(int handle, StreamHandle stream) {
  return with_plan(handle, [&](Plan& plan) { return plan.stream = stream, 0; });
}
LAB_ENTRY int cufftSetAutoAllocation(int handle, int /*automatic*/) {
  return with_plan(handle, [](Plan&) { return 0; });
}
LAB_ENTRY int cufftSetWorkArea(int handle, void* /*area*/) {
  return with_plan(handle, [](Plan&) { return 0; });
}
LAB_ENTRY int cufftGetVersion(int* version) {
  constexpr int kVersion = 12000;
  if (version == nullptr) return kInvalidArgument;
  *version = kVersion;
  return 0;
}
LAB_ENTRY int cufftGetProperty(int which, int* value) {
  constexpr int kVersion[] = {12, 0, 0};
  if (value == nullptr || which < 0 || which > 2) return kInvalidArgument;
  *value = kVersion[which];
  return 0;
}
LAB_ENTRY int cufftGetSize(int handle, std::size_t* work) {
  return with_plan(handle, [&](Plan&) { return no_work(work); });
}
LAB_ENTRY int cufftEstimate1d(int, int, int, std::size_t* work) { return no_work(work); }
LAB_ENTRY int cufftEstimate2d(int, int, int, std::size_t* work) { return no_work(work); }
LAB_ENTRY int cufftEstimate3d(int, int, int, int, std::size_t* work) { return no_work(work); }
LAB_ENTRY int cufftEstimateMany(int, int*, int*, int, int, int*, int, int, int, int, std::size_t* work) {
  return no_work(work);
}
LAB_ENTRY int cufftGetSize1d(int, int, int, int, std::size_t* work) { return no_work(work); }
LAB_ENTRY int cufftGetSize2d(int, int, int, int, std::size_t* work) { return no_work(work); }
LAB_ENTRY int cufftGetSize3d(int, int, int, int, int, std::size_t* work) { return no_work(work); }
LAB_ENTRY int cufftGetSizeMany(int, int, int*, int*, int, int, int*, int, int, int, int, std::size_t* work) {
  return no_work(work);
}

LAB_ENTRY int cufftExecC2C(int handle, void* from, void* to, int direction) {
  return execute("cufftExecC2C", handle, 0x29, direction, from, to);
}
LAB_ENTRY int cufftExecZ2Z(int handle, void* from, void* to, int direction) {
  return execute("cufftExecZ2Z", handle, 0x69, direction, from, to);
}
LAB_ENTRY int cufftExecR2C(int handle, void* from, void* to) {
  return execute("cufftExecR2C", handle, 0x2a, kForward, from, to);
}
LAB_ENTRY int cufftExecC2R(int handle, void* from, void* to) {
  return execute("cufftExecC2R", handle, 0x2c, kInverse, from, to);
}
LAB_ENTRY int cufftExecD2Z(int handle, void* from, void* to) {
  return execute("cufftExecD2Z", handle, 0x6a, kForward, from, to);
}
LAB_ENTRY int cufftExecZ2D(int handle, void* from, void* to) {
  return execute("cufftExecZ2D", handle, 0x6c, kInverse, from, to);
}
