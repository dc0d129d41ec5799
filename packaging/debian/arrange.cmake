# SPDX-License-Identifier: Apache-2.0
# Called by CPack when the components are installed below one folder, each as PREFIX=/usr: moves their
# files to Debian's places and adds Debian's own. CPack's variables and cmake/debian_packages.cmake's.
set(debian ${CMAKE_CURRENT_LIST_DIR})
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})

# Runs a command; an error ends the packaging.
function(must_run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# What a manual page or a changelog is in Debian.
function(compress)
  must_run(gzip -9nf ${ARGN})
endfunction()

function(move_libraries package)
  file(GLOB entries ${package}/usr/lib/*)
  list(REMOVE_ITEM entries ${package}/usr/lib/systemd ${package}/usr/lib/debug)
  if(entries)
    file(MAKE_DIRECTORY ${package}/usr/${CPACK_CONCLAVE_LIBRARY_DIR})
    foreach(entry ${entries})
      file(COPY ${entry} DESTINATION ${package}/usr/${CPACK_CONCLAVE_LIBRARY_DIR} USE_SOURCE_PERMISSIONS)
      file(REMOVE_RECURSE ${entry})
    endforeach()
  endif()
endfunction()

function(write_documents package name)
  set(folder ${package}/usr/share/doc/${name})
  file(MAKE_DIRECTORY ${folder})
  file(COPY ${debian}/copyright DESTINATION ${folder})
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${folder}/changelog
"${name} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  compress(${folder}/changelog)
  if(EXISTS ${debian}/${component}/lintian-overrides)
    file(MAKE_DIRECTORY ${package}/usr/share/lintian/overrides)
    configure_file(${debian}/${component}/lintian-overrides ${package}/usr/share/lintian/overrides/${name} COPYONLY)
  endif()
endfunction()

# The terms of what is linked in.
function(copy_third_party folder)
  file(STRINGS ${debian}/../third_party.txt packages REGEX "^[^#]")
  foreach(package ${packages})
    configure_file(/usr/share/doc/${package}/copyright ${folder}/third-party/${package} COPYONLY)
    compress(${folder}/third-party/${package})
  endforeach()
endfunction()

set(prefix /usr)
set(library_directory /usr/${CPACK_CONCLAVE_LIBRARY_DIR})
set(bin_directory /usr/bin)
set(version ${CPACK_PACKAGE_VERSION})
set(source ${CPACK_CONCLAVE_SOURCE})
set(output ${root}/placed)
include(${source}/cmake/placed_files.cmake)

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${root}/${component})
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  move_libraries(${package})
  if(EXISTS ${package}/usr/etc)
    file(RENAME ${package}/usr/etc ${package}/etc)
  endif()
  file(GLOB_RECURSE pages ${package}/usr/share/man/*)
  if(pages)
    compress(${pages})
  endif()
  write_documents(${package} ${name})
endforeach()

file(COPY ${output}/conclave.icd DESTINATION ${root}/runtime/etc/OpenCL/vendors)
file(COPY ${output}/conclave.pc DESTINATION ${root}/dev${library_directory}/pkgconfig)
file(COPY ${output}/ti-mct-daemon.service DESTINATION ${root}/tools/usr/lib/systemd/system)
file(REMOVE_RECURSE ${output})
copy_third_party(${root}/runtime/usr/share/doc/${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME})
