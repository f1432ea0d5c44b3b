// Tree → instructions: the last stage.
//
// The walk reads the tree as an interpreter does, with values that are constants or registers. A called
// function is its body walked again, a template the same body with a type bound to a name, a lambda a body in
// the scope where it was written. Each scalar variable is a register.
// The walk assumes that a variable is constant until it is assigned, stays in registers until its address is
// taken, and that a short loop is unrolled. Where that proves wrong, it notes so and walks the kernel again.
// Files are walk_*.cpp: one for each kind of statement, expression or declaration.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/compile/builtin/code.h"
#include "common/compile/builtin/restored.h"
#include "common/compile/builtin/value.h"

namespace lab::cucc {

class Walk {
 public:
  // `names_variables`: comments behind the module say where each variable is at each statement.
  Walk(Program& program, const Sources& sources, Messages& messages, bool names_variables);
  // The whole module as PTX; with messages, what there is of it.
  std::string module();

 private:
  using Kind = NodeKind;
  struct Restart {};  // a hope failed
  struct Unchecked {
  };  // the rest of this statement is skipped: no path leads here, or a mistake was reported
  struct Fatal {
    Error error;
  };  // the kernel is given up

  struct Frame {  // a function whose body is being walked
    Frame* up = nullptr;
    std::string name;
    std::string shown;  // as a student reads it; of a lambda its variable's
    const Node* body = nullptr;
    Scope* scope = nullptr;  // of the statement that is walked
    const Type* returns = nullptr;
    int call = -1;  // of places_
    Position called_at;
    std::string end;  // the label behind the body; of a kernel ""
    std::vector<Leaf> result;
    Value value;               // what is returned without a label
    int nest = 0;              // loops and branches around, whose code may be passed by
    bool is_finished = false;  // returned from outside of all of them
  };
  struct Loop {
    std::string next, end;
  };
  struct Argument {
    const Node* tree;
    Value value;
    Scope* scope = nullptr;  // where a list in braces was written
  };
  struct Counting {  // a loop that may be written out
    const Node* loop;
    const Node* bound;
    std::vector<const Node*> turn;
    std::map<Variable*, Leaf> counters, outer;  // what they begin as; registers of those declared before
  };
  struct AssemblyOutput {
    Value place;
    std::string reg;
    char constraint;
    bool is_own = false;  // the register of the variable itself
  };
  class Region;
  [[nodiscard]] int deeper(Position at) const;

  // ---- kernels (walk_kernels.cpp)
  std::string kernel_once(const Function& f);
  std::string kernel_parameters(const Function& f, const std::string& name, Scope* scope);
  void kernel_parameter(const Function& f, const Node* parameter, const std::string& symbol, const Type* t,
                        Scope* scope);
  template <class Action>
  void walk_until_hopes_hold(const Action& action);
  void report(const Error& error);

  // ---- statements (walk_statements.cpp, walk_loops.cpp, walk_assembly.cpp)
  void statement(const Node* n, Scope* scope);
  void body(const Node* n, Scope* scope);
  void statement_alone(const Node* n, Scope* scope);
  void block(const Node* n, Scope* scope);
  void case_label(const Node* n, Scope* scope);
  void leave_loop(const Node* n, Scope* scope);
  void static_assertion(const Node* n, Scope* scope);
  void checked_only(const Node* n, Scope* scope);
  void declaration(const Node* v, Scope* scope);
  Value condition_of(const Node* n, Scope* scope);
  void locate(Position at);
  void if_statement(const Node* n, Scope* scope);
  void switch_statement(const Node* n, Scope* scope);
  void return_statement(const Node* n, Scope* scope);
  void return_reference(const Node* n, const Value& v);
  void hand_over(Value v);
  void discard(const Node* n, Scope* scope);
  void for_loop(const Node* n, Scope* scope);
  void written_out(const Node* n, Scope* scope);
  void find_counters(Counting& counting, Scope* scope);
  bool has_turn(const Counting& counting, Scope* scope);
  bool advance(const Counting& counting, const Node* part, Scope* scope);
  void turn_part(const Node* part, Scope* scope);
  void turns(const Counting& counting, int count, Scope* scope);
  void real_loop(const Node* n, Scope* scope);
  void jump_while(const Node* condition, const std::string& label, Scope* scope);
  [[nodiscard]] std::string label_behind(const Node* n) const;
  bool leaves_at_once(const Node* yes, const Value& condition);
  void leave_unless(const Node* condition, const std::string& label, Scope* scope);
  void assembly(const Node* n, Scope* scope);
  // What is in scope where a statement begins (walk_stops.cpp).
  void stop(Position at, Scope* scope);
  void add_scope_parts(const Scope* scope, std::vector<Stop::Part>& out) const;
  void add_stop_parts(const std::string& name, const Type* t, const std::vector<Leaf>& leaves,
                      std::size_t first, Space points, std::vector<Stop::Part>& out) const;
  std::string own_register(const Value& place);
  std::string assembly_operand(const Node* n, std::size_t number, Scope* scope,
                               std::vector<AssemblyOutput>& outputs);

