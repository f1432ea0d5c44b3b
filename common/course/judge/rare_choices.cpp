// Shapes and blocks that are decided about otherwise. See rare_choices.h.
#include "common/course/judge/rare_choices.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "common/course/judge/decision_probe.h"
#include "common/course/judge/sample_trial.h"
#include "common/course/judge/subject.h"
#include "common/sim/decode/shape_choices.h"

namespace lab::judge {
namespace {

// What can be chosen: both sides, a block, and how much longer the rows of `out` and of `in` are than what they hold.
enum Variable : std::size_t { kRowsOf, kColsOf, kX, kY, kMoreOut, kMoreIn, kVariables };
using Place = std::array<std::int64_t, kVariables>;

class Search {
  static constexpr std::uint64_t kPlaces = 4096, kRare = 16;  // of these one in so many, or fewer
  static constexpr std::uint64_t kProbed = 8192,
                                 kProbedAgain = 1024;  // of those that run; of further kernels of a file
  static constexpr std::uint64_t kStarts = 24;         // from which equalities are solved
  static constexpr std::int64_t kMostSide = 8192, kMostSolved = 1'000'000, kMostOfGridY = 65'535;
  static constexpr std::int64_t kPack = 4;           // elements
  static constexpr std::int64_t kWidestStep = 4096;  // a power of two, as quotients of places are
  static constexpr double kMostElems = 16e9;
  static constexpr std::size_t kOfChoice = 2, kMost = 16, kMostBlocks = 64, kMostWhole = 4;

 public:
  Search(const sim::ptx::Module& module, const sim::ptx::Function& text, const LaunchShape& shape,
         const Problem& like, int row_bytes, const InputKey& key, bool again)
      : choices_(module, text),
        probe_(module, text.name, shape),
        probed_(again ? kProbedAgain : kProbed),
        shape_(shape),
        like_(like),
        row_bytes_(row_bytes),
        key_(key) {}

  // `asked`: shapes of which everything is asked anyway.
  std::vector<RareChoice> all(const std::vector<Problem>& asked) {
    if (choices_.count() + probe_.count() == 0) return {};
    std::vector<Found> found(choices_.count());
    std::vector<bool> ways;
    for (std::uint64_t k = 0; k < kPlaces; ++k) {
      const Place place = drawn(k);
      choices_.ways(launch(place), ways);
      const Problem p = problem_of(place);
      for (std::size_t c = 0; c < ways.size(); ++c)
        found[c].note(ways[c], place, shows(p) == kShows, is_mostly_whole(p));
    }
    for (std::uint64_t k = 0; k < kStarts; ++k) starts_.push_back(drawn(kPlaces + k));
    // Where an equality holds, others may be decided otherwise that ask for it, too.
    for (std::size_t c = 0; c < found.size(); ++c) {
      std::vector<Place> places;
      if (choices_.is_equality(c)) solve(c, found[c].rare_way(), places, kStarts);
      for (const Place& place : places) {
        choices_.ways(launch(place), ways);
        for (std::size_t other = 0; other < ways.size(); ++other)
          found[other].note(ways[other], place, false, false);
      }
    }
    found.resize(choices_.count() + 2 * probe_.count());
    std::vector<std::array<int, 2>> met(found.size());
    const auto note_met = [&](const Problem& p, std::size_t c, bool way) {
      met[c][way] += shows(p);
      if (is_mostly_whole(p)) found[c].whole[way].reset();
    };
    for (const Problem& p : asked) {
      choices_.ways(launch(place_of(p)), ways);
      for (std::size_t c = 0; c < ways.size(); ++c) note_met(p, c, ways[c]);
    }
    const std::uint64_t probed = probe(found, asked, note_met);
    note_more(found, probed);
    const auto is_tried = [&](std::size_t c) {
      const std::uint64_t rarest = found[c].rarest();
      const bool is_new = !by_block(c) && rarest != 0 && met[c][found[c].rare_way()] < kShows;
      return is_new || rarest <= (is_probed(c) ? probed : kPlaces) / kRare;
    };
    std::vector<std::size_t> order(found.size());  // the rarest first
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return found[a].rarest() < found[b].rarest(); });
    std::vector<RareChoice> rare;
    for (const bool mixes : {false, true})
      for (const std::size_t c : order) {
        const bool way = found[c].rare_way();
        if (!is_tried(c)) continue;
        std::vector<Place>& places = found[c].first[way];
        if (mixes && (is_probed(c) || !places.empty())) continue;
        if (mixes)
          mix(c, way, rare, places);
        else if (!is_probed(c) && places.size() < kOfChoice)
          solve(c, way, places);
        for (const Place& place : places) add(place, by_block(c), rare);
      }
    const std::size_t most = rare.size() + kMostWhole;
    for (const std::size_t c : order)
      if (const std::optional<Place>& place = found[c].whole[found[c].rare_way()];
          place && !by_block(c) && rare.size() < most)
        rare.push_back({problem_of(*place), 0, 0, false});
    return rare;
  }

