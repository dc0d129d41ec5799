# SPDX-License-Identifier: Apache-2.0
# Links MODULES into OUTPUT with LLVM_LINK and LLVM_AS, and takes out what would cost loading time or
# be carried into kernels for no use: names, attributes and metadata about the library's own
# compilation. With CONVERGENT off also `convergent`, which clang gives to every OpenCL function that
# it cannot see through and which hinders the optimiser: no result of these functions depends on who
# else executes them.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${LLVM_LINK} -S ${MODULES} -o ${OUTPUT}.ll)
file(READ ${OUTPUT}.ll text)
string(REGEX REPLACE "\n!(opencl\\.[a-z.]+|llvm\\.ident|llvm\\.module\\.flags) = [^\n]*" "" text "${text}")
string(REGEX REPLACE "\n(; ModuleID|source_filename) = [^\n]*" "" text "${text}")
string(REGEX REPLACE " \"(frame-pointer|stack-protector-buffer-size|no-trapping-math)\"=\"[a-z0-9]*\"" ""
       text "${text}")
string(REGEX REPLACE " (local_unnamed_addr|dso_local)" "" text "${text}")
if(NOT CONVERGENT)
  string(REPLACE "convergent " "" text "${text}")
endif()
file(WRITE ${OUTPUT}.ll "${text}")
run(${LLVM_AS} ${OUTPUT}.ll -o ${OUTPUT})
file(REMOVE ${OUTPUT}.ll)
