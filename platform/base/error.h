// SPDX-License-Identifier: Apache-2.0
// The one way to report failure inside the platform: throw Error on cold paths; the wrapper at the
// entry points (icd/entry.h) turns it into a cl_int and hands the text to those who want it.
#ifndef CONCLAVE_PLATFORM_BASE_ERROR_H_
#define CONCLAVE_PLATFORM_BASE_ERROR_H_

#include <CL/cl.h>

#include <exception>
#include <string>
#include <utility>

namespace conclave {

class Error : public std::exception {
 public:
  // `code` is an OpenCL error code, `text` says what is wrong, with the offending values;
  // `error_number` is what XRT's interface calls it (EBUSY ...), 0 if that follows from the
  // code.
  Error(cl_int code, std::string text, int error_number = 0)
      : code_(code), error_number_(error_number), text_(std::move(text)) {}
  cl_int code() const { return code_; }
  int error_number() const { return error_number_; }
  const std::string& text() const { return text_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  cl_int code_;
  int error_number_;
  std::string text_;
};

// Out of line, so that functions with checks stay small enough to be inlined.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_error(cl_int code, const char* text) {
  throw Error(code, text);
}

// Throws Error{code, text} unless `ok`. For checks whose text needs no formatting.
inline void require(bool ok, cl_int code, const char* text) {
  if (!ok) [[unlikely]]
    throw_error(code, text);
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_ERROR_H_
