// The questions that a chapter can ask before the first run, and the words for them.
#include "common/judge/predictions.h"

namespace lab::judge {
namespace {

constexpr Question kQuestions[] = {
    {"global_load_sectors_per_request", &Predictions::global_load_sectors_per_request,
     "One warp loads from global memory once. How many sectors of 32 bytes does that touch?"},
    {"global_store_sectors_per_request", &Predictions::global_store_sectors_per_request,
     "One warp stores to global memory once. How many sectors of 32 bytes does that touch?"},
    {"shared_load_wavefronts_per_request", &Predictions::shared_load_wavefronts_per_request,
     "One warp loads from the tile in shared memory once. How many wavefronts does that take?"},
    {"shared_store_wavefronts_per_request", &Predictions::shared_store_wavefronts_per_request,
     "One warp stores to the tile in shared memory once. How many wavefronts does that take?"},
    {"global_load_sectors", &Predictions::global_load_sectors,
     "All global loads of the whole launch, 1024 × 1024 floats: how many sectors?"},
    {"global_store_sectors", &Predictions::global_store_sectors,
     "All global stores of the whole launch, 1024 × 1024 floats: how many sectors?"},
    {"shared_load_wavefronts", &Predictions::shared_load_wavefronts,
     "All loads from the tile, 1024 × 1024 floats: how many wavefronts?"},
    {"shared_store_wavefronts", &Predictions::shared_store_wavefronts,
     "All stores to the tile, 1024 × 1024 floats: how many wavefronts?"},
    {"loaded_bytes_at_once_per_thread", &Predictions::loaded_bytes_at_once_per_thread,
     "How many bytes of global memory has a thread asked for before it waits for the first of them?"},
    {"link_store_sectors", &Predictions::link_store_sectors,
     "1024 × 1024 floats on two GPUs: how many sectors does one GPU store to the other?"},
    {"link_bytes_per_store", &Predictions::link_bytes_per_store,
     "One warp stores to the other GPU once. How many bytes does the link carry for that, protocol "
     "included?"},
};
static_assert(sizeof(Predictions) == (1 + std::size(kQuestions)) * sizeof(int), "a field without a question");

}  // namespace

std::span<const Question> all_questions() { return kQuestions; }

}  // namespace lab::judge
