// SPDX-License-Identifier: Apache-2.0
#include "monitor/doctor/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "monitor/colors.h"
#include "monitor/doctor/finding.h"
#include "monitor/snapshot_json.h"

namespace conclave::monitor {
namespace {

// By sign and word too, so that nobody needs the colour: those that can be told apart by everybody.
struct Mark {
  const char* text;
  const char* color;
};
constexpr Mark kMarks[] = {{"ok      ", "\033[36m"},
                           {"note    ", "\033[34m"},
                           {"warning ", "\033[33m"},
                           {"PROBLEM ", "\033[1;35m"}};

void print(const Findings& findings) {
  const bool colored = wants_colors(STDOUT_FILENO);
  for (const Finding& finding : findings) {
    const Mark& mark = kMarks[finding.state];
    printf("%s%s%s %-14s %s\n", colored ? mark.color : "", mark.text, colored ? "\033[0m" : "",
           finding.check.c_str(), finding.what.c_str());
    if (!finding.advice.empty()) printf("%24s-> %s\n", "", finding.advice.c_str());
  }
}

void print_json(const Findings& findings, bool is_well) {
  Json list = Json::array();
  for (const Finding& finding : findings)
    list.push_back({{"check", finding.check},
                    {"state", name_of(finding.state)},
                    {"what", finding.what},
                    {"advice", finding.advice.empty() ? Json(nullptr) : Json(finding.advice)}});
  fputs(to_text({{"version", CONCLAVE_VERSION}, {"well", is_well}, {"findings", list}}).c_str(),
        stdout);
}

}  // namespace

int doctor(const std::string& segment, bool json) {
  Findings findings;
  check_opencl(findings);
  check_building(findings);
  check_sharing(findings, segment);
  check_limits(findings);
  const auto count = [&](Finding::State state) {
    return std::count_if(findings.begin(), findings.end(),
                         [=](const Finding& finding) { return finding.state == state; });
  };
  const bool is_well = count(Finding::kProblem) == 0;
  if (json) {
    print_json(findings, is_well);
  } else {
    print(findings);
    printf("\n%td problems, %td warnings\n", count(Finding::kProblem), count(Finding::kWarning));
  }
  return is_well ? 0 : 1;
}

}  // namespace conclave::monitor
