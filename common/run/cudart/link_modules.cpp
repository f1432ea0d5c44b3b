// Several PTX modules made one. See link_modules.h.
#include "common/run/cudart/link_modules.h"
#include "common/sim/base/kernel_name.h"
#include "common/sim/memory/memory.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace lab::cudart {
namespace {

using sim::ptx::Function;
using sim::ptx::Instruction;
using sim::ptx::Module;
using sim::ptx::Operand;
using sim::ptx::OperandKind;
using sim::ptx::Variable;

using Names = std::set<std::string, std::less<>>;

// Names that more than one module knows.
Names shared_names(const std::vector<Module>& modules) {
  std::map<std::string_view, std::size_t> first;
  Names shared;
  const auto note = [&](const std::string& name, std::size_t module) {
    const auto [at, fresh] = first.try_emplace(name, module);
    if (!fresh && at->second != module) shared.insert(name);
  };
  for (std::size_t k = 0; k < modules.size(); ++k) {
    for (const Variable& v : modules[k].variables) note(v.name, k);
    for (const Function& f : modules[k].functions) note(f.name, k);
  }
  return shared;
}

// Gives those of one module's private names that others know too a suffix, wherever they stand. The rest keep
// theirs: the host asks for static variables by name.
class Renamer {
 public:
  Renamer(Module& module, std::size_t number) : module_(module), suffix_("@m" + std::to_string(number)) {}

  void run(const Names& shared) {
    for (const Variable& v : module_.variables) {
      if (!v.is_visible && !v.is_extern && shared.contains(v.name)) private_.insert(v.name);
    }
    for (const Function& f : module_.functions) {
      if (!f.is_visible && !f.is_declaration && !f.is_entry && shared.contains(f.name))
        private_.insert(f.name);
    }
    if (private_.empty()) return;
    for (Variable& v : module_.variables) rename(v);
    for (Function& f : module_.functions) rename(f);
  }

 private:
  void rename(std::string& name) const {
    if (private_.contains(name)) name += suffix_;
  }
  void rename(Variable& v) const {
    rename(v.name);
    for (auto& r : v.relocations) rename(r.symbol);
  }
  // Names of the function's own hide those of the module.
  void rename(Function& f) const {
    rename(f.name);
    Names own;
    for (const Variable& v : f.variables) own.insert(v.name);
    for (const Variable& v : f.parameters) own.insert(v.name);
    for (const auto& [label, at] : f.labels) own.insert(label);
    for (Variable& v : f.variables) {
      for (auto& r : v.relocations) rename(r.symbol);
    }
    for (Instruction& in : f.body) {
      for (Operand& operand : in.operands) rename(operand, own);
    }
    for (auto& list : f.call_targets) {
      for (std::string& target : list.targets) rename(target);
    }
  }
  void rename(Operand& operand, const Names& own) const {
    const bool names_symbol = operand.kind == OperandKind::Symbol ||
                              (operand.kind == OperandKind::Address && !operand.base_is_register);
    if (names_symbol && !own.contains(operand.name)) rename(operand.name);
    for (Operand& element : operand.elements) rename(element, own);
  }

  Module& module_;
  const std::string suffix_;
  Names private_;
};

class Linker {
 public:
  Module run(std::vector<Module> modules) {
    const Names shared = shared_names(modules);
    for (std::size_t k = 0; k < modules.size(); ++k) {
      Renamer(modules[k], k).run(shared);
      add(std::move(modules[k]));
    }
    return std::move(whole_);
  }

 private:
  void add(Module module) {
    if (whole_.target.empty()) {
      whole_.version_major = module.version_major;
      whole_.version_minor = module.version_minor;
      whole_.target = module.target;
      whole_.address_size = module.address_size;
    }
    const int shift = whole_.files.empty() ? 0 : whole_.files.rbegin()->first;
    for (auto& [number, path] : module.files) whole_.files[number + shift] = std::move(path);
    for (Variable& v : module.variables) add(std::move(v));
    for (Function& f : module.functions) {
      shift_files(f, shift);
      add(std::move(f));
    }
  }

  static void shift_files(Function& f, int shift) {
    if (shift == 0) return;
    if (f.source.line != 0) f.source.file += shift;
    for (Instruction& in : f.body) {
      if (in.source.line != 0) in.source.file += shift;
      if (in.inlined_at.line != 0) in.inlined_at.file += shift;
    }
  }

  void add(Variable v) {
    const auto [at, fresh] = variables_.try_emplace(v.name, whole_.variables.size());
    if (fresh) {
      whole_.variables.push_back(std::move(v));
      return;
    }
    Variable& known = whole_.variables[at->second];
    if (v.is_extern) return;
    if (!known.is_extern && known.size_bytes != v.size_bytes) {
      throw LinkError(
          msg("the device variable `{}` is defined in two files, once with {} bytes and once with {}. Define "
              "it in one and declare it extern in the other.",
              sim::short_name(v.name), big(known.size_bytes), big(v.size_bytes)));
    }
    if (known.is_extern) known = std::move(v);
  }

  // Definitions of one name in several files are the same inline function or template: the first stays.
  void add(Function f) {
    const auto [at, fresh] = functions_.try_emplace(f.name, whole_.functions.size());
    if (fresh) {
      whole_.functions.push_back(std::move(f));
    } else if (whole_.functions[at->second].is_declaration && !f.is_declaration) {
      whole_.functions[at->second] = std::move(f);
    }
  }

  Module whole_;
  std::map<std::string, std::size_t, std::less<>> variables_, functions_;
};

}  // namespace

Module link(std::vector<Module> modules) {
  if (modules.size() == 1) return std::move(modules.front());
  return Linker().run(std::move(modules));
}

}  // namespace lab::cudart
