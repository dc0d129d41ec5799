# SPDX-License-Identifier: Apache-2.0
# Installs, as component `symbols`, what strip takes from programs and libraries: names, and lines for
# debuggers and profilers, which find them by the build id. Not part of a plain installation.
set(files)
foreach(target conclave xrt_core xrt_coreutil clocl ti-mctd ti-mct-heap-check conclave_tool)
  if(TARGET ${target})
    list(APPEND files $<TARGET_FILE:${target}>)
  endif()
endforeach()
install(CODE "
  foreach(file ${files})
    execute_process(COMMAND ${CMAKE_READELF} --notes --wide \${file} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
    if(NOT notes MATCHES \"Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)\")
      message(FATAL_ERROR \"\${file} has no build id\")
    endif()
    set(symbols \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/debug/.build-id/\${CMAKE_MATCH_1}/\${CMAKE_MATCH_2}.debug)
    get_filename_component(folder \${symbols} DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND ${CMAKE_OBJCOPY} --only-keep-debug --compress-debug-sections \${file} \${symbols}
      COMMAND_ERROR_IS_FATAL ANY)
    file(CHMOD \${symbols} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endforeach()" COMPONENT symbols EXCLUDE_FROM_ALL)
