// SPDX-License-Identifier: Apache-2.0
#include "metrics_text.h"

#include <cmath>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace conclave::test {
namespace {

class Parser {
 public:
  explicit Parser(bool open_metrics) : open_metrics_(open_metrics) {}

  std::map<std::string, MetricFamily> parse(const std::string& text) {
    if (text.empty() || text.back() != '\n') throw std::runtime_error("the last line has no end");
    std::istringstream lines(text);
    while (std::getline(lines, line_)) {
      if (ended_) fail("a line after # EOF");
      if (line_ == "# EOF" && open_metrics_)
        ended_ = true;
      else if (line_.starts_with("#"))
        comment();
      else
        sample();
    }
    if (open_metrics_ != ended_) throw std::runtime_error("there is no # EOF");
    end_family();
    return std::move(families_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(why + ": " + line_);
  }

  void comment() {
    static const std::regex kComment("# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    std::smatch part;
    if (!std::regex_match(line_, part, kComment)) fail("not a HELP, TYPE or UNIT line");
    const std::string kind = part[1], name = part[2], value = part[3];
    if (kind == "HELP") {
      end_family();
      name_ = name;
      family_ = {};
      family_.help = value;
      return;
    }
    if (name != name_) fail("not the family of the HELP line");
    if (!family_.samples.empty()) fail("after the samples");
    if (kind == "TYPE") {
      if (!family_.type.empty()) fail("a second TYPE");
      if (value != "counter" && value != "gauge") fail("an unknown type");
      family_.type = value;
      const bool total = name.ends_with("_total");
      if (total != (value == "counter" && !open_metrics_)) fail("a wrong ending of the name");
    } else {
      if (!open_metrics_) fail("the format has no units");
      if (!name.ends_with("_" + value)) fail("the unit is not the end of the name");
      family_.unit = value;
    }
  }

  std::string sample_name() const {
    return name_ + (open_metrics_ && family_.type == "counter" ? "_total" : "");
  }

  void sample() {
    static const std::regex kSample(R"(([a-zA-Z_:][a-zA-Z0-9_:]*)\{(.*)\} ([0-9]+(\.[0-9]+)?))");
    std::smatch part;
    if (!std::regex_match(line_, part, kSample)) fail("not a sample");
    if (family_.type.empty()) fail("no TYPE before");
    if (part[1] != sample_name()) fail("not a sample of " + name_);
    if (!family_.samples.emplace(labels(part[2]), std::stod(part[3])).second)
      fail("the same labels again");
  }

  MetricLabels labels(const std::string& text) const {
    MetricLabels labels;
    for (size_t at = 0; at < text.size();) {
      const size_t equals = text.find("=\"", at);
      if (equals == text.npos) fail("a label without a value");
      const std::string name = text.substr(at, equals - at);
      static const std::regex kName("[a-zA-Z_][a-zA-Z0-9_]*");
      if (!std::regex_match(name, kName)) fail("a wrong label name");
      std::string value;
      for (at = equals + 2; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && ++at < text.size()) {
          if (text[at] != '\\' && text[at] != '"' && text[at] != 'n') fail("an unknown escape");
          value += text[at] == 'n' ? '\n' : text[at];
        } else {
          value += text[at];
        }
      }
      if (at >= text.size()) fail("a label that does not end");
      if (!labels.emplace(name, value).second) fail("a label twice");
      if (++at == text.size()) break;
      if (text[at++] != ',' || at == text.size()) fail("no comma between labels");
    }
    return labels;
  }

  void end_family() {
    if (name_.empty()) return;
    if (family_.type.empty()) fail(name_ + " has no TYPE; before");
    if (!families_.emplace(sample_name(), family_).second) fail(name_ + " comes twice; before");
  }

  const bool open_metrics_;
  bool ended_ = false;
  std::string line_, name_;
  MetricFamily family_;
  std::map<std::string, MetricFamily> families_;
};

}  // namespace

std::map<std::string, MetricFamily> parse_metrics(const std::string& text, bool open_metrics) {
  return Parser(open_metrics).parse(text);
}

}  // namespace conclave::test
