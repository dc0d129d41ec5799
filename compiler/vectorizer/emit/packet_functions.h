// SPDX-License-Identifier: Apache-2.0
// Large builtins that a region calls often, in packets: once, out of line, instead of inlined into
// each call. Code for ten reads of an image takes ten times as long to compile as that for one. So
// are parts of builtins that these keep apart (noinline), for arguments that are seldom.
//
//   %a = call <4 x float> @read_imagef(ptr %image, i32 %sampler, <2 x i32> (%x, %y))
//   =>    ; the stride of %x is 1, %y varies
//   call void @read_imagef.x16.uus1v(i64 0, ptr %slots, ptr %image, i32 %sampler, i32 %x)
//
// The packet function is written for one lane, whose number is its first argument, and made a
// packet form like a region. Uniform scalars are arguments, and so is lane 0 of strided ones; what
// varies, the mask and the results go through memory, a slot for each of them.
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_FUNCTIONS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_FUNCTIONS_H_

#include <llvm/IR/Instructions.h>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// Whether calls of `function` may be calls of a packet function: a large builtin without effects, or
// a part of one that is kept apart.
bool may_be_packet_function(const llvm::Function& function);

// Whether they always are.
bool is_kept_apart(const llvm::Function& function);

// Chooses the calls that stay calls until packets are made; all others are to be inlined.
void choose_packet_calls(llvm::Function& region);
bool is_packet_call(const llvm::CallBase& call);

// Replaces one of them. Functions that are new are there for one lane only, as
// `new_packet_functions` lists them; they are to be made packet forms.
void call_packet_function(llvm::CallInst& call, llvm::Value* mask, PacketValues& values);

// Returns the new ones that the packet form `packet` calls.
llvm::SmallVector<llvm::Function*> new_packet_functions(const llvm::Function& packet);
// Ends the work on one of them, which has its packet form or cannot have one.
void finish_packet_function(llvm::Function& function, bool is_done);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_FUNCTIONS_H_