  // ---- expressions (walk_expressions.cpp, walk_conditions.cpp)
  Value expression(const Node* n, Scope* scope);
  Value value_of(const Node* n, Scope* scope) { return rvalue(expression(n, scope), n->at); }
  Value number(const Node* n, Scope* scope);
  Value index(const Node* n, Scope* scope);
  Value member(Value v, const Node* n);
  Value unary(const Node* n, Scope* scope);
  Value postfix(const Node* n, Scope* scope);
  Value binary_expression(const Node* n, Scope* scope);
  Value own_operator(const std::string& sign, const std::vector<Argument>& sides, const Node* n,
                     Scope* scope);
  Value assign(const Node* n, Scope* scope);
  Value assign_to_either(const Node* n, const Value& right, Scope* scope);
  Value cast(const Node* n, Scope* scope);
  Value cast_to_reference(const Node* n, const Type* t, Value v);
  Value size_of_expression(const Node* n, Scope* scope);
  Value lambda(const Node* n, Scope* scope);
  void capture(const Node* n, const Node* c, Scope* from, Scope* into);
  void capture_copy(const Node* n, const std::string& name, const Node* tree, Value value, Scope* into);
  void check_no_capture(const Node* n, Scope* scope);
  std::optional<Value> by_conversion(const Value& v, const Type* to, Position at);
  Value all_members_equal(const Value& a, const Value& b, Position at);
  const Type* declared_type(const Node* n, Scope* scope);
  void step(const Value& place, const Value& old, const std::string& sign, Position at);
  Value settled(Value v, const Node* later);
  Value logical(const Node* n, Scope* scope);
  Value conditional(const Node* n, Scope* scope);
  const Type* type_of_either(const Value& a, const Value& b, Position at);
  Value selected(const Value& condition, Value a, Value b, const Type* t, Position at);
  Value either_branch(const Node* n, const Value& condition, const Type* t, Scope* scope);
  Value truth(const Value& v, Position at);
  // What `evaluate` finds, without the instructions that it makes.
  template <class Evaluate>
  auto tried(const Evaluate& evaluate) {
    const Code::Mark before = code_.mark();
    const std::size_t changes = undone_.size();
    const Restored trying(tries_, true);
    const auto found = evaluate();
    code_.back_to(before);
    take_back(changes);
    return found;
  }

  // ---- operators and conversions (walk_operators.cpp, walk_conversions.cpp)
  Value binary(const std::string& sign, Value a, Value b, Position at);
  Value pointers_compared(const std::string& sign, Value a, Value b, Position at);
  Value pointer_arithmetic(const std::string& sign, Value a, Value b, Position at);
  std::optional<Value> by_identity(const std::string& sign, const Value& a, const Value& b, const Type* t);
  std::optional<Value> by_power_of_two(const std::string& sign, const Value& a, const Value& b,
                                       const Type* t);
  std::optional<Value> folded(const std::string& sign, const Value& a, const Value& b, const Type* t);
  Value converted(Value v, const Type* to, Position at, bool by_cast = false);
  Value known_converted(const Value& v, const Type* to);
  Value computed_converted(const Value& v, const Type* to, Position at);
  Value converted_pointer(Value v, const Type* to, Position at, bool by_cast);
  Value converted_integer(const Value& v, const Type* to);
  void check_narrowing(const Value& v, const Type* to, Position at);

  // ---- memory and places (walk_memory.cpp, walk_views.cpp, walk_pointers.cpp)
  Value rvalue(const Value& v, Position at);
  Value load(const Value& v, Position at, const std::string& cache = "");
  Value load_special(const Value& v);
  void store(const Value& to, Value v, Position at, const std::string& cache = "");
  void store_to_variable(const Value& to, Value v, Position at);
  void store_to_memory(const Value& to, Value v, Position at, const std::string& cache);
  void store_all(const Value& place, const Value& v, Position at);
  Value load_view(const Value& v);
  Value seen_as(const Value& v, const Type* t);
  Value gathered(const std::vector<Leaf>& leaves, const std::vector<Part>& parts, std::size_t first,
                 const Type* t);
  const Type* words_of_narrow(const Type* t, Position at);
  void store_view(const Value& to, const Value& v, Position at);
  std::array<std::string, 2> halves_of(const Leaf& leaf, const Type* from);
  std::size_t leaf_at(const Value& v, const Part& part, std::int64_t& within);
  Value bits_as(const Leaf& leaf, const Type* from, const Type* to, std::int64_t within);
  Value pointer_at(const Value& place, const Type* of, Position at);
  Value at_pointer(const Value& p, Position at);
  Value generic(Value p);
  Value element(Value array, const Value& index, Position at);
  Value moved(Value m, const Value& index, std::int64_t step);
  std::string address_of(const Value& m);
  [[noreturn]] void note(std::set<const Node*>& facts, const Node* fact);

