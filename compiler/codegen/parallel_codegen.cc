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
#include <numeric>
#include <string_view>
#include <utility>

#include "compiler/base/build_limits.h"
#include "compiler/base/error.h"
#include "compiler/base/tuning.h"
#include "compiler/codegen/outlined_functions.h"

namespace conclave::compiler {
namespace {

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

// The functions that one process each may compile, and the work on them.
struct Functions {
  std::vector<llvm::Function*> all;
  std::vector<size_t> sizes;
};

Functions functions_to_deal_out(llvm::Module& module) {
  Functions functions;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || is_part_of_callers(function)) continue;
    functions.all.push_back(&function);
    functions.sizes.push_back(work_on(function));
  }
  return functions;
}

void keep_only(llvm::Module& module, const Functions& functions, llvm::ArrayRef<size_t> part) {
  llvm::SmallPtrSet<llvm::Function*, 16> kept;
  for (const size_t number : part) kept.insert(functions.all[number]);
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

// What is wrong in one part must not hide what is wrong in others.
PartResult try_part(size_t part, const std::function<PartResult(size_t)>& work) {
  try {
    return work(part);
  } catch (const std::exception& error) {
    PartResult result;
    result.failed = true;
    result.log = std::string("error: ") + error.what() + "\n";
    return result;
  }
}

[[noreturn]] void run_child(int output, size_t part,
                            const std::function<PartResult(size_t)>& work) {
  // A cancelled build ends with all its processes.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  become_part_of_build();
  const PartResult result = try_part(part, work);
  std::string message(sizeof(uint64_t), '\0');  // room for its size
  message += result.failed ? '\1' : '\0';
  append(message, result.given_up);
  append(message, result.log);
  append(message, result.object);
  append(message, result.metadata);
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
  Child(size_t part, const std::function<PartResult(size_t)>& work) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw BuildError("cannot make a pipe");
    pid_ = fork();
    if (pid_ == 0) run_child(ends[1], part, work);
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
      if (is_crash(status)) throw GeneratorError(kEnded);
    }
    PartResult result;
    std::string_view rest = message;
    if (rest.empty()) throw BuildError(kEnded);
    result.failed = rest.front() != '\0';
    rest.remove_prefix(1);
    if (!take(rest, result.given_up) || !take(rest, result.log) || !take(rest, result.object) ||
        !take(rest, result.metadata))
      throw BuildError(kEnded);
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
  static constexpr char kEnded[] = "the compiler crashed or was killed while generating code";

  pid_t pid_;
  int input_;
  bool has_answered_ = false;
  bool is_ended_ = false;  // and reaped
};

}  // namespace

size_t possible_processes() {
  const uint64_t with_memory = memory_left() / (uint64_t{tuning().process_memory} << 20);
  return std::min({available_cpus(), size_t{tuning().code_processes},
                   static_cast<size_t>(std::max<uint64_t>(with_memory, 1))});
}

size_t useful_processes(llvm::ArrayRef<size_t> sizes) {
  size_t all = 0, largest = 0;
  for (const size_t size : sizes) {
    all += size;
    largest = std::max(largest, size);
  }
  if (all < tuning().fork_instructions) return 1;
  const size_t enough = std::max<size_t>(tuning().fork_instructions / 2, 1);
  return std::min(1 + (all - largest) / enough, sizes.size());
}

size_t work_on(llvm::Function& function) {
  llvm::SmallPtrSet<llvm::Function*, 16> seen;
  return total_size(function, seen);
}

Parts deal_out(llvm::ArrayRef<size_t> sizes, size_t parts) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  llvm::stable_sort(order, [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  Parts dealt(parts);
  std::vector<size_t> totals(parts, 0);
  for (const size_t number : order) {
    const auto lightest = std::min_element(totals.begin(), totals.end());
    *lightest += sizes[number];
    dealt[static_cast<size_t>(lightest - totals.begin())].push_back(number);
  }
  return dealt;
}

std::vector<PartResult> run_in_processes(size_t parts,
                                         const std::function<PartResult(size_t)>& work) {
  const SharedMemoryLimit limit(parts);
  std::vector<std::unique_ptr<Child>> children;
  for (size_t part = 1; part < parts; ++part)
    children.push_back(std::make_unique<Child>(part, work));
  std::vector<PartResult> results = {try_part(0, work)};
  for (const auto& child : children) results.push_back(child->result());
  return results;
}

std::vector<PartResult> generate_in_parts(llvm::Module& module,
                                          const std::function<PartResult(llvm::Module&)>& work) {
  Functions functions = functions_to_deal_out(module);
  size_t processes = std::min(useful_processes(functions.sizes), possible_processes());
  if (processes > 1 && !can_be_split(module)) processes = 1;
  if (processes > 1) {
    share_outlined_functions(module);
    functions = functions_to_deal_out(module);
  }
  processes = std::clamp<size_t>(processes, 1, std::max<size_t>(functions.all.size(), 1));
  const Parts parts = deal_out(functions.sizes, processes);
  return run_in_processes(parts.size(), [&](size_t part) {
    keep_only(module, functions, parts[part]);
    if (part > 0) leave_out_shared_constants(module);
    return work(module);
  });
}

}  // namespace conclave::compiler
