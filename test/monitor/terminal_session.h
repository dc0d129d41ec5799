// SPDX-License-Identifier: Apache-2.0
// A program in a terminal that the test reads and types on: a window of tmux.
#ifndef CONCLAVE_TEST_MONITOR_TERMINAL_SESSION_H_
#define CONCLAVE_TEST_MONITOR_TERMINAL_SESSION_H_

#include <string>
#include <vector>

namespace conclave::test {

class TerminalSession {
 public:
  static bool is_available();

  // Starts `words` in a terminal of that size; its socket lies in `directory`.
  TerminalSession(const std::string& directory, const std::vector<std::string>& words,
                  const std::vector<std::string>& settings, int columns, int rows);
  // Takes the terminal away.
  ~TerminalSession();
  TerminalSession(const TerminalSession&) = delete;

  // What stands on the screen.
  std::string screen() const;
  // Waits until `text` stands there, or does not; false if that does not happen.
  bool shows(const std::string& text) const;
  // The same for a regular expression.
  bool matches(const std::string& pattern) const;
  bool hides(const std::string& text) const;
  // Keys by tmux's names, such as "q" or "Down".
  void press(const std::string& key) const;
  void type(const std::string& text) const;
  void resize(int columns, int rows) const;
  // The process that runs there; 0 if none does.
  int pid() const;
  void take_away();

 private:
  std::string tmux(const std::string& command) const;

  std::string socket_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_MONITOR_TERMINAL_SESSION_H_
