# SPDX-License-Identifier: Apache-2.0
# Writes the commit of the source, "unknown" outside git, into a header, only if it has changed:
#   cmake -DSOURCE=DIR -DHEADER=FILE -P commit.cmake
set(commit unknown)
# A source without git may lie in a directory of somebody else's repository.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
file(REAL_PATH ${SOURCE} source)
if(NOT failed AND top STREQUAL source)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${answer})
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define CONCLAVE_COMMIT \"${commit}\"\n" @ONLY)
