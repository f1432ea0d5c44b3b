// Translates names both ways. See compile_names.h.
#include "common/compile/compile_names.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>
#include <vector>

#include "common/base/project.h"
#include "common/compile/sandbox.h"
#include "common/sim/ptx/file_row.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestLabel = 200;

std::string root_of(const CompileJob& job, const CompileFolder& folder) {
  return job.sandbox ? kSandboxRoot : folder.work().string();
}

// The name inside of the compiler's folder. It may have written the folders above in a way of its own, and
// the folder's own name is like no other.
void take_root(std::string& name, const CompileJob& job, const CompileFolder& folder) {
  const std::string root = job.sandbox
                               ? kSandboxRoot
                               : folder.folder.filename().string() + "/" + folder.work().filename().string();
  const std::size_t at = job.sandbox ? (name.starts_with(root) ? 0 : name.npos) : name.find(root);
  if (at != name.npos && name.substr(at + root.size()).starts_with('/')) name.erase(0, at + root.size() + 1);
  while (name.starts_with("./")) name.erase(0, 2);
}

// Below a link of the compiler's folder: the rest of the name.
bool take_folder(std::string& name, std::string_view folder) {
  if (!name.starts_with(folder) || name.size() <= folder.size() || name[folder.size()] != '/') return false;
  name.erase(0, folder.size() + 1);
  return true;
}

// A name that the compiler wrote, as people know it.
std::string for_people(const CompileJob& job, const CompileFolder& folder, std::string name) {
  take_root(name, job, folder);
  if (name == job.label || name == kKernelFile) return job.shown;
  if (take_folder(name, kBesideLink)) return base::shown_path(job.source.parent_path() / name);
  if (take_folder(name, kProjectLink) || take_folder(name, base::project_root().string())) return name;
  if (take_folder(name, job.sandbox ? kSandboxToolkit : kToolkitLink))
    return (job.compiler.toolkit / name).string();
  return name;
}

// Puts `to` where a name begins with `from`.
void replace_name(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    const bool begins =
        at == 0 || std::string_view(" \t\n\"'`(<:=").find(text[at - 1]) != std::string_view::npos;
    if (begins) text.replace(at, from.size(), to);
    at += begins ? to.size() : 1;
  }
}

// nvcc puts a hash of the file's whole path into the names of what is local to it:
// _INTERNAL_1a2b3c4d_9_kernel_cu_…. Where the first such hash stands, or npos.
constexpr std::string_view kNoHash = "00000000";
std::size_t path_hash_in(std::string_view text, std::size_t from = 0) {
  constexpr std::string_view kBegins = "_INTERNAL_", kEnds = "_9_kernel_cu_";
  for (std::size_t at = from; (at = text.find(kBegins, at)) != text.npos;) {
    at += kBegins.size();
    if (text.substr(std::min(at + kNoHash.size(), text.size())).starts_with(kEnds)) return at;
  }
  return text.npos;
}

void remove_path_hash(std::string& ptx) {
  for (std::size_t at = 0; (at = path_hash_in(ptx, at)) != ptx.npos;)
    ptx.replace(at, kNoHash.size(), kNoHash);
}

// The same in names of functions that were inlined, which stand as numbers: rows of `.b8 95,73,78,84,…`.
void remove_path_hash_in_bytes(std::string& ptx) {
  constexpr std::string_view kRow = "\n.b8 ";
  std::string bytes;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // of each byte's number: where it begins and ends
  for (std::size_t row = 0; (row = ptx.find(kRow, row)) != ptx.npos;) {
    const std::size_t end = std::min(ptx.find_first_of("\n/", row += kRow.size()), ptx.size());
    for (std::size_t at = row; (at = ptx.find_first_of("0123456789", at)) < end;) {
      const std::size_t behind = std::min(ptx.find_first_not_of("0123456789", at), end);
      bytes += static_cast<char>(std::atoi(ptx.c_str() + at));
      places.emplace_back(at, behind);
      at = behind;
    }
  }
  std::vector<std::size_t> hashes;
  for (std::size_t at = 0; (at = path_hash_in(bytes, at)) != bytes.npos; ++at) hashes.push_back(at);
  for (auto hash = hashes.rbegin(); hash != hashes.rend(); ++hash) {
    for (std::size_t k = kNoHash.size(); k-- > 0;) {
      const auto [at, behind] = places[*hash + k];
      ptx.replace(at, behind - at, std::to_string(kNoHash[k]));
    }
  }
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 ||
                        std::string_view("_-./+@").find(static_cast<char>(c)) != std::string_view::npos);
  });
}

std::string label_of(const std::string& shown) {
  if (is_plain_name(shown) && shown.size() <= kLongestLabel && shown.front() != '/' &&
      fs::path(shown).lexically_normal() == fs::path(shown) && !shown.starts_with(".."))
    return shown;
  const std::string last = fs::path(shown).filename().string();
  return is_plain_name(last) && last.size() <= kLongestLabel ? last : kKernelFile;
}

std::string name_of_untrusted(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_plain_name(name) && name.size() <= 64 && name.ends_with(".cu") && name[0] != '-' && name[0] != '.'
             ? name
             : kKernelFile;
}

std::string labelled(const CompileJob& job, const std::string& source) {
  if (job.label == kKernelFile) return source;
  return "#line 1 \"" + job.label + "\"\n" + source;
}

fs::path on_this_machine(const CompileJob& job, const CompileFolder& folder, const std::string& written) {
  std::string name = written;
  take_root(name, job, folder);
  name = fs::path(name).lexically_normal().string();
  if (name == kKernelFile) return job.source;
  if (take_folder(name, kBesideLink)) return job.source.parent_path() / name;
  if (take_folder(name, kProjectLink)) return base::project_root() / name;
  if (take_folder(name, job.sandbox ? kSandboxToolkit : kToolkitLink)) return job.compiler.toolkit / name;
  return base::project_root() / name;  // an absolute name stays as it is
}

std::string ptx_for_people(const CompileJob& job, const CompileFolder& folder, std::string ptx) {
  if (job.compiler.kind == CompilerKind::Nvcc) {
    remove_path_hash(ptx);
    remove_path_hash_in_bytes(ptx);
  }
  std::string result;
  result.reserve(ptx.size());
  for (std::size_t start = 0; start < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', start), ptx.size() - 1) + 1;
    std::string_view line(ptx.data() + start, end - start);
    start = end;
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view row = line.substr(first);
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if ((row.starts_with(".file\t") || row.starts_with(".file ")) && open != line.npos && close > open) {
      result += line.substr(0, open + 1);
      result += sim::encoded_file_name(
          for_people(job, folder, sim::decoded_file_name(line.substr(open + 1, close - open - 1))));
      line.remove_prefix(close);
    }
    result += line;
  }
  return result;
}

std::string log_for_people(const CompileJob& job, const CompileFolder& folder, std::string log) {
  replace_name(log, root_of(job, folder) + "/./", "");
  replace_name(log, root_of(job, folder) + "/", "");
  replace_name(log, base::project_root().string() + "/", "");
  replace_name(log, "../out/", "");
  if (job.label != kKernelFile) replace_name(log, kKernelFile, job.label);
  if (job.label != job.shown) replace_name(log, job.label, job.shown);
  if (job.sandbox || job.kernel_rules) return log;
  replace_name(log, std::string(kBesideLink) + "/", base::shown_path(job.source.parent_path()) + "/");
  replace_name(log, std::string(kProjectLink) + "/", "");
  return log;
}

}  // namespace lab::compile
