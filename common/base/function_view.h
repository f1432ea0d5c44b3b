// A function passed to another one that calls it before returning: it is not copied, and the other one need be
// no template. One that returns nothing stands for one that returns Result{}.
#pragma once

#include <type_traits>
#include <utility>

namespace lab::base {

template <class>
class FunctionView;

template <class Result, class... Arguments>
class FunctionView<Result(Arguments...)> {
 public:
  template <class Function>
  FunctionView(const Function& function)  // implicit, as for std::function
      : function_(&function), call_([](const void* of, Arguments... given) -> Result {
          const auto& function_of = *static_cast<const Function*>(of);
          if constexpr (std::is_void_v<std::invoke_result_t<const Function&, Arguments...>>) {
            function_of(std::forward<Arguments>(given)...);
            return Result();
          } else {
            return function_of(std::forward<Arguments>(given)...);
          }
        }) {}
  Result operator()(Arguments... given) const { return call_(function_, std::forward<Arguments>(given)...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace lab::base