  // ---- variables (walk_variables.cpp, walk_globals.cpp, walk_initial.cpp)
  void variable(const Node* v, Scope* scope);
  void plain_variable(const Node* v, const Type* t, Scope* scope);
  void auto_variable(const Node* v, const Type* t, Scope* scope);
  void reference(const Node* v, const Type* to, Scope* scope);
  void bind(const std::string& name, const Type* to, const Node* tree, Value v, Scope* scope, Position at);
  Variable& declare(const std::string& name, const Type* t, const Node* tree, const Value* value,
                    Scope* scope, Position at);
  void put_in_memory(Variable& v, const Value* value, Scope* scope, Position at);
  void put_in_registers(Variable& v, Value value);
  void begin_as_nothing(Variable& v, const Type* t);
  Variable& new_variable(const std::string& name, const Type* t, const Node* tree);
  Variable& refer(const std::string& name, const Value& to, const Node* tree, Scope* scope);
  Value copied(Value v);
  [[nodiscard]] bool changes(const Variable& v) const;
  std::int64_t alignment(const Node* v, const Type* t, Scope* scope);
  void check_known(const Node* v, const Value& value);
  const Type* counted(const Type* t, const Node* v, Scope* scope);
  Value value_for_auto(const Node* v, Scope* scope);
  Value global(const std::string& q, Scope* scope);
  std::vector<Leaf> constant_leaves(const Node* v, const Type*& t, Scope* scope);
  Value shared(const Node* v, Scope* scope, const std::string& q);
  std::string bytes_of(const Type* t, const std::vector<Leaf>& leaves, Position at);
  void define(const std::string& space, const Type* t, std::int64_t align, const std::string& symbol,
              const std::string& values);
  // ".align 16 .b8 tile[4096]".
  static std::string bytes(std::int64_t align, const std::string& symbol, std::int64_t size);
  Value in_memory(const Type* t, Space space, const std::string& symbol);
  Value filled(const Type* t, const Node* initial, Scope* scope, Position at);
  void fill(const Type* t, const Node* initial, Scope* scope, std::vector<Leaf>& out, Position at);
  void fill_from_value(const Type* t, const Node* initial, Scope* scope, std::vector<Leaf>& out,
                       bool in_braces);
  bool fill_from_same(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out);
  void fill_struct(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out, Position at);
  void fill_union(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out, Position at);
  void fill_next(const Type* t, const Node* list, std::size_t& next, Scope* scope, std::vector<Leaf>& out);
  bool is_of_struct(const Node* n, Scope* scope);
  // ---- constructors, names for members (walk_construct.cpp)
  void fill_constructed(const Type* t, const Node* initial, Scope* scope, std::vector<Leaf>& out,
                        Position at);
  Value constructed(const Type* t, const std::vector<Argument>& arguments, Scope* scope, Position at);
  void begin_members(Variable& object, const Function& f, Scope* inner, Position at);
  void fill_member(const Field& f, const Node* initial, Scope* scope, std::vector<Leaf>& out, Position at);
  void fill_standard(const Type* t, const Field& f, std::vector<Leaf>& out, Position at);
  std::vector<Leaf> unwritten(const Type* t);
  [[nodiscard]] const Value* alias_of(const Leaf& leaf) const;
  void no_alias(const Leaf& leaf);
  void bind_names(const Node* v, Scope* scope);
  // ---- constants that functions compute (walk_constants.cpp)
  void take_back(std::size_t changes);
  bool computes_variable(Variable& v, const Value* value);
  bool computes_store(const Value& to, const Value& v);
  bool is_true(const Node* n, Scope* scope);
  void computed_loop(const Node* n, Scope* scope);
  void computed_switch(const Node* n, const Value& v, Scope* scope);
  // ---- packs (walk_packs.cpp)
  void packs_in(const Node* n, Scope* scope, std::set<std::string>& out);
  Node* element_of(const Node* n, const std::set<std::string>& packs, std::size_t i);
  Node* copy_for(const Node* n, const std::set<std::string>& packs, std::size_t i);
  std::vector<Node*> elements(const Node* pattern, Scope* scope);
  std::vector<Node*> written_out(const std::vector<Node*>& trees, Scope* scope);
  const Node* list_written_out(const Node* list, Scope* scope);
  static void declare_pack(Scope* scope, const std::string& name, std::size_t count);
  Value fold(const Node* n, Scope* scope);
  static bool is_struct(const Type* t) { return t != nullptr && t->kind == TypeKind::Struct; }
  std::size_t length_of_pack(const Function& f, const std::vector<Argument>& arguments, std::size_t given);
  const Function* without_packs(const Function& f, const std::vector<Argument>& arguments, std::size_t given,
                                Scope* scope);
  Node* parameter_written_out(Node* p, Scope* scope);
  void fill_array(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out, Position at);

