// The numbers that a chapter can ask for before the first run.
#include "common/course/judge/predictions.h"

namespace lab::judge {
namespace {

constexpr Question kQuestions[] = {
    {"global_load_sectors_per_request", &Predictions::global_load_sectors_per_request},
    {"global_store_sectors_per_request", &Predictions::global_store_sectors_per_request},
    {"shared_load_wavefronts_per_request", &Predictions::shared_load_wavefronts_per_request},
    {"shared_store_wavefronts_per_request", &Predictions::shared_store_wavefronts_per_request},
    {"global_load_sectors", &Predictions::global_load_sectors},
    {"global_store_sectors", &Predictions::global_store_sectors},
    {"shared_load_wavefronts", &Predictions::shared_load_wavefronts},
    {"shared_store_wavefronts", &Predictions::shared_store_wavefronts},
    {"loaded_bytes_at_once_per_thread", &Predictions::loaded_bytes_at_once_per_thread},
    {"link_store_sectors", &Predictions::link_store_sectors},
    {"link_bytes_per_store", &Predictions::link_bytes_per_store},
};
static_assert(sizeof(Predictions) == (1 + std::size(kQuestions)) * sizeof(int), "a field without a question");

}  // namespace

std::span<const Question> all_questions() { return kQuestions; }

}  // namespace lab::judge
