# SPDX-License-Identifier: Apache-2.0
# Installs what find_package(Conclave) finds.
include(CMakePackageConfigHelpers)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/Conclave)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ConclaveConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfig.cmake INSTALL_DESTINATION ${folder}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_SYSCONFDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfigVersion.cmake
        DESTINATION ${folder})
add_library(conclave_headers INTERFACE)
set_target_properties(conclave_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(conclave_headers INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS conclave_headers EXPORT ConclaveTargets)
install(EXPORT ConclaveTargets NAMESPACE Conclave:: DESTINATION ${folder})
