// Reads the kernel files of an archive, in memory. See submission.h.
//
// Enters: a zip or tar that anybody may have made. Leaves: .cu files. Names that lead out of the archive,
// links, devices and archives that swell are refused; nothing is written to disk.
#include <fmt/core.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <memory>

#include "common/base/errors.h"
#include "common/base/source_text.h"
#include "common/class/grade/submission.h"

#ifdef LAB_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace lab::grade {

#ifndef LAB_HAVE_LIBARCHIVE

void read_archive(const std::filesystem::path& path, const std::string&, const ReadLimits&, Submission&) {
  throw base::EnvironmentError(
      msg("{} is an archive, and this program was built without libarchive. Run: apt-get install "
          "libarchive-dev, remove the build folder and start again; or unpack it yourself.",
          path.string()));
}

#else

namespace {

// Why a name inside of an archive is none that a course work has; "" when it is fine.
Message what_is_wrong_with(std::string_view name) {
  constexpr std::size_t kLongestPath = 1024;
  if (name.empty()) return "it has no name";
  if (name.size() > kLongestPath) return "its name is absurdly long";
  if (name.front() == '/' || name.front() == '\\' || (name.size() > 1 && name[1] == ':'))
    return "its name is an absolute path";
  if (name.find('\\') != name.npos) return "its name holds a backslash";
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return "its name holds a control character";
  }
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    if (name.substr(at, end - at) == "..") return "its name leads out of the archive";
    at = end + 1;
  }
  return {};
}

bool lies_in_passed_over_folder(std::string_view name) {
  return name.starts_with("__MACOSX/") || name.find("/__MACOSX/") != name.npos || name.starts_with(".") ||
         name.find("/.") != name.npos;
}