  // ---- names and types (walk_names.cpp, walk_types.cpp)
  Scope* new_scope(Scope* up, const std::string& space);
  static Entity* local(Scope* scope, const std::string& name);
  [[nodiscard]] bool is_global(const std::string& q) const;
  [[nodiscard]] std::string global_name(const std::string& name, std::string space) const;
  Value named(const Node* n, Scope* scope);
  Value named_globally(const Node* n, const std::string& q, Scope* scope);
  Value enumerator(const std::string& q);
  Value member_constant(const Node* n, const Type* t, const std::string& member);
  [[noreturn]] void unknown(const Node* n, Scope* scope);
  std::string nearest_name(const std::string& name, Scope* scope) const;
  static Value value_in(Variable& variable);
  const Type* resolve(const Node* n, Scope* scope);
  const Type* resolve_name(const Node* n, Scope* scope);
  const Type* structure(const std::string& q, Position at, const Node* n = nullptr, Scope* outside = nullptr);
  void lay_out(StructType& s, Position at);
  void add_constant(StructType& s, const Node* v);
  const Type* held_type(const StructType& s);
  const Struct* specialised(const Struct* tree, const std::string& arguments, Scope* scope);
  Scope* bound_arguments(const std::vector<TemplateParameter>& templates, const Node* n, Scope* scope,
                         const std::string& space);
  void bind_argument(Scope* bound, const TemplateParameter& p, const Node* argument, Scope* scope);
  void bind_constant(Scope* scope, const std::string& name, const Type* t, std::int64_t i);
  std::int64_t constant_of(const Node* n, Scope* scope, const std::string& what);

  // ---- calls (walk_calls.cpp, walk_text.cpp, walk_overloads.cpp)
  Value call(const Node* n, Scope* scope);
  Value text(const std::string& text);
  Value print(const Node* n, Scope* scope);
  Value call_lambda(const Value& f, const std::vector<Argument>& arguments, const Node* n);
  void pass_all(const std::vector<Node*>& parameters, const std::vector<Argument>& arguments, Scope* inner);
  Value functions(const std::vector<Function*>& which, const Node* n);
  Node* make(Kind kind, Position at, const std::string& text, std::vector<Node*> kids = {}) {
    return program_.make(kind, at, text, std::move(kids));
  }
  Value call_function(const Value& f, const std::vector<Argument>& arguments, const Node* n, Scope* scope);
  std::optional<Value> call_builtin(const Node* n, const std::string& name, Scope* scope);
  Value copy_bytes(const Node* n, Scope* scope);
  Value aligned_pointer(const Node* n, Scope* scope);
  const Type* piece_type(const Type* to, const Type* from, std::int64_t width, Position at);
  std::vector<Argument> arguments_of(const Node* n, Scope* scope);
  Value function_of(const Value& object, const std::string& name, const Node* n);
  Value global_functions(const std::string& q, const Node* n);
  Scope* inside_of(const Value& object);
  void pass(const Node* parameter, const Argument& argument, Scope* types, Scope* into);
  void check_recursion(const Node* body, const std::string& name, Position at);
  Value walk_body(const Node* tree, const std::string& name, const Type* returns, Scope* scope,
                  const Node* n);
  bool deduce(const Node* p, const Type* argument, Scope* bound, const Function& f, std::size_t given);
  void deduce_constant(const Node* p, std::int64_t i, Scope* bound, const Function& f);
  bool deduce_arguments(const Node* p, const Type* argument, Scope* bound, const Function& f,
                        std::size_t given);
  Scope* bound_to(const Function& f, const std::vector<Argument>& arguments, const Node* name, Scope* scope,
                  const Value& called);
  std::vector<int> distances(const Function& f, const std::vector<Argument>& arguments, Scope* bound);
  static int better_of(const std::vector<int>& a, const std::vector<int>& b);
  [[noreturn]] void deleted(const Function& f, const Node* n);
  int distance_of(const Type* to, const Node* parameter, const Argument& argument);
  const Function* best_of(const Value& f, const std::vector<Argument>& arguments, const Node* n, Scope* scope,
                          Scope*& best_scope);
  [[noreturn]] void no_function(const Value& f, const std::vector<Argument>& arguments, const Node* n);

