// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/compile_server.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <chrono>

#include "platform/base/descriptor_message.h"

namespace conclave {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEndLimit{300};          // for a server that was told to end
constexpr milliseconds kDeathNoticeLimit{100};  // from lost connection to visible death

std::string working_directory_identity() {
  struct stat status;
  if (stat(".", &status) != 0) return "";
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

}  // namespace

CompileServer::CompileServer(const std::string& program)
    : program_(program), directory_(working_directory_identity()) {
  auto [ours, theirs] = make_socket_pair();
  control_ = std::move(ours);
  process_ =
      std::make_unique<QuietProcess>(program, std::vector<std::string>{"--server"}, theirs.get());
}

CompileServer::~CompileServer() {
  // Closing is not enough: a child that the host forked has the same socket.
  if (control_.is_ours()) shutdown(control_.get(), SHUT_RDWR);
  control_.close();
  process_->wait(kEndLimit);
}

bool CompileServer::usable(const std::string& program) {
  const std::lock_guard lock(mutex_);
  return program == program_ && control_.is_ours() && directory_ == working_directory_identity() &&
         !process_->wait(milliseconds(0));
}

// Hands the server its end of a new connection: one byte, with the descriptor attached.
bool CompileServer::pass_connection(const Descriptor& theirs) {
  const char byte = 0;
  return control_.is_ours() &&
         send_message(control_.get(), &byte, 1, theirs.get(), MSG_DONTWAIT) == 1;
}

CompileResult CompileServer::no_answer() {
  const std::lock_guard lock(mutex_);
  if (!process_->wait(kDeathNoticeLimit))
    return failed(CompileOutcome::kEnded, "the compiler crashed or was killed while compiling");
  if (process_->ended_well())
    return failed(CompileOutcome::kServerGone, "the compile server went away");
  return failed(CompileOutcome::kEnded,
                "the compiler ended unexpectedly (" + process_->ending() + ")");
}

CompileResult CompileServer::ask(const protocol::Request& request, CompileDeadline deadline) {
  auto [connection, theirs] = make_socket_pair();
  if (!pass_connection(theirs))
    return failed(CompileOutcome::kServerGone, "the compile server is gone");
  theirs.close();
  CompileResult result = exchange(connection, request, deadline);
  return result.outcome == CompileOutcome::kEnded ? no_answer() : result;
}

}  // namespace conclave
