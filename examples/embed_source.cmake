# SPDX-License-Identifier: Apache-2.0
# embed_source(<target> <file.cl> <identifier>): makes <identifier>, a char array with the text of
# the file, available to the target as #include "<file.cl>.h". Run with cmake -P, this same file
# does the writing when the source has changed.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  # A string literal may be 65,536 characters long: far more than any of these files.
  file(READ "${SOURCE}" text)
  file(WRITE "${HEADER}" "inline constexpr char ${IDENTIFIER}[] = R\"OpenCL-C(${text})OpenCL-C\";\n")
  return()
endif()

set(EMBED_SOURCE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(embed_source target source identifier)
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(GET source FILENAME name)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(header ${folder}/${name}.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DHEADER=${header} -DIDENTIFIER=${identifier}
            -P ${EMBED_SOURCE_SCRIPT}
    DEPENDS ${source} ${EMBED_SOURCE_SCRIPT}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