  // ---- values
  Value constant(const Type* t, std::int64_t i);
  Value real(const Type* t, double d);
  Value in_register(const Type* t, const std::string& reg);
  Value nothing();
  Value computed(const Type* t, const std::string& op, std::vector<std::string> from);
  std::string reg_of(const Leaf& leaf, const Type* t);
  std::string operand(const Leaf& leaf, const Type* t);
  std::string operand(const Value& v) { return operand(v.leaves[0], v.type); }
  void set(const std::string& reg, const Leaf& leaf, const Type* t);
  void set_all(const std::vector<Leaf>& targets, const Value& v);
  void set_or_retarget(const std::vector<Leaf>& targets, const Value& v);
  std::vector<Leaf> new_registers(const Type* t, bool change);                      // one for each part
  static std::string move_of(const Type* t) { return move_to(register_class(t)); }  // "mov.f32"
  const Type* scalar(TypeKind kind) { return types_.scalar(kind); }
  const Type* u32() { return scalar(TypeKind::UnsignedInt); }
  const Type* u64() { return scalar(TypeKind::UnsignedLong); }

  Program& program_;
  [[nodiscard]] bool is_toolkit(Position at) const {
    return sources_[static_cast<std::size_t>(at.file)].is_toolkit();
  }
  const Sources& sources_;
  Messages& messages_;
  const bool names_variables_;
  std::string stops_;  // of the kernel that was walked last
  Types types_;
  Places places_;
  Code code_;
  std::deque<Scope> scopes_;
  std::deque<Variable> variables_;
  std::string globals_, local_variables_;  // as PTX
  std::set<std::string> defined_, shared_symbols_;
  std::map<std::string, std::size_t> texts_;  // literals, and their numbers
  std::map<std::pair<const Node*, std::string>, std::string> shared_;
  std::map<std::string, Value> globals_known_;
  std::map<const Node*, std::string> cases_;
  std::map<std::pair<const Node*, std::size_t>, Node*> elements_, folds_;  // of packs, copied once
  std::map<std::tuple<const Function*, std::size_t, std::size_t>, const Function*> without_packs_;
  std::deque<std::vector<Function*>> chosen_;
  // What members that are references refer to in registers: in place of an address, a number from kFirstAlias on.
  static constexpr std::int64_t kFirstAlias = 0x5ea1'1a5e'0000'0000;
  std::deque<Value> aliases_;
  // While a constant is computed: what a statement left, and what trying an expression changed.
  bool computes_ = false, tries_ = false;
  Kind left_ = Kind::Empty;  // Break, Continue
  std::vector<std::pair<Variable*, std::vector<Leaf>>> undone_;
  std::set<const Function*> walked_;
  std::set<std::pair<Position, std::string>> reported_;
  std::vector<Loop> loops_;
  Frame outside_;  // of all functions
  Frame* frame_ = &outside_;
  Position at_;
  int locals_ = 0, copies_ = 1;
  long steps_ = 0;
  int depth_ = 0;
  const Frame* constant_frame_ =
      nullptr;  // where a constant is asked for: variables that happen to be known will not do
  // Hopes that failed: of variables, and of loops.
  std::set<const Node*> assigned_, in_memory_, generic_, rolled_;
};

constexpr const char* kThis = "*this";  // the object, where a function of a struct sees it

// "store<float, 4>".
[[nodiscard]] std::string instance_name(const Function& f, const Scope* bound);

// Code that may be passed by: what is computed in it does not hold behind it.
class Walk::Region {
 public:
  explicit Region(Walk& walk, bool applies = true)
      : walk_(walk), frame_(walk.frame_), mark_(walk.code_.mark()), by_(applies ? 1 : 0) {
    frame_->nest += by_;
  }
  ~Region() {
    frame_->nest -= by_;
    if (by_ > 0 && !is_kept_) walk_.code_.forget_since(mark_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  void keep() { is_kept_ = true; }                         // it is not passed by after all
  void begin_again() { walk_.code_.forget_since(mark_); }  // another way leads here

 private:
  Walk& walk_;
  Frame* frame_;
  Code::Mark mark_;
  int by_;
  bool is_kept_ = false;
};

}  // namespace lab::cucc
