// The instructions of one kernel while they are made.
//
// Enters: what the walk computes, moves, loads, stores and jumps to. Leaves: the body of a PTX entry. The
// same computation again is not made again where the first still holds; instructions whose result no
// instruction reads are dropped, as an optimiser does.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/compile/builtin/source.h"

namespace lab::cucc {

using Registers = std::vector<std::string>;  // "%r1"
using Names = std::map<std::string, std::string>;

struct Instruction {
  enum class Effect {
    Pure,      // only its result: it can be dropped, shared, and made where it is not needed
    Assign,    // gives a register that others read a new value
    Load,      // only its result, but from memory: it stays where it is
    Lasting,   // stores, barriers, volatile loads, inline assembly: never dropped
    Assembly,  // inline assembly that only makes results: op is its text
    Jump,
    Label,  // op is its name
    Stop,   // a statement begins: no text, and nothing depends on it
  };
  Effect effect = Effect::Pure;
  std::string op;
  std::vector<std::string> to, from;
  std::string guard;  // "@!%p1 "
  int place = -1;     // of Places
  int stop = -1;      // of Code::stops_; -1: it says nothing any more
  int dropped = -1;   // of Code::dropped_: what would stand here

  // Inline assembly that lasts: what it reads and writes is known by its text alone.
  [[nodiscard]] bool is_assembly() const { return effect == Effect::Lasting && to.empty() && from.empty(); }
  // Needed, whatever reads its result.
  [[nodiscard]] bool lasts() const {
    return effect == Effect::Lasting || effect == Effect::Jump || effect == Effect::Label ||
           effect == Effect::Stop;
  }
  // `op` is text of the kernel's author, which may begin as an instruction does.
  [[nodiscard]] bool is_text() const { return effect == Effect::Assembly || is_assembly(); }
  [[nodiscard]] bool is_load() const { return !is_text() && op.starts_with("ld."); }
  [[nodiscard]] bool is_store() const { return !is_text() && op.starts_with("st."); }
  [[nodiscard]] std::vector<std::string> read() const;     // registers
  [[nodiscard]] std::vector<std::string> written() const;  // and those that inline assembly may write
};

// A statement begins, and what each part of the variables in scope is there.
struct Stop {
  struct Part {
    std::string name,
        type;  // "p.x", "s32"; "mix<int, 5>", "call": the function that the parts before are of,
               // and `where` the line of its call, whose function's come next
    // A register, "=5", "__local_1+4" in local memory, or "%r3 = add.u32 %r3, %r1, 1;": instructions that
    // would compute it there, "?": nothing wrote it yet; empty: not computed here.
    std::string where;
  };
  Position at;
  int call = -1;  // of Places
  std::vector<Part> parts;
};

// Where an instruction comes from: a place, and the calls that it was reached by.
class Places {
 public:
  struct Place {
    Position at;
    int call = -1;  // of calls
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Call {
    Place from;
    std::string function;
    friend auto operator<=>(const Call&, const Call&) = default;
  };
  int number_of(Position at, int call);
  [[nodiscard]] const Place& at(int number) const { return places_[static_cast<std::size_t>(number)]; }
  int add_call(int from, const std::string& function);
  // Rows of .loc, as `ptxas` wants them: the place of a call is named before what was inlined there.
  void name(int place, std::set<int>& named, std::string& out);
  [[nodiscard]] std::string files(const Sources& sources) const;
  [[nodiscard]] std::string function_names() const;

 private:
  std::vector<Place> places_;
  std::map<Place, int> numbers_;
  std::vector<Call> calls_;
  std::map<std::string, int> labels_;  // of functions' names
};

class Code {
 public:
  // ---- registers
  std::string new_register(const std::string& register_class, bool changes = false);

  // ---- instructions
  struct Computed {
    std::string reg;
    bool is_known = false;  // from before: others read it too
  };
  Computed compute(const std::string& register_class, const std::string& op, std::vector<std::string> from);
  void assign(const std::string& reg, const std::string& op, std::vector<std::string> from);
  void add(Instruction::Effect effect, std::string op, std::vector<std::string> to,
           std::vector<std::string> from);
  // Inline assembly as it stands; a pure one does nothing but write `results`, and can be dropped.
  void add_assembly(const std::string& text, std::vector<std::string> results, bool is_pure);
  // Lets the last instruction write to `registers` themselves, if it made `values` and nothing else has them.
  bool retarget_last(const std::vector<std::string>& values, const std::vector<std::string>& registers);

