# SPDX-License-Identifier: Apache-2.0
# Installs what find_package(Conclave) and pkg-config find, and the files that name their own place.
include(CMakePackageConfigHelpers)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/Conclave)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/ConclaveConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfigVersion.cmake
        DESTINATION ${folder} COMPONENT dev)

# Written when they are installed: cmake --install may be given another prefix.
set(placed ${CMAKE_CURRENT_BINARY_DIR}/placed)
install(CODE "
  block()
  set(prefix \${CMAKE_INSTALL_PREFIX})
  cmake_path(APPEND library_directory \${prefix} ${CMAKE_INSTALL_LIBDIR})
  cmake_path(APPEND bin_directory \${prefix} ${CMAKE_INSTALL_BINDIR})
  set(version ${PROJECT_VERSION})
  set(source ${PROJECT_SOURCE_DIR})
  set(output ${placed})
  include(${CMAKE_CURRENT_LIST_DIR}/placed_files.cmake)
  endblock()" ALL_COMPONENTS)
install(FILES ${placed}/conclave.icd DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/OpenCL/vendors COMPONENT runtime)
install(FILES ${placed}/conclave.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES ${placed}/ti-mct-daemon.service DESTINATION lib/systemd/system COMPONENT tools)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/packaging/slurm/conclave-task-prolog
                 ${PROJECT_SOURCE_DIR}/packaging/slurm/conclave-slurm-metrics
        DESTINATION ${CMAKE_INSTALL_DATADIR}/conclave/slurm COMPONENT tools)
