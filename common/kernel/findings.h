// Causes that a student can name, and what he says: data of a kernel file, as launch_shape.h has it.
//
// Enters: findings.cuh includes it for kernels, the judge to read the bytes back. Leaves: one list of causes
// for the chapters 17 and 18. Numbers stay: seals of answers are made from them (tests/chapters/findings.h).
#pragma once

namespace lab {

constexpr int kFindingVersion = 1;

enum class Cause : int {
  kNotSaid = 0,
  // What a profiler shows (chapter 17).
  kStridedLoads = 1,      // neighbouring lanes load far apart in global memory
  kStridedStores = 2,     // neighbouring lanes store far apart
  kBankConflicts = 3,     // lanes of a request meet in a bank of shared memory
  kNarrowAccesses = 4,    // each lane moves few bytes: many requests for the same sectors
  kIdleLanes = 5,         // most lanes of a request do nothing
  kGlobalAtomics = 6,     // an atomic in global memory for each element
  kAtomicsOnOneWord = 7,  // lanes of a request change one word, one after the other
  kLocalMemory = 8,       // an array of each thread lies in memory
  kLoadedAgain = 9,       // the same elements are loaded several times
  kMisaligned = 10,       // each request begins inside a sector, and touches one more
  kNothingWasted = 11,    // what this work needs, and no more
  // What is wrong in a source (chapter 18), in the order of the alphabet.
  kBarrierInBranch = 20,     // a barrier that some threads do not reach
  kIndexOverflow = 21,       // an index does not fit into 32 bits
  kMisalignedAccess = 22,    // a wide access does not start at a multiple of its size
  kMissingBarrier = 23,      // nothing orders a store and a load of several warps
  kMissingSyncwarp = 24,     // the same inside a warp, which does not run in step
  kNotOneToOne = 25,         // two go to one place, and none to another
  kPaddingNotIndexed = 26,   // the array is padded, the index does not know it
  kPaddingOfWrongAxis = 27,  // one more row, where one more column was meant
  kReadBeforeArrival = 28,   // an asynchronous copy is read before it has come
  kSwappedBounds = 29,       // a guard compares rows with columns
  kUninitialised = 30,       // memory is read that was never written
  kWrongPitch = 31,          // a row is taken to be longer or shorter than it is
};

struct Finding {
  int version = kFindingVersion;
  int line = 0;  // the letter behind it: 'c'; of a table's row (chapter 17)
  Cause cause = Cause::kNotSaid;
  // Where nothing is wasted no row shows it.
  [[nodiscard]] constexpr bool says_something() const {
    return cause == Cause::kNothingWasted || (cause != Cause::kNotSaid && line != 0);
  }
};

static_assert(sizeof(Finding) == 3 * sizeof(int));

}  // namespace lab
