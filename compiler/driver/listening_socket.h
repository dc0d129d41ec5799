// SPDX-License-Identifier: Apache-2.0
// A socket in the file system at which one process at a time listens.
#ifndef CONCLAVE_COMPILER_DRIVER_LISTENING_SOCKET_H_
#define CONCLAVE_COMPILER_DRIVER_LISTENING_SOCKET_H_

#include <optional>
#include <string>

#include "platform/base/descriptor.h"

namespace conclave::compiler {

class ListeningSocket {
 public:
  // Nothing if another process listens there, if four listen elsewhere in the directory, or if there
  // can be no such file. Takes the place of a process that was killed. A lock beside it, which ends
  // with its process, tells the two apart.
  static std::optional<ListeningSocket> at(const std::string& path);

  int descriptor() const { return socket_.get(); }
  // The next connection; empty if there is none.
  Descriptor accept() const;
  // For a forked process that does not listen.
  void close();
  // Takes the files away.
  void remove();

 private:
  ListeningSocket(std::string path, Descriptor lock, Descriptor place, Descriptor socket);

  std::string path_;
  Descriptor lock_, place_, socket_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_LISTENING_SOCKET_H_
