// A function that another one calls before it returns: it is not copied, and who calls it need be no
// template.
#pragma once

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
          return (*static_cast<const Function*>(of))(std::forward<Arguments>(given)...);
        }) {}
  Result operator()(Arguments... given) const { return call_(function_, std::forward<Arguments>(given)...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace lab::base
