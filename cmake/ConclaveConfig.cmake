# SPDX-License-Identifier: Apache-2.0
# For find_package(Conclave). OpenCL programs need none of this: they link the loader.
#   Conclave::xrt_coreutil, Conclave::xrt_core  XRT's C++ and C interface
#   Conclave::ocl_util     what TI's programs expect besides OpenCL
#   Conclave::headers      CL/cl_ext_conclave.h
#   Conclave::clocl        the compiler, for add_custom_command(); absent where it was not built
#   Conclave_VENDORS_DIR   the folder with the loader's vendor file, for OCL_ICD_VENDORS
# Works for PREFIX/lib and for PREFIX/lib/<architecture>, and wherever the prefix was moved.
include(CMakeFindDependencyMacro)
find_dependency(OpenCL)

get_filename_component(Conclave_LIBRARY_DIR ${CMAKE_CURRENT_LIST_DIR}/../.. REALPATH)
set(Conclave_PREFIX ${Conclave_LIBRARY_DIR})
while(NOT EXISTS ${Conclave_PREFIX}/include/CL/cl_ext_conclave.h AND NOT Conclave_PREFIX STREQUAL "/")
  get_filename_component(Conclave_PREFIX ${Conclave_PREFIX} DIRECTORY)
endwhile()
if(Conclave_PREFIX STREQUAL "/")
  set(Conclave_FOUND FALSE)
  set(Conclave_NOT_FOUND_MESSAGE "no include/CL/cl_ext_conclave.h above ${Conclave_LIBRARY_DIR}")
  return()
endif()
set(Conclave_INCLUDE_DIR ${Conclave_PREFIX}/include)
# The packages' files for the loader are not in /usr.
set(Conclave_VENDORS_DIR ${Conclave_PREFIX}/etc/OpenCL/vendors/)
if(Conclave_PREFIX STREQUAL "/usr")
  set(Conclave_VENDORS_DIR /etc/OpenCL/vendors/)
endif()

if(NOT TARGET Conclave::headers)
  add_library(Conclave::headers INTERFACE IMPORTED)
  set_target_properties(Conclave::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${Conclave_INCLUDE_DIR})

  add_library(Conclave::ocl_util STATIC IMPORTED)
  set_target_properties(Conclave::ocl_util PROPERTIES
    IMPORTED_LOCATION ${Conclave_LIBRARY_DIR}/libocl_util.a
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_INCLUDE_DIRECTORIES "${Conclave_INCLUDE_DIR}/ti;${Conclave_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES OpenCL::OpenCL)

  # Programs of XRT include <xrt_device.h> as well as <xrt/xrt_device.h>.
  foreach(library xrt_core xrt_coreutil)
    add_library(Conclave::${library} SHARED IMPORTED)
    set_target_properties(Conclave::${library} PROPERTIES
      IMPORTED_LOCATION ${Conclave_LIBRARY_DIR}/lib${library}.so.2
      IMPORTED_SONAME lib${library}.so.2
      INTERFACE_INCLUDE_DIRECTORIES "${Conclave_INCLUDE_DIR};${Conclave_INCLUDE_DIR}/xrt")
  endforeach()
  set_target_properties(Conclave::xrt_coreutil PROPERTIES INTERFACE_LINK_LIBRARIES Conclave::xrt_core)
endif()
if(NOT TARGET Conclave::clocl AND EXISTS ${Conclave_PREFIX}/bin/clocl)
  add_executable(Conclave::clocl IMPORTED)
  set_target_properties(Conclave::clocl PROPERTIES IMPORTED_LOCATION ${Conclave_PREFIX}/bin/clocl)
endif()
