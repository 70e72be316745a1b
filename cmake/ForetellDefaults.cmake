# SPDX-License-Identifier: Apache-2.0
# Build type and compiler cache, where the user has not chosen them.

get_property(foretell_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT foretell_multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(FORETELL_CCACHE ccache)
mark_as_advanced(FORETELL_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND FORETELL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FORETELL_CCACHE})
endif()