// libarchive gives names in the language of the thread, and in "C" none that has other letters than English
// ones. Without such a language on the machine it stays as it is.
class Utf8Names {
 public:
  Utf8Names() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = uselocale(utf8_);
  }
  ~Utf8Names() {
    if (utf8_ == nullptr) return;
    uselocale(before_);
    freelocale(utf8_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t utf8_, before_ = nullptr;
};

class ArchiveReader {
 public:
  ArchiveReader(const std::filesystem::path& path, std::string prefix, const ReadLimits& limits,
                Submission& submission)
      : archive_(new_archive(), archive_read_free),
        name_(path.filename().string()),
        prefix_(std::move(prefix)),
        limits_(limits),
        submission_(submission) {
    opened_ = archive_read_open_filename(archive_.get(), path.c_str(), 64 << 10) == ARCHIVE_OK;
  }
  // One inside of another.
  ArchiveReader(const std::string& bytes, const std::string& name, std::string prefix,
                const ReadLimits& limits, Submission& submission)
      : ArchiveReader(std::filesystem::path(name), std::move(prefix), limits, submission) {
    archive_.reset(new_archive());
    opened_ = archive_read_open_memory(archive_.get(), bytes.data(), bytes.size()) == ARCHIVE_OK;
  }

  void read() {
    if (!opened_) return broken();
    std::uint64_t entries = 0;
    for (;;) {
      archive_entry* entry = nullptr;
      const int state = archive_read_next_header(archive_.get(), &entry);
      if (state == ARCHIVE_EOF) break;
      if (state != ARCHIVE_OK && state != ARCHIVE_WARN) return broken();
      if (++entries > limits_.entries) return give_up(msg("it holds more than {} files", limits_.entries));
      if (!visit(entry)) return;
    }
    if (entries == 0) give_up("it holds nothing, or is no archive");
  }

 private:
  static archive* new_archive() {
    archive* made = archive_read_new();
    archive_read_support_filter_gzip(made);
    archive_read_support_filter_bzip2(made);
    archive_read_support_filter_xz(made);
    archive_read_support_format_zip(made);
    archive_read_support_format_tar(made);
    return made;
  }

  Utf8Names language_;  // first: names are read with it
  void refuse(std::string_view name, const Message& why) {
    submission_.problems.push_back(msg("refused {}: {}", safe_path(name), why));
  }
  // Nothing of the archive counts.
  void give_up(const Message& why) {
    std::erase_if(submission_.files,
                  [&](const SourceFile& f) { return f.path.starts_with(safe_path(prefix_)); });
    refuse(name_, why);
  }
  void broken() {
    const char* words = archive_error_string(archive_.get());
    give_up(msg("it is damaged or no archive ({})",
                words == nullptr ? Message("no further words") : text::verbatim(words)));
  }

  // False: the archive is given up.
  bool visit(archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    if (raw == nullptr) raw = archive_entry_pathname_utf8(entry);
    const std::string name = raw == nullptr ? "" : raw;
    const auto type = archive_entry_filetype(entry);
    const bool link = archive_entry_symlink(entry) != nullptr || archive_entry_hardlink(entry) != nullptr;
    if (type == AE_IFDIR && what_is_wrong_with(name).empty()) return true;
    if (const Message wrong = what_is_wrong_with(name); !wrong.empty()) {
      refuse(name.substr(0, 80), wrong);
      return skip();
    }
    if (lies_in_passed_over_folder(name)) return skip();
    if (link || type == AE_IFLNK) {
      refuse(name, "it is a link; links are not followed");
      return skip();
    }
    if (type != AE_IFREG && type != 0) {
      refuse(name, "it is no ordinary file");
      return skip();
    }
    if (std::count(name.begin(), name.end(), '/') > limits_.depth) {
      refuse(name, "folders are nested too deep");
      return skip();
    }
    if (archive_entry_is_encrypted(entry) != 0) {
      give_up("it is encrypted");
      return false;
    }
    if (is_kernel_name(name)) return take(name);
    submission_.others.push_back(safe_path(prefix_ + name));
    if (limits_.archives_in_archives > 0 && is_archive_name(name)) return open_inside(name);
    if (limits_.archives_in_archives > 0 && is_metadata_name(name))
      return unpack(&submission_.metadata[safe_path(prefix_ + name)], limits_.file_bytes);
    return skip();
  }

  bool open_inside(const std::string& name) {
    const ReadLimits usual;
    std::string bytes;
    if (!unpack(&bytes, usual.total_bytes)) return false;
    if (bytes.size() > usual.total_bytes) {
      refuse(name, msg("it is larger than {} MiB", usual.total_bytes >> 20));
      return true;
    }
    ReadLimits own = usual;
    own.archives_in_archives = limits_.archives_in_archives - 1;
    ArchiveReader(bytes, name, prefix_ + name + "/", own, submission_).read();
    return true;
  }

  // A zip has an index: what is skipped is never unpacked. A tar stream has none: unpacked, counted, thrown
  // away.
  bool skip() {
    if ((archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP)
      return unpack(nullptr, 0);
    archive_read_data_skip(archive_.get());
    return true;
  }

  bool take(const std::string& name) {
    std::string bytes;
    if (!unpack(&bytes, limits_.file_bytes)) return false;
    if (bytes.size() > limits_.file_bytes) {
      const Message why = msg("it is larger than {} MiB", limits_.file_bytes >> 20);
      refuse(name, why);
      submission_.refused.push_back({safe_path(prefix_ + name), why});
      return true;
    }
    submission_.files.push_back({safe_path(prefix_ + name), base::as_utf8(std::move(bytes))});
    return true;
  }

  // More than `most` bytes are counted and thrown away.
  bool unpack(std::string* into, std::uint64_t most) {
    std::array<char, 65536> buffer{};
    for (;;) {
      const la_ssize_t got = archive_read_data(archive_.get(), buffer.data(), buffer.size());
      if (got == 0) return true;
      if (got < 0) {
        broken();
        return false;
      }
      total_bytes_ += static_cast<std::uint64_t>(got);
      if (total_bytes_ > limits_.total_bytes) {
        give_up(msg("it unpacks to more than {} MiB", limits_.total_bytes >> 20));
        return false;
      }
      if (into != nullptr && into->size() <= most) into->append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  std::unique_ptr<archive, decltype(&archive_read_free)> archive_;
  std::string name_, prefix_;
  const ReadLimits& limits_;
  Submission& submission_;
  std::uint64_t total_bytes_ = 0;
  bool opened_ = false;
};

}  // namespace

void read_archive(const std::filesystem::path& path, const std::string& prefix, const ReadLimits& limits,
                  Submission& submission) {
  ArchiveReader(path, prefix, limits, submission).read();
}

#endif

}  // namespace lab::grade
