// Sums of counters, and the way from a path to its member.
//
// Enters and leaves: counters.
#include "common/sim/observe/counters.h"

namespace lab::sim {
namespace {

// Calls `visit` with the member of `path`.
template <class C, class Visit>
auto with_member(C& c, Path path, const Visit& visit) {
  switch (path) {
    case Path::GlobalLoad:
      return visit(c.global_load);
    case Path::GlobalStore:
      return visit(c.global_store);
    case Path::SharedLoad:
      return visit(c.shared_load);
    case Path::SharedStore:
      return visit(c.shared_store);
    case Path::GlobalAtomic:
      return visit(c.global_atomic);
    case Path::SharedAtomic:
      return visit(c.shared_atomic);
    case Path::LocalLoad:
      return visit(c.local_load);
    case Path::LocalStore:
      return visit(c.local_store);
    case Path::GlobalAsync:
      return visit(c.global_async);
    case Path::SharedAsync:
      return visit(c.shared_async);
    case Path::GlobalBulkLoad:
      return visit(c.global_bulk_load);
    case Path::SharedBulkStore:
      return visit(c.shared_bulk_store);
    case Path::SharedBulkLoad:
      return visit(c.shared_bulk_load);
    case Path::GlobalBulkStore:
      return visit(c.global_bulk_store);
    case Path::GlobalBulkReduce:
      return visit(c.global_bulk_reduce);
    case Path::SharedMatrixLoad:
      return visit(c.shared_matrix_load);
    case Path::SharedMatrixStore:
      return visit(c.shared_matrix_store);
    case Path::SharedProductLoad:
      return visit(c.shared_product_load);
    case Path::ClusterLoad:
      return visit(c.cluster_load);
    case Path::ClusterStore:
      return visit(c.cluster_store);
    case Path::ClusterAtomic:
      return visit(c.cluster_atomic);
    case Path::ClusterBulkStore:
      return visit(c.cluster_bulk_store);
    case Path::ConstantLoad:
      return visit(c.constant_load);
    case Path::LinkLoad:
      return visit(c.link_load);
    case Path::LinkStore:
      return visit(c.link_store);
    case Path::LinkAtomic:
      return visit(c.link_atomic);
    default:
      return visit(c.parameter_load);
  }
}

struct ToRow {
  PathCounters operator()(const GlobalCounters& g) const {
    return {g.requests, g.sectors, g.ideal_sectors, g.active_lanes, g.bytes};
  }
  PathCounters operator()(const SharedCounters& s) const {
    return {s.requests, s.wavefronts, s.ideal_wavefronts, s.active_lanes, s.bytes};
  }
  PathCounters operator()(const FreeCounters& f) const { return {f.requests, 0, 0, f.active_lanes, f.bytes}; }
};

struct Add {
  const PathCounters& more;
  void operator()(GlobalCounters& g) const {
    g += GlobalCounters{more.requests, more.cost, more.ideal, more.active_lanes, more.bytes};
  }
  void operator()(SharedCounters& s) const {
    s += SharedCounters{more.requests, more.cost, more.ideal, more.active_lanes, more.bytes};
  }
  void operator()(FreeCounters& f) const { f += FreeCounters{more.requests, more.active_lanes, more.bytes}; }
};

PathCounters total(const Counters& counters, Space space) {
  PathCounters sum;
  for (const PathInfo& row : kPathTable) {
    if (row.weighs == space && !is_part(row.path)) sum += counters_of(counters, row.path);
  }
  return sum;
}

}  // namespace

PathCounters& PathCounters::operator+=(const PathCounters& other) {
  requests += other.requests;
  cost += other.cost;
  ideal += other.ideal;
  active_lanes += other.active_lanes;
  bytes += other.bytes;
  return *this;
}

GlobalCounters& GlobalCounters::operator+=(const GlobalCounters& other) {
  requests += other.requests;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  active_lanes += other.active_lanes;
  bytes += other.bytes;
  return *this;
}

SharedCounters& SharedCounters::operator+=(const SharedCounters& other) {
  requests += other.requests;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  active_lanes += other.active_lanes;
  bytes += other.bytes;
  return *this;
}

FreeCounters& FreeCounters::operator+=(const FreeCounters& other) {
  requests += other.requests;
  active_lanes += other.active_lanes;
  bytes += other.bytes;
  return *this;
}

PathCounters counters_of(const Counters& counters, Path path) { return with_member(counters, path, ToRow{}); }

std::uint64_t profiler_value(const Counters& counters, Path path) {
  std::uint64_t value = counters_of(counters, path).cost;
  if (info(path).space != Space::Shared) return value;
  for (const PathInfo& row : kPathTable)
    if (row.part_of == path && row.path != path) value -= counters_of(counters, row.path).cost;
  return value;
}

void add(Counters& counters, Path path, const PathCounters& more) { with_member(counters, path, Add{more}); }

Counters& Counters::operator+=(const Counters& other) {
  for (const PathInfo& row : kPathTable) add(*this, row.path, counters_of(other, row.path));
  return *this;
}

GlobalCounters Counters::global_total() const {
  GlobalCounters sum;
  Add{total(*this, Space::Global)}(sum);
  return sum;
}

SharedCounters Counters::shared_total() const {
  SharedCounters sum;
  Add{total(*this, Space::Shared)}(sum);
  return sum;
}

}  // namespace lab::sim
