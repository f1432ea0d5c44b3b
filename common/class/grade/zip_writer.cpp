// Writes a zip with libarchive. See zip_writer.h.
#include "common/class/grade/zip_writer.h"

#include <fmt/core.h>

#include "common/base/errors.h"

#ifdef LAB_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace lab::grade {
using base::EnvironmentError;

#ifndef LAB_HAVE_LIBARCHIVE

struct ZipWriter::Archive {};
ZipWriter::ZipWriter(const std::filesystem::path&) {
  throw EnvironmentError(
      "This program was built without libarchive. Run: apt-get install libarchive-dev, remove the build "
      "folder and start again.");
}
ZipWriter::~ZipWriter() = default;
void ZipWriter::add(const std::string&, const std::string&, bool) {}
void ZipWriter::add_files_of(const std::filesystem::path&) {}
std::size_t ZipWriter::finish() { return 0; }

#else

namespace {
// One date for all entries: the same project gives the same zip.
constexpr std::time_t kDate = 1'577'836'800;  // 2020-01-01, a date that zip can hold
}  // namespace

struct ZipWriter::Archive {
  std::filesystem::path file;
  std::unique_ptr<archive, decltype(&archive_write_free)> to{archive_write_new(), archive_write_free};
  std::size_t count = 0;
  [[noreturn]] void fail() const {
    throw EnvironmentError(
        msg("Cannot write {}: {}.", file.string(), std::string(archive_error_string(to.get()))));
  }
};

ZipWriter::ZipWriter(const std::filesystem::path& file) : archive_(std::make_unique<Archive>()) {
  archive_->file = file;
  archive_write_set_format_zip(archive_->to.get());
  archive_write_set_options(archive_->to.get(), "hdrcharset=UTF-8");
  if (archive_write_open_filename(archive_->to.get(), file.c_str()) != ARCHIVE_OK) archive_->fail();
}
ZipWriter::~ZipWriter() = default;

void ZipWriter::add(const std::string& name, const std::string& bytes, bool program) {
  const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                            archive_entry_free);
  archive_entry_update_pathname_utf8(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), program ? 0755 : 0644);
  archive_entry_set_mtime(entry.get(), kDate, 0);
  if (archive_write_header(archive_->to.get(), entry.get()) < ARCHIVE_WARN) archive_->fail();
  if (archive_write_data(archive_->to.get(), bytes.data(), bytes.size()) !=
      static_cast<la_ssize_t>(bytes.size()))
    archive_->fail();
  ++archive_->count;
}

void ZipWriter::add_files_of(const std::filesystem::path& tar) {
  const std::unique_ptr<archive, decltype(&archive_read_free)> from(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(from.get());
  const auto fail = [&] {
    throw EnvironmentError(
        msg("Cannot read {}: {}.", tar.string(), std::string(archive_error_string(from.get()))));
  };
  if (archive_read_open_filename(from.get(), tar.c_str(), 64 << 10) != ARCHIVE_OK) fail();
  for (archive_entry* entry = nullptr;;) {
    const int state = archive_read_next_header(from.get(), &entry);
    if (state == ARCHIVE_EOF) return;
    if (state != ARCHIVE_OK && state != ARCHIVE_WARN) fail();
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    std::string bytes(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    if (archive_read_data(from.get(), bytes.data(), bytes.size()) != static_cast<la_ssize_t>(bytes.size()))
      fail();
    add(archive_entry_pathname(entry), bytes, (archive_entry_perm(entry) & 0100) != 0);
  }
}

std::size_t ZipWriter::finish() {
  if (archive_write_close(archive_->to.get()) != ARCHIVE_OK) archive_->fail();
  return archive_->count;
}

#endif

}  // namespace lab::grade