 private:
  struct Found {
    std::array<std::uint64_t, 2> seen{};
    std::array<std::vector<Place>, 2> first;
    [[nodiscard]] bool rare_way() const { return seen[1] < seen[0]; }
    [[nodiscard]] std::uint64_t rarest() const { return seen[rare_way()]; }
    std::array<bool, 2> has_shown{};
    std::array<std::optional<Place>, 2> whole;  // where bounds of costs are tightest
    // The first places of each way; the last of them is one that shows all costs, where there is one.
    void note(bool way, const Place& place, bool shows_all, bool mostly_whole) {
      ++seen[way];
      if (mostly_whole && !whole[way]) whole[way] = place;
      keep(way, place, shows_all);
    }
    void keep(bool way, const Place& place, bool shows_all) {
      const bool is_better = shows_all && !has_shown[way];
      if (first[way].size() == kOfChoice && is_better) first[way].pop_back();
      if (first[way].size() == kOfChoice) return;
      first[way].push_back(place);
      has_shown[way] |= shows_all;
    }
  };

  // What a shape shows of the costs there: those of wide rows are bounded best.
  static constexpr int kShows = 4;
  [[nodiscard]] static int shows(const Problem& p) {
    constexpr std::int64_t kLeast = 64;
    if (std::min(p.rows, p.cols) < kLeast || p.rows * p.cols > kMostEver) return 0;
    return p.has_whole_packs() ? kShows : 1;
  }
  // Whether an edge cuts hardly any tile: each side has 7 of 8 tiles whole.
  [[nodiscard]] bool is_mostly_whole(const Problem& p) const {
    constexpr std::int64_t kMostly = 7;
    const auto is_whole = [](std::int64_t side, std::int64_t tile) {
      return tile > 0 && 8 * (side / tile) >= kMostly * ((side + tile - 1) / tile);
    };
    return shows(p) == kShows && is_whole(p.rows, shape_.tile.rows) && is_whole(p.cols, shape_.tile.cols);
  }
  // What goes one way at few shapes may do so where little is asked: further ones are looked for among those that show
  // all costs.
  void note_more(std::vector<Found>& found, std::uint64_t probed) {
    constexpr std::int64_t kStep = 32, kSteps = 61;
    const auto lacks = [&](std::size_t c) {
      const std::uint64_t rarest = found[c].rarest();
      return !by_block(c) && rarest != 0 && rarest <= (is_probed(c) ? probed : kPlaces) / kRare &&
             !found[c].has_shown[found[c].rare_way()];
    };
    std::vector<std::size_t> lacking;
    for (std::size_t c = 0; c < found.size(); ++c)
      if (lacks(c)) lacking.push_back(c);
    if (lacking.empty()) return;
    std::vector<Place> places;
    std::vector<sim::ShapePlace> launches;
    for (std::uint64_t k = 0; k < kPlaces; ++k) {
      Place place = drawn(kPlaces + kStarts + kProbed + k);
      for (const Variable side : {kRowsOf, kColsOf})
        place[side] = std::max(2 * kStep,
                               k % 2 == 0 ? place[side] / kStep * kStep : (2 + place[side] % kSteps) * kStep);
      for (const Variable more : {kMoreOut, kMoreIn}) place[more] = place[more] / kPack * kPack;
      place[kX] = place[kY] = 0;
      if (!is_legal(place) || shows(problem_of(place)) < kShows) continue;
      places.push_back(place), launches.push_back(launch(place));
    }
    std::vector<bool> ways;
    std::vector<std::uint8_t> of_probe;
    const std::size_t done = is_probed(lacking.back()) ? probe_.run(launches, of_probe) : 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      choices_.ways(launches[k], ways);
      for (const std::size_t c : lacking) {
        const std::size_t at = c - choices_.count();
        const bool is_known = !is_probed(c) || k < done;
        const bool way =
            is_known && (is_probed(c) ? (of_probe[k * probe_.count() + at / 2] >> at % 2 & 1) != 0 : ways[c]);
        if (is_known && way == found[c].rare_way()) found[c].keep(way, places[k], true);
      }
    }
  }
  [[nodiscard]] bool is_probed(std::size_t c) const { return c >= choices_.count(); }
  [[nodiscard]] bool by_block(std::size_t c) const {
    return is_probed(c) ? probe_.by_block((c - choices_.count()) / 2) : choices_.by_block(c);
  }
  // Of how many places it is known. Each decision is asked for twice: whether it holds for a lane, and whether it
  // does not.
  template <class NoteMet>
  std::uint64_t probe(std::vector<Found>& found, const std::vector<Problem>& asked, const NoteMet& note_met) {
    const std::size_t decisions = probe_.count();
    std::vector<Place> places;
    for (const Problem& p : asked) places.push_back(place_of(p));
    for (std::uint64_t k = 0; k < probed_ && decisions != 0; ++k) {
      const Place far = 4 * k < 3 * probed_ ? Place() : drawn(kPlaces + kStarts + k, true);
      places.push_back(is_legal(far) ? far : drawn(kPlaces + kStarts + k));
    }
    std::vector<sim::ShapePlace> launches;
    for (const Place& place : places) launches.push_back(launch(place));
    std::vector<std::uint8_t> ways;
    const std::size_t done = decisions == 0 ? 0 : probe_.run(launches, ways);
    if (done <= asked.size()) return 0;
    const std::uint64_t known = done - asked.size();
    std::vector<std::uint64_t> held(2 * decisions);
    for (std::size_t at = asked.size() * decisions; at < done * decisions; ++at)
      held[2 * (at % decisions)] += ways[at] & 1, held[2 * (at % decisions) + 1] += ways[at] >> 1;
    for (std::size_t c = 0; c < held.size(); ++c) {
      const auto way = [&](std::size_t k) { return (ways[k * decisions + c / 2] >> c % 2 & 1) != 0; };
      Found& of = found[choices_.count() + c];
      const std::array<std::uint64_t, 2> seen = {known - held[c], held[c]};
      const bool rare = seen[1] < seen[0];
      if (seen[rare] == 0 || (probe_.by_block(c / 2) && seen[rare] > known / kRare)) continue;
      for (std::size_t k = asked.size(); k < done; ++k)
        if (const Problem p = problem_of(places[k]); way(k) == rare)
          of.note(rare, places[k], shows(p) == kShows, is_mostly_whole(p));
      of.seen = seen;
      for (std::size_t k = 0; k < asked.size(); ++k) note_met(asked[k], choices_.count() + c, way(k));
    }
    return known;
  }
  std::uint64_t draw(std::uint64_t place, std::int64_t what, std::int64_t of) const {
    return key_.draw({0x72617265, static_cast<std::int64_t>(place), what}) % static_cast<std::uint64_t>(of);
  }
  [[nodiscard]] Problem problem_of(const Place& place) const {
    Problem p = like_;
    p.rows = place[kRowsOf], p.cols = place[kColsOf];
    if (has_pitches())
      p.in_pitch_elems = p.cols + place[kMoreIn], p.out_pitch_elems = p.rows + place[kMoreOut];
    return p;
  }
  [[nodiscard]] static Place place_of(const Problem& p) {
    return {p.rows, p.cols, 0, 0, p.out_pitch() - p.rows, p.in_pitch() - p.cols};
  }
  // Sides of each length, every other a multiple of 4 or 32; and a block. `far`: with many blocks both ways.
  [[nodiscard]] Place drawn(std::uint64_t k, bool far = false) const {
    constexpr std::int64_t kFarther = 4, kLengths = 10;
    const std::int64_t kLeast = far ? 8 << kFarther : 8;
    const std::uint64_t bits = draw(k, 0, INT64_MAX);
    const std::int64_t step = bits % 2 == 0 ? 1 : bits % 4 == 1 ? 32 : 4;
    const auto side = [&](int shift) {
      const std::int64_t least = kLeast << (bits >> shift) % kLengths;
      const auto more = static_cast<std::int64_t>(bits >> (shift + 7)) % least;
      return std::min(far ? kMostSide << kFarther : kMostSide, std::max(step, (least + more) / step * step));
    };
    Problem p = like_;
    p.rows = side(3), p.cols = (bits >> 40) % 16 == 0 ? p.rows : side(25);
    p = with_rows_of({p}, row_bytes_, p.elem_bytes).front();
    const device::Dim3 grid = grid_of(shape_, p);
    const std::uint64_t block = draw(k, 1, INT64_MAX);
    Place place{p.rows, p.cols, static_cast<std::int64_t>(block % grid.x),
                static_cast<std::int64_t>((block >> 31) % grid.y)};
    if (has_pitches()) place[kMoreOut] = more(k, 2, p.rows), place[kMoreIn] = more(k, 3, p.cols);
    return place;
  }
  [[nodiscard]] bool has_pitches() const { return like_.in_pitch_elems != 0; }
  // Nothing, a few packs or any number more; as many as make packs of the row in three of four.
  [[nodiscard]] std::int64_t more(std::uint64_t k, std::int64_t what, std::int64_t side) const {
    constexpr std::int64_t kFew = 16, kMore = 64;
    const std::uint64_t bits = draw(k, what, INT64_MAX);
    const auto some = static_cast<std::int64_t>(bits >> 8);
    if (bits % 4 == 0) return some % kMore;
    return (bits % 4 == 1 ? some % kMore : some % kFew) / kPack * kPack + (kPack - side % kPack) % kPack;
  }
  [[nodiscard]] sim::ShapePlace launch(const Place& place) const {
    const Problem p = problem_of(place);
    const device::Dim3 grid = grid_of(shape_, p);
    sim::ShapePlace at;
    at.integers = {p.rows, p.cols, p.out_pitch(), p.in_pitch()};
    at.ntid = {static_cast<std::uint32_t>(shape_.block.x), static_cast<std::uint32_t>(shape_.block.y), 1};
    at.nctaid = {grid.x, grid.y, grid.z};
    at.ctaid = {static_cast<std::uint32_t>(place[kX]), static_cast<std::uint32_t>(place[kY]), 0};
    return at;
  }
  [[nodiscard]] bool is_legal(const Place& place) const {
    if (place[kRowsOf] < 1 || place[kColsOf] < 1 || *std::min_element(place.begin(), place.end()) < 0)
      return false;
    if (place[kRowsOf] > kMostSolved || place[kColsOf] > kMostSolved) return false;
    const Problem p = problem_of(place);
    const device::Dim3 grid = grid_of(shape_, p);
    return double(p.rows) * double(p.cols) <= kMostElems && grid.y <= kMostOfGridY && place[kX] < grid.x &&
           place[kY] < grid.y && with_rows_of({p}, row_bytes_, p.elem_bytes).front() == p;
  }
  // Both sides as long as the block needs.
  [[nodiscard]] Place with_room(Place place) const {
    const bool rows_along_y = shape_.block_x_walks == kCols;
    const std::int64_t tile_x = rows_along_y ? shape_.tile.cols : shape_.tile.rows,
                       tile_y = rows_along_y ? shape_.tile.rows : shape_.tile.cols;
    std::int64_t& along_x = place[rows_along_y ? kColsOf : kRowsOf];
    std::int64_t& along_y = place[rows_along_y ? kRowsOf : kColsOf];
    along_x = std::max(along_x, (place[kX] + 2) * tile_x);
    along_y = std::max(along_y, (place[kY] + 2) * tile_y);
    return place;
  }

  // With room for its block it is a place, and the decision goes that way.
  bool leads_there(std::size_t choice, bool way, Place place) {
    if (*std::min_element(place.begin(), place.end()) < 0) return false;
    if (*std::max_element(place.begin(), place.end()) > kMostSolved) return false;
    place = with_room(place);
    return choices_.way(choice, launch(place)) == way && is_legal(place);
  }

  // Where the left side less the right side is a multiple of what one more of a variable makes; the other side, or
  // number of the block, goes on until it is.
  void solve(std::size_t choice, bool way, std::vector<Place>& places, std::size_t most = kOfChoice) {
    // Others than equalities hold at many places, or at none.
    const bool equal = choices_.is_equality(choice);
    const std::int64_t steps = equal ? 32 : 1;
    const std::uint64_t starts = equal ? kStarts : kStarts / 4;
    for (std::uint64_t k = 0; k < starts * kVariables && places.size() < most; ++k) {
      const std::size_t variable = k % kVariables;
      const Place start = starts_[k / kVariables];
      const std::optional<std::int64_t> from = choices_.distance(choice, launch(start));
      if (!from) return;
      std::int64_t step = 1, slope = 0;  // of a quotient a wide step changes something
      for (; step <= (equal ? kWidestStep : 1); step *= kWidestStep) {
        Place next = start;
        next[variable] += step;
        slope = *choices_.distance(choice, launch(next)) - *from;
        if (slope != 0) break;
      }
      for (std::int64_t more = 0; slope != 0 && more < steps; ++more) {
        Place place = start;
        place[variable ^ 1] += more;
        const std::int64_t before = *choices_.distance(choice, launch(place));
        const std::int64_t other_bits = place[variable] ^ before;  // of an exclusive or
        std::int64_t ahead = 0;
        const bool divides = !__builtin_mul_overflow(before, step, &ahead) && ahead % slope == 0;
        if (divides) place[variable] -= ahead / slope;
        if (divides && leads_there(choice, way, place)) {
          places.push_back(with_room(place));
          break;
        }
        place = start;
        place[variable] = other_bits;
        if (more != 0 || !leads_there(choice, way, place)) continue;
        places.push_back(with_room(place));
        break;
      }
    }
  }

  // One side of one rare place, the other side and the block of others: for decisions that ask for both.
  void mix(std::size_t choice, bool way, const std::vector<RareChoice>& rare, std::vector<Place>& places) {
    constexpr std::uint64_t kTries = 512;
    for (std::uint64_t k = 0; !rare.empty() && k < kTries && places.empty(); ++k) {
      const auto one = [&](std::int64_t what) -> const RareChoice& {
        return rare[draw(k, 2 + what, static_cast<std::int64_t>(rare.size()))];
      };
      const Place place = with_room({one(0).problem.rows, one(1).problem.cols, one(2).x,
                                     draw(k, 5, 2) == 0 ? one(2).y : one(3).y,
                                     one(4).problem.out_pitch() - one(4).problem.rows,
                                     one(5).problem.in_pitch() - one(5).problem.cols});
      if (!is_legal(place)) continue;
      if (choices_.way(choice, launch(place)) == way) places.push_back(place);
    }
  }

  // Each once: many decisions follow from one.
  void add(const Place& place, bool by_block, std::vector<RareChoice>& rare) const {
    const RareChoice one{problem_of(place), place[kX], place[kY], by_block};
    std::size_t alike = 0;
    for (const RareChoice& other : rare) {
      if (other.by_block != by_block) continue;
      if (other.problem == one.problem && (!by_block || (other.x == one.x && other.y == one.y))) return;
      ++alike;
    }
    if (alike < (by_block ? kMostBlocks : kMost)) rare.push_back(one);
  }

  sim::ShapeChoices choices_;
  DecisionProbe probe_;
  const std::uint64_t probed_;
  std::vector<Place> starts_;  // of equalities: all choices are solved from these
  const LaunchShape& shape_;
  const Problem like_;
  const int row_bytes_;
  const InputKey& key_;
};

}  // namespace

std::vector<RareChoice> rare_choices(const sim::ptx::Module& module, std::string_view entry,
                                     const LaunchShape& shape, const Problem& like, int row_bytes,
                                     const InputKey& key, const std::vector<Problem>& asked, bool again) {
  const sim::ptx::Function* const text = module.find_function(entry);
  if (text == nullptr) return {};
  return Search(module, *text, shape, like, row_bytes, key, again).all(asked);
}

}  // namespace lab::judge
