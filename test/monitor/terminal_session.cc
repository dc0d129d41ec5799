// SPDX-License-Identifier: Apache-2.0
#include "terminal_session.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <regex>

#include "tool.h"

namespace conclave::test {
namespace {

std::string shell_word(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char block[4096];
  for (size_t count; pipe && (count = fread(block, 1, sizeof block, pipe.get())) > 0;)
    text.append(block, count);
  return text;
}

}  // namespace

bool TerminalSession::is_available() {
  return output_of("command -v tmux") != "";
}

TerminalSession::TerminalSession(const std::string& directory,
                                 const std::vector<std::string>& words,
                                 const std::vector<std::string>& settings, int columns, int rows)
    : socket_(directory + "/terminal") {
  std::string command = "exec env LC_ALL=C.UTF-8";
  for (const std::string& setting : settings) command += " " + shell_word(setting);
  for (const std::string& word : words) command += " " + shell_word(word);
  tmux("-f /dev/null new-session -d -x " + std::to_string(columns) + " -y " + std::to_string(rows) +
       " " + shell_word(command) +
       " \\; set -g window-size manual \\; set -g status off \\; resize-window -x " +
       std::to_string(columns) + " -y " + std::to_string(rows));
}

TerminalSession::~TerminalSession() {
  take_away();
}

std::string TerminalSession::tmux(const std::string& command) const {
  return output_of("LC_ALL=C.UTF-8 tmux -S " + shell_word(socket_) + " " + command +
                   " 2>/dev/null");
}

std::string TerminalSession::screen() const {
  return tmux("capture-pane -p");
}
bool TerminalSession::shows(const std::string& text) const {
  return soon([&] { return screen().find(text) != std::string::npos; }, 20);
}
bool TerminalSession::matches(const std::string& pattern) const {
  const std::regex expression(pattern, std::regex::extended);
  return soon([&] { return std::regex_search(screen(), expression); }, 20);
}
bool TerminalSession::hides(const std::string& text) const {
  return soon(
      [&] {
        const std::string now = screen();
        return now != "" && now.find(text) == std::string::npos;
      },
      20);
}
void TerminalSession::press(const std::string& key) const {
  tmux("send-keys " + shell_word(key));
}
void TerminalSession::type(const std::string& text) const {
  tmux("send-keys -l " + shell_word(text));
}
void TerminalSession::resize(int columns, int rows) const {
  tmux("resize-window -x " + std::to_string(columns) + " -y " + std::to_string(rows));
}
int TerminalSession::pid() const {
  return atoi(tmux("list-panes -F '#{pane_pid}'").c_str());
}
void TerminalSession::take_away() {
  tmux("kill-server");
}

}  // namespace conclave::test
