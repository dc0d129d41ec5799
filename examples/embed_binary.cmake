# SPDX-License-Identifier: Apache-2.0
# Programs that are compiled when the project is built, with clocl: the target of that name where it
# is built too, else the program.
if(TARGET clocl)
  set(CLOCL_COMMAND $<TARGET_FILE:clocl> CACHE INTERNAL "The compiler of kernels")
else()
  find_program(CLOCL_COMMAND clocl REQUIRED)
endif()

# In `${result}`: clocl's arguments, with C sources as absolute paths; those in `${result}_files`.
function(clocl_arguments result)
  set(arguments)
  set(files)
  foreach(argument ${ARGN})
    if(argument MATCHES "[.]c$")
      cmake_path(ABSOLUTE_PATH argument)
      list(APPEND files ${argument})
    endif()
    list(APPEND arguments ${argument})
  endforeach()
  set(${result} ${arguments} PARENT_SCOPE)
  set(${result}_files ${files} PARENT_SCOPE)
endfunction()

# compile_binary(<target> <directory> <file.cl> [<more for clocl>...]): makes <stem>.out there.
function(compile_binary target directory source)
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(GET source STEM stem)
  clocl_arguments(arguments ${ARGN})
  add_custom_command(OUTPUT ${directory}/${stem}.out
    COMMAND ${CLOCL_COMMAND} ${source} ${arguments}
    WORKING_DIRECTORY ${directory}
    DEPENDS ${source} ${arguments_files} $<TARGET_NAME_IF_EXISTS:clocl>
    COMMENT "Compiling ${stem}.cl" VERBATIM)
  target_sources(${target} PRIVATE ${directory}/${stem}.out)
endfunction()

# embed_binary(<target> <file.cl> [<more for clocl>...]): makes <stem>_dsp_bin, a char array with
# the program's binary, available to the target as #include "<stem>.dsp_h".
function(embed_binary target source)
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(GET source STEM stem)
  clocl_arguments(arguments ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/${stem}.dsp_h
    COMMAND ${CLOCL_COMMAND} -t ${source} ${arguments}
    WORKING_DIRECTORY ${folder}
    DEPENDS ${source} ${arguments_files} $<TARGET_NAME_IF_EXISTS:clocl>
    COMMENT "Compiling ${stem}.cl" VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${stem}.dsp_h)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

# add_xclbin(<target> <directory> <file.cl> <layout.json>): makes <stem>.xclbin there.
function(add_xclbin target directory source layout)
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(ABSOLUTE_PATH layout)
  cmake_path(GET source STEM stem)
  add_custom_command(OUTPUT ${directory}/${stem}.xclbin
    COMMAND ${CLOCL_COMMAND} -cl-std=CL3.0 --layout ${layout} -o ${directory}/${stem}.xclbin ${source}
    DEPENDS ${source} ${layout} $<TARGET_NAME_IF_EXISTS:clocl>
    COMMENT "Compiling ${stem}.cl" VERBATIM)
  target_sources(${target} PRIVATE ${directory}/${stem}.xclbin)
endfunction()
