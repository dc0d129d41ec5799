// SPDX-License-Identifier: Apache-2.0
// Where findings go: standard error, the context's callback and the file of the configuration.
#ifndef CONCLAVE_PLATFORM_CHECK_FINDINGS_H_
#define CONCLAVE_PLATFORM_CHECK_FINDINGS_H_

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "platform/check/finding.h"

namespace conclave::check {

using Notify = std::function<void(const std::string& text)>;

// The findings of the process. Never freed: kernels may run until the process ends.
class Findings {
 public:
  static Findings& get();

  // Counts a finding. True if it is the first of its kind at its place in its kernel, and so must
  // be reported.
  bool is_new(FindingKind kind, const abi::CheckSite& site);
  // Reports it. Does not return if the configuration says that the process ends.
  void report(const Finding& finding, const Notify& notify);

 private:
  Findings();
  static void write_counts();

  std::mutex mutex_;
  // By kind, kernel and file, line and column: copies of code have sites of their own.
  std::map<std::tuple<FindingKind, std::string, uint32_t, uint32_t>, uint64_t> counts_;
};

}  // namespace conclave::check

#endif  // CONCLAVE_PLATFORM_CHECK_FINDINGS_H_
