# SPDX-License-Identifier: Apache-2.0
# Build type, compiler cache and what tests are compiled with, where the user has not chosen them.

get_property(foretell_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT foretell_multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(FORETELL_CCACHE ccache)
mark_as_advanced(FORETELL_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND FORETELL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FORETELL_CCACHE})
endif()

# A compiler cache saves more, and does not reach through a precompiled header unless it is told to be sloppy.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  set(foretell_test_pch OFF)
else()
  set(foretell_test_pch ON)
endif()
# Where starting a program takes long, as with sanitizers, thousands of starts are most of the time.
set(FORETELL_TEST_SHARDS 0 CACHE STRING "CTest tests of a test program, each a share of its cases; 0: one a case")
option(FORETELL_TEST_PCH "Precompile the headers of GoogleTest" ${foretell_test_pch})
# With it a source that lacks an include is not found out.
option(FORETELL_LIBRARY_PCH "Precompile the headers of the standard library" OFF)
# Where these do not optimise and the libraries are optimised, simdjson needs -DSIMDJSON_DEVELOPMENT_CHECKS=0 among
# them: left alone, its classes get members more without optimisation, and tests would not fit the libraries.
set(FORETELL_TEST_FLAGS "" CACHE STRING "Flags of the sources of tests, after all others; a list")
