# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the program, and the libraries for find_package(foretell).

include(CMakePackageConfigHelpers)

set(FORETELL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/foretell)
get_property(foretell_components GLOBAL PROPERTY FORETELL_COMPONENTS)

install(TARGETS foretell RUNTIME)
install(TARGETS ${foretell_components} EXPORT foretellTargets
  ARCHIVE
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foretell
  FILE_SET sourced_headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foretell)
install(EXPORT foretellTargets NAMESPACE foretell:: DESTINATION ${FORETELL_CMAKE_DIR})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/foretellConfig.cmake.in foretellConfig.cmake
  INSTALL_DESTINATION ${FORETELL_CMAKE_DIR})
write_basic_package_version_file(foretellConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/foretellConfig.cmake
  ${PROJECT_BINARY_DIR}/foretellConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindISAL.cmake
  DESTINATION ${FORETELL_CMAKE_DIR})
install(FILES ${PROJECT_SOURCE_DIR}/reports/schema/analyze.schema.json
              ${PROJECT_SOURCE_DIR}/reports/schema/probe.schema.json
              ${PROJECT_SOURCE_DIR}/reports/schema/run.schema.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/foretell/schema)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
