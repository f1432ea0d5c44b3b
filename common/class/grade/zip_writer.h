// Writes a zip: the same entries give the same bytes.
//
// Enters: names and contents. Leaves: a file. Throws EnvironmentError when it cannot be written, or where
// this program was built without libarchive.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace lab::grade {

class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& file);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  void add(const std::string& name, const std::string& bytes, bool program);
  void add_files_of(const std::filesystem::path& tar);  // its ordinary files, under the names that they have
  std::size_t finish();                                 // the number of entries

 private:
  struct Archive;
  std::unique_ptr<Archive> archive_;
};

}  // namespace lab::grade
