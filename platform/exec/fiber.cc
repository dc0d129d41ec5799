// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/fiber.h"

#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

// void conclave_switch_stack(void** from, void* to): saves what the caller of a function expects to
// find unchanged, stores the stack pointer in *from, and returns on the stack `to`, where the same
// was done before. conclave_fiber_entry is where a new stack begins: it calls the function in r13
// with r12.
asm(R"(
  .text
  .type conclave_switch_stack, @function
conclave_switch_stack:
  .cfi_startproc
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  sub $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .cfi_endproc
  .size conclave_switch_stack, .-conclave_switch_stack
  .type conclave_fiber_entry, @function
conclave_fiber_entry:
  .cfi_startproc
  .cfi_undefined rip
  mov %r12, %rdi
  call *%r13
  ud2
  .cfi_endproc
  .size conclave_fiber_entry, .-conclave_fiber_entry
)");

extern "C" {
__attribute__((visibility("hidden"))) void conclave_switch_stack(void** from, void* to);
__attribute__((visibility("hidden"))) void conclave_fiber_entry();
}

namespace conclave {
namespace {

// The content of a new stack's end, in the order in which conclave_switch_stack takes it.
struct FirstFrame {
  uint32_t mxcsr = 0;
  uint32_t x87_control = 0;
  uint64_t r15 = 0, r14 = 0, r13 = 0, r12 = 0, rbx = 0, rbp = 0;
  uint64_t return_address = 0;
  uint64_t unused[2] = {};  // the stack pointer at the entry is a multiple of 16
};

}  // namespace

Fiber::Fiber(size_t stack_bytes) : stack_bytes_(stack_bytes) {
  stack_.at_least(stack_bytes);
#if defined(__SANITIZE_THREAD__)
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

void Fiber::start(Body body, void* argument) {
#if defined(__SANITIZE_THREAD__)
  if (!ended_) {  // code that was left has its frames there
    __tsan_destroy_fiber(sanitizer_fiber_);
    sanitizer_fiber_ = __tsan_create_fiber(0);
  }
#endif
  body_ = body;
  argument_ = argument;
  ended_ = false;
  FirstFrame frame;
  asm volatile("stmxcsr %0" : "=m"(frame.mxcsr));
  asm volatile("fnstcw %0" : "=m"(frame.x87_control));
  frame.r12 = reinterpret_cast<uint64_t>(this);
  frame.r13 = reinterpret_cast<uint64_t>(&Fiber::run);
  frame.return_address = reinterpret_cast<uint64_t>(&conclave_fiber_entry);
  std::byte* end = stack_.at_least(stack_bytes_) + stack_bytes_;
  here_ = end - sizeof frame;
  std::memcpy(here_, &frame, sizeof frame);
}

// Not inlined, like suspend(): what they know of the thread is from before the switch.
[[gnu::noinline]] bool Fiber::resume() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_.at_least(stack_bytes_), stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  sanitizer_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_fiber_, 0);
#endif
  conclave_switch_stack(&there_, here_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  return ended_;
}

[[gnu::noinline]] void Fiber::suspend() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(ended_ ? nullptr : &fake_stack, thread_stack_,
                                 thread_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(sanitizer_thread_, 0);
#endif
  conclave_switch_stack(&here_, there_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, &thread_stack_, &thread_stack_bytes_);
#endif
}

void Fiber::run(Fiber* self) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self->thread_stack_, &self->thread_stack_bytes_);
#endif
  self->body_(self->argument_);
  self->ended_ = true;
  self->suspend();
}

}  // namespace conclave