  void add_stop(Stop stop);  // changes no instruction (code_stops.cpp)
  // Where an instruction stood, for stops that ask for its result.
  void note_dropped_in(std::vector<Instruction>& code, Instruction i);
  // These registers are those of a variable that begins as nothing, for stops.
  void note_unwritten(std::vector<std::string> registers);
  // Variables follow the registers that they are in; of instructions that are no stops nothing is renamed.
  void rename_stop(const Instruction& i, const Names& names);

  // ---- control
  std::string new_label();
  void jump(const std::string& label, const std::string& guard = "");
  bool place_label(const std::string& label);  // false where no jump leads there
  void place_loop_label(const std::string& label);
  // Takes what a loop computes alike in each of its turns out of it: from its label at `begin` on.
  void hoist(std::size_t begin);
  void end_here();                                         // a return
  [[nodiscard]] bool is_dead() const { return is_dead_; }  // no way leads here
  void set_dead(bool dead) { is_dead_ = dead; }

  // ---- going back
  struct Mark {
    std::size_t size = 0, made = 0;
    bool is_dead = false;
  };
  [[nodiscard]] Mark mark() {
    retarget_from_ = instructions_.size();
    return {retarget_from_, log_.size(), is_dead_};
  }
  void back_to(const Mark& mark);
  void forget_since(const Mark& mark);  // what was computed there does not hold elsewhere
  void forget_stops_since(const Mark& mark);
  [[nodiscard]] bool is_pure_since(const Mark& mark) const;

  int place = -1;  // of what comes next
  // Once at the entry: special registers.
  std::map<std::string, std::string> at_entry;  // "%tid.x" → its register

  [[nodiscard]] std::size_t size() const { return instructions_.size(); }
  [[nodiscard]] bool is_nothing_since(std::size_t size) const;  // but stops
  [[nodiscard]] std::string text(Places& places, const std::string& variables);
  // What holds at each instruction of the text, which begins so many lines behind its kernel.
  [[nodiscard]] std::string stops_text(int lines_before) const;

 private:
  // ---- what an optimiser does (code_share.cpp, code_clean.cpp)
  void share_computations();
  void follow_copies();
  void join_bits();
  void make_minima();
  void fuse_products();
  void drop_unused();
  void drop_short_jumps();

  void retarget_stops(std::size_t from, const Registers& values, const Registers& registers);
  void prove_stops();
  [[nodiscard]] std::string recomputed(const std::string& reg, const std::map<std::string, int>& held) const;
  void find_stops(const Places& places);
  template <class IsGone>
  int stop_without(int stop, const IsGone& is_gone);

  void forget_users_of(const std::string& reg);

  struct Made {
    std::string reg;
    std::vector<std::string> from;
  };
  std::vector<Instruction> instructions_;
  std::vector<Stop> stops_;
  std::set<std::string> unread_specials_;  // registers that at_entry had
  std::vector<Instruction> dropped_;       // whose result no instruction reads
  std::vector<int> stop_of_;               // by instruction of the text: what holds before it; -1: not known
  std::vector<int> line_of_;               // and its line in the text
  std::vector<int> first_of_;  // by stop: itself, or the one that it was before a register was written
  std::map<std::string, int> counts_;  // of registers, by class
  std::set<std::string> changing_;     // registers that are written more than once
  std::map<std::string, Made> made_;   // computations that hold here
  std::vector<std::string> log_;       // their keys, in order
  std::set<std::string> used_labels_;
  std::size_t retarget_from_ = 0;  // what stands before may be gone back to
  bool is_dead_ = false;
  int labels_ = 0;
};

// "\tadd.u32 \t%r3, %r1, 1;\n".
[[nodiscard]] std::string text_of(const Instruction& i);
// The registers named in an operand or in inline assembly.
[[nodiscard]] std::vector<std::string> registers_in(const std::string& text);
[[nodiscard]] bool is_short_number(const std::string& text);   // of at most nine digits
[[nodiscard]] std::string letters_of(const std::string& reg);  // "%rd"
[[nodiscard]] std::string move_to(const std::string& reg);     // "mov.u64"
[[nodiscard]] bool none_in(const Registers& registers, const std::set<std::string>& set);
// Puts other names in the place of registers.
void rename(std::string& text, const Names& names);
void rename_read(Instruction& i, const Names& names);

}  // namespace lab::cucc
