// Sums of counters.
//
// Enters and leaves: counters.
#include "common/sim/observe/counters.h"

namespace lab::sim {

GlobalCounters& GlobalCounters::operator+=(const GlobalCounters& other) {
  requests += other.requests;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  active_lanes += other.active_lanes;
  return *this;
}

SharedCounters& SharedCounters::operator+=(const SharedCounters& other) {
  requests += other.requests;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  active_lanes += other.active_lanes;
  return *this;
}

Counters& Counters::operator+=(const Counters& other) {
  global_load += other.global_load;
  global_store += other.global_store;
  global_atomic += other.global_atomic;
  local_load += other.local_load;
  local_store += other.local_store;
  shared_load += other.shared_load;
  shared_store += other.shared_store;
  shared_atomic += other.shared_atomic;
  return *this;
}

}  // namespace lab::sim
