// SPDX-License-Identifier: Apache-2.0
// C code that programs are linked with: relocatable ELF objects, by themselves or in archives.
//
// A program has the objects that something in it refers to. They have no constructors and no
// thread-local variables, as programs come and go while threads run; what they leave undefined the
// C library, the mathematics library, libgcc and OpenMP's library are to have.
#ifndef CONCLAVE_COMPILER_NATIVE_NATIVE_CODE_H_
#define CONCLAVE_COMPILER_NATIVE_NATIVE_CODE_H_

#include <llvm/ADT/StringSet.h>

#include <string>
#include <string_view>
#include <vector>

namespace conclave::compiler {

// Whether it is an ELF object that is no program binary of ours, or an archive.
bool is_native_object(std::string_view file);
bool is_archive(std::string_view file);

struct NativeObject {
  std::string name;  // for messages
  std::string code;
};

// The members of an archive, which are named after the archive and themselves. Throws BuildError.
std::vector<NativeObject> read_archive(const std::string& name, std::string_view file);

class NativeCode {
 public:
  // Throws BuildError naming the object and what is wrong with it.
  void add(NativeObject object);
  // All objects that archive() was made of.
  void add_archive(std::string_view archive);

  bool empty() const { return objects_.empty(); }
  bool defines(llvm::StringRef function) const { return functions_.contains(function); }
  bool uses_openmp() const { return uses_openmp_; }
  // As ", used in 'a.o'": which object leaves the symbol undefined; "" where none does.
  std::string describe_use(llvm::StringRef symbol) const;
  // All objects in one file; "" where there are none.
  std::string archive() const;

 private:
  struct Entry {
    NativeObject object;
    llvm::StringSet<> undefined;
  };
  std::vector<Entry> objects_;
  llvm::StringSet<> functions_;
  bool uses_openmp_ = false;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_NATIVE_NATIVE_CODE_H_
