# SPDX-License-Identifier: Apache-2.0
# Writes files that name the place of their installation. Variables:
#   prefix, library_directory, bin_directory   where things are once installed
#   output    the folder for conclave.icd, conclave.pc and ti-mct-daemon.service
#   source    the source tree
#   version
file(WRITE ${output}/conclave.icd "${library_directory}/libconclave.so\n")
configure_file(${source}/monitor/ti-mct-daemon.service.in ${output}/ti-mct-daemon.service @ONLY)

# Relative to the file itself, so that a tree can be moved. What compilers know as the system's folders
# has to be called by its name.
set(pc_prefix ${prefix})
set(pc_libraries ${library_directory})
if(NOT prefix STREQUAL "/usr")
  file(RELATIVE_PATH up ${library_directory}/pkgconfig ${prefix})
  string(REGEX REPLACE "/$" "" up ${up})
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libraries "\${pcfiledir}/..")
endif()
configure_file(${source}/cmake/conclave.pc.in ${output}/conclave.pc @ONLY)
