# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install` gives: headers, libtilewright.a, the tools, the bitcode libraries, a CMake package, pkg-config
# and the documents. The package of a build tree (tilewright_DIR=<build>/cmake) offers the same targets and functions.

include(CMakePackageConfigHelpers)

set(TW_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/tilewright")
# Not CMAKE_INSTALL_DOCDIR, which is the containing project's where there is one.
set(TW_INSTALL_DOCDIR "${CMAKE_INSTALL_DATAROOTDIR}/doc/tilewright")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/abi/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

install(TARGETS tilewright tilewright_abi EXPORT tilewright-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set_target_properties(tilewright_abi PROPERTIES EXPORT_NAME abi)
foreach(library IN ITEMS key hip instance)
  if(TARGET tilewright_${library})
    install(TARGETS tilewright_${library} EXPORT tilewright-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(tilewright_${library} PROPERTIES EXPORT_NAME ${library})
  endif()
endforeach()
if(TW_BUILD_GENERATOR)
  set_target_properties(tilewright-tool PROPERTIES EXPORT_NAME tool)
  install(TARGETS tw-emulate RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(TARGETS tilewright-tool tw-opt EXPORT tilewright-targets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/lib/tilewright/bitcode/" DESTINATION lib/tilewright/bitcode
    FILES_MATCHING PATTERN "*.bc" PATTERN "*.o")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/lib/tilewright/runtime/" DESTINATION lib/tilewright/runtime)
  # The component `encodings`, for compilers: it needs MLIR.
  foreach(folder IN ITEMS "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
    install(DIRECTORY "${folder}/generator/include/tilewright/Dialect" "${folder}/generator/include/tilewright/Encoding"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tilewright"
      FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.h.inc" PATTERN CMakeFiles EXCLUDE)
  endforeach()
  install(FILES "${PROJECT_SOURCE_DIR}/generator/include/tilewright/Devices/Devices.h"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tilewright/Devices")
  set_target_properties(tilewright_encodings_plugin PROPERTIES EXPORT_NAME encodings_plugin)
  install(TARGETS tilewright_encodings tilewright_devices tilewright_encodings_plugin EXPORT tilewright-encodings-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION lib/tilewright)
  install(EXPORT tilewright-encodings-targets NAMESPACE tilewright:: DESTINATION "${TW_INSTALL_CMAKEDIR}")
  export(EXPORT tilewright-encodings-targets NAMESPACE tilewright::
    FILE "${PROJECT_BINARY_DIR}/cmake/tilewright-encodings-targets.cmake")
endif()
install(EXPORT tilewright-targets NAMESPACE tilewright:: DESTINATION "${TW_INSTALL_CMAKEDIR}")
export(EXPORT tilewright-targets NAMESPACE tilewright:: FILE "${PROJECT_BINARY_DIR}/cmake/tilewright-targets.cmake")

# The functions that users' builds call, beside the configuration file in both trees.
set(user_modules TilewrightAddTiles.cmake TilewrightFindEncodings.cmake TilewrightFindTool.cmake TilewrightResolveTiles.cmake)
foreach(module IN LISTS user_modules)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${module}" "${PROJECT_BINARY_DIR}/cmake/${module}" COPYONLY)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/${module}" DESTINATION "${TW_INSTALL_CMAKEDIR}")
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tilewright-config.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/tilewright-config.cmake" INSTALL_DESTINATION "${TW_INSTALL_CMAKEDIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/tilewright-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cmake/tilewright-config.cmake"
  "${PROJECT_BINARY_DIR}/cmake/tilewright-config-version.cmake"
  DESTINATION "${TW_INSTALL_CMAKEDIR}")

file(RELATIVE_PATH TW_PC_TO_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tilewright.pc.in" "${PROJECT_BINARY_DIR}/tilewright.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tilewright.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${TW_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${TW_INSTALL_DOCDIR}/docs")
