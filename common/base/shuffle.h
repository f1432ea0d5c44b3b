// A list in another order. Enters: draw(i), a number of 0 to i, for i from the last place down to 1. Leaves:
// the list, each order as likely as another where the draws are.
#pragma once

#include <cstddef>
#include <utility>

namespace lab::base {

template <class List, class Draw>
void shuffle(List& list, const Draw& draw) {
  for (std::size_t i = list.size() - 1; i > 0; --i) std::swap(list[i], list[draw(i)]);
}

}  // namespace lab::base
