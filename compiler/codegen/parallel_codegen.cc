// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/parallel_codegen.h"

#include <fcntl.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "compiler/base/build_limits.h"
#include "compiler/base/error.h"
#include "compiler/base/tuning.h"
#include "compiler/codegen/outlined_functions.h"

namespace conclave::compiler {
namespace {

using Part = std::vector<llvm::Function*>;

// The code generator cuts wide values into registers, and works on each; the optimiser, which does so
// less, has little to do with cold code. For each unit of this sum, code generation took the same time
// within a sixth in eight kernels; for each instruction 0.6 to 1.6 times the average.
size_t size_of(const llvm::Instruction& instruction, bool is_cold) {
  const uint64_t unit_bits = is_cold ? 512 : 128;
  const bool stores = llvm::isa<llvm::StoreInst>(instruction);
  const llvm::Type* type = (stores ? instruction.getOperand(0) : &instruction)->getType();
  return std::max<size_t>(type->getPrimitiveSizeInBits() / unit_bits, 1);
}

// The work on a function and on what it calls, as far as that is part of it.
size_t total_size(llvm::Function& function, llvm::SmallPtrSetImpl<llvm::Function*>& seen) {
  constexpr size_t kSizeOfNone = 25;
  if (!seen.insert(&function).second) return 0;
  const bool is_cold = function.hasFnAttribute(llvm::Attribute::Cold);
  size_t size = kSizeOfNone;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    size += size_of(instruction, is_cold);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && is_part_of_callers(*callee)) size += total_size(*callee, seen);
  }
  return size;
}

// Variables that kernels write must exist once. Variables named llvm.* are LLVM's notes.
bool can_be_split(const llvm::Module& module) {
  return std::all_of(module.global_begin(), module.global_end(),
                     [](const llvm::GlobalVariable& variable) {
                       return variable.isConstant() || variable.getName().starts_with("llvm.");
                     });
}

size_t available_cpus() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  return static_cast<size_t>(CPU_COUNT(&cpus));
}

size_t possible_processes() {
  const uint64_t with_memory = memory_left() / (uint64_t{tuning().process_memory} << 20);
  return std::min({available_cpus(), size_t{tuning().code_processes},
                   static_cast<size_t>(std::max<uint64_t>(with_memory, 1))});
}

// The functions that one process each may compile, and the work on them.
using Sizes = std::vector<std::pair<size_t, llvm::Function*>>;

Sizes sizes_of_functions(llvm::Module& module) {
  Sizes sizes;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || is_part_of_callers(function)) continue;
    llvm::SmallPtrSet<llvm::Function*, 16> seen;
    sizes.emplace_back(total_size(function, seen), &function);
  }
  return sizes;
}

// As many as have enough to do while one compiles the largest function.
size_t useful_processes(const Sizes& functions) {
  size_t all = 0, largest = 0;
  for (const auto& [size, function] : functions) {
    all += size;
    largest = std::max(largest, size);
  }
  if (all < tuning().fork_instructions) return 1;
  const size_t enough = std::max<size_t>(tuning().fork_instructions / 2, 1);
  return std::min(1 + (all - largest) / enough, functions.size());
}

// Deals the functions out so that the parts are about equally large; the largest goes first.
std::vector<Part> make_parts(llvm::Module& module) {
  Sizes functions = sizes_of_functions(module);
  size_t processes = std::min(useful_processes(functions), possible_processes());
  if (processes > 1 && !can_be_split(module)) processes = 1;
  if (processes > 1) {
    share_outlined_functions(module);
    functions = sizes_of_functions(module);
    processes = std::min(processes, functions.size());
  }
  std::sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->getName() < b.second->getName();
  });
  std::vector<Part> parts(std::max<size_t>(processes, 1));
  std::vector<size_t> sizes(parts.size(), 0);
  for (const auto& [size, function] : functions) {
    auto lightest = std::min_element(sizes.begin(), sizes.end());
    *lightest += size;
    parts[static_cast<size_t>(lightest - sizes.begin())].push_back(function);
  }
  return parts;
}

void keep_only(llvm::Module& module, const Part& part) {
  llvm::SmallPtrSet<llvm::Function*, 16> kept(part.begin(), part.end());
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() || function.hasLocalLinkage() || kept.contains(&function))
      continue;
    function.deleteBody();
    if (function.use_empty()) function.eraseFromParent();
  }
}

void append(std::string& message, const std::string& text) {
  uint64_t size = text.size();
  message.append(reinterpret_cast<const char*>(&size), sizeof size);
  message += text;
}

// Takes the next text off a message; false where it is cut short.
bool take(std::string_view& message, std::string& text) {
  uint64_t size;
  if (message.size() < sizeof size) return false;
  std::memcpy(&size, message.data(), sizeof size);
  message.remove_prefix(sizeof size);
  if (message.size() < size) return false;
  text = message.substr(0, size);
  message.remove_prefix(size);
  return true;
}

[[noreturn]] void run_child(int output, llvm::Module& module, const Part& part,
                            const std::function<PartResult(llvm::Module&)>& work) {
  // A cancelled build ends with all its processes.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  become_part_of_build();
  PartResult result;
  try {
    keep_only(module, part);
    leave_out_shared_constants(module);
    result = work(module);
  } catch (const std::exception& error) {
    result.failed = true;
    result.log += std::string("error: ") + error.what() + "\n";
  }
  std::string message(sizeof(uint64_t), '\0');  // room for its size
  message += result.failed ? '\1' : '\0';
  append(message, result.given_up);
  append(message, result.log);
  append(message, result.object);
  const uint64_t size = message.size() - sizeof size;
  std::memcpy(message.data(), &size, sizeof size);
  for (std::string_view rest = message; !rest.empty();) {
    ssize_t written = write(output, rest.data(), rest.size());
    if (written < 0) _exit(1);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  _exit(0);
}

// A process that works on one part.
class Child {
 public:
  Child(llvm::Module& module, const Part& part,
        const std::function<PartResult(llvm::Module&)>& work) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw BuildError("cannot make a pipe");
    pid_ = fork();
    if (pid_ == 0) run_child(ends[1], module, part, work);
    close(ends[1]);
    input_ = ends[0];
    if (pid_ < 0) {
      close(input_);
      throw BuildError("cannot start a process");
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(input_);
    if (is_ended_) return;
    if (!has_answered_) kill(pid_, SIGKILL);
    // Giving its memory back takes a process milliseconds, for which the build does not wait.
    waitpid(pid_, nullptr, has_answered_ ? WNOHANG : 0);
  }

  PartResult result() {
    const std::string message = read_message();
    has_answered_ = !message.empty();
    if (!has_answered_) {
      int status = 0;
      waitpid(pid_, &status, 0);
      is_ended_ = true;
      end_as_part_did(status);
    }
    PartResult result;
    std::string_view rest = message;
    if (rest.empty()) throw BuildError("the compiler crashed while generating code");
    result.failed = rest.front() != '\0';
    rest.remove_prefix(1);
    if (!take(rest, result.given_up) || !take(rest, result.log) || !take(rest, result.object))
      throw BuildError("the compiler crashed while generating code");
    return result;
  }

 private:
  // Does not wait for the end of the process. The message is cut short if the process crashed.
  std::string read_message() {
    uint64_t size = 0;
    const std::string header = read_bytes(sizeof size);
    if (header.size() < sizeof size) return "";
    std::memcpy(&size, header.data(), sizeof size);
    return read_bytes(size);
  }

  // Fewer where the input ends.
  std::string read_bytes(uint64_t size) {
    constexpr uint64_t kChunk = 65536;
    std::string bytes;
    while (bytes.size() < size) {
      const size_t begin = bytes.size();
      bytes.resize(begin + std::min(size - begin, kChunk));
      await_input();
      const ssize_t got = read(input_, &bytes[begin], bytes.size() - begin);
      bytes.resize(begin + static_cast<size_t>(std::max<ssize_t>(got, 0)));
      if (got == 0 || (got < 0 && errno != EINTR)) break;
    }
    return bytes;
  }

  // A process that somebody has stopped, and not let go on after a second, is killed: nobody waits for
  // it without end.
  void await_input() const {
    pollfd input = {input_, POLLIN, 0};
    for (int looks = 0, ready = 0; (ready = poll(&input, 1, kLookMs)) <= 0;) {
      if (ready < 0 && errno != EINTR) return;
      looks = is_stopped() ? looks + 1 : 0;
      if (looks > 1) kill(pid_, SIGKILL);
    }
  }

  bool is_stopped() const {
    siginfo_t state = {};
    return waitid(P_PID, static_cast<id_t>(pid_), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           state.si_pid == pid_;
  }

  static constexpr int kLookMs = 500;

  pid_t pid_;
  int input_;
  bool has_answered_ = false;
  bool is_ended_ = false;  // and reaped
};

}  // namespace

std::vector<PartResult> generate_in_parts(llvm::Module& module,
                                          const std::function<PartResult(llvm::Module&)>& work) {
  std::vector<Part> parts = make_parts(module);
  const SharedMemoryLimit limit(parts.size());
  std::vector<std::unique_ptr<Child>> children;
  for (size_t i = 1; i < parts.size(); ++i)
    children.push_back(std::make_unique<Child>(module, parts[i], work));
  keep_only(module, parts[0]);
  std::vector<PartResult> results = {work(module)};
  for (const auto& child : children) results.push_back(child->result());
  return results;
}

}  // namespace conclave::compiler
