# SPDX-License-Identifier: Apache-2.0
# One static library per directory of the layout table, and its unit tests.

# What every target of ours shares: language level, visibility, include root.
function(foretell_configure_target target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:foretell_warnings>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
endfunction()

# foretell_share_headers(owner [PROGRAM] FLAGS ... LIBRARIES ... HEADERS ...)
# A target of that name, whose only purpose is to own precompiled headers. Of a program where those that use them are
# programs: their sources are compiled with other flags (-fPIE).
function(foretell_share_headers owner)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROGRAM" "" "FLAGS;LIBRARIES;HEADERS")
  if(TARGET ${owner})
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/${owner}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// What owns the precompiled headers needs a source.\n")
  if(arg_PROGRAM)
    add_executable(${owner} EXCLUDE_FROM_ALL ${source})
  else()
    add_library(${owner} STATIC EXCLUDE_FROM_ALL ${source})
  endif()
  foretell_configure_target(${owner})
  target_compile_options(${owner} PRIVATE ${arg_FLAGS})
  target_link_libraries(${owner} PRIVATE ${arg_LIBRARIES})
  target_precompile_headers(${owner} PRIVATE ${arg_HEADERS})
endfunction()

function(foretell_use_headers target owner)
  target_precompile_headers(${target} REUSE_FROM ${owner})
  # clang-tidy reads the commands of g++, whose precompiled headers it warns that it passes over.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-ignored-gch>)
endfunction()

# foretell_test(NAME x LABEL unit SOURCES ... DEPS ... [ENVIRONMENT VAR=value ...])
# A GoogleTest program whose cases, or shards, are single CTest tests with the given label. FORETELL_TEST_FLAGS are added to the
# flags of its own sources, not to those of the libraries.
function(foretell_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LABEL" "SOURCES;DEPS;ENVIRONMENT")
  add_executable(${arg_NAME} ${arg_SOURCES})
  foretell_configure_target(${arg_NAME})
  target_compile_options(${arg_NAME} PRIVATE ${FORETELL_TEST_FLAGS})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest GTest::gtest_main)
  if(FORETELL_TEST_PCH)
    # GoogleTest's headers are half of what the compiler does for a test.
    foretell_share_headers(foretell_googletest_pch PROGRAM
      FLAGS ${FORETELL_TEST_FLAGS}
      LIBRARIES GTest::gmock GTest::gtest GTest::gtest_main
      HEADERS <gmock/gmock.h> <gtest/gtest.h>)
    foretell_use_headers(${arg_NAME} foretell_googletest_pch)
  endif()
  if(FORETELL_TEST_SHARDS EQUAL 0)
    gtest_discover_tests(${arg_NAME}
      DISCOVERY_MODE PRE_TEST
      NO_PRETTY_VALUES  # rows carry their names
      DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${arg_LABEL}" ENVIRONMENT "${arg_ENVIRONMENT}")
    return()
  endif()
  foreach(shard RANGE 1 ${FORETELL_TEST_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${arg_NAME}.${shard} COMMAND ${arg_NAME} --gtest_brief=1)
    set_tests_properties(${arg_NAME}.${shard} PROPERTIES
      LABELS "${arg_LABEL}"
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${FORETELL_TEST_SHARDS};GTEST_SHARD_INDEX=${index};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# foretell_component(NAME x [NOT_INSTALLED] SOURCES ... HEADERS ... [DEPS ...] [PRIVATE_DEPS ...] [TESTS ...])
# Library foretell_x, alias foretell::x; program foretell_x_test when there are TESTS.
function(foretell_component)
  cmake_parse_arguments(PARSE_ARGV 0 arg "NOT_INSTALLED" "NAME" "SOURCES;HEADERS;DEPS;PRIVATE_DEPS;TESTS")
  set(target foretell_${arg_NAME})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(foretell::${arg_NAME} ALIAS ${target})
  foretell_configure_target(${target})
  if(FORETELL_LIBRARY_PCH)
    foretell_share_headers(foretell_library_pch HEADERS
      <algorithm> <array> <cstdint> <functional> <map> <memory> <numeric> <optional> <ranges> <set> <span> <string>
      <string_view> <unordered_map> <utility> <variant> <vector>)
    foretell_use_headers(${target} foretell_library_pch)
  endif()
  # A source includes the header of its name first (tools/check_layers), which shows that this one needs no other. The
  # rest are compiled by themselves.
  set(alone)
  set(sourced)
  foreach(header IN LISTS arg_HEADERS)
    cmake_path(REPLACE_EXTENSION header LAST_ONLY .cpp OUTPUT_VARIABLE source)
    if(source IN_LIST arg_SOURCES)
      list(APPEND sourced ${header})
    else()
      list(APPEND alone ${header})
    endif()
  endforeach()
  target_sources(${target} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${alone}
    FILE_SET sourced_headers TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${sourced})
  target_link_libraries(${target} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${arg_NAME}
    VERIFY_INTERFACE_HEADER_SETS ON
    INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  if(NOT arg_NOT_INSTALLED)
    set_property(GLOBAL APPEND PROPERTY FORETELL_COMPONENTS ${target})
  endif()

  if(arg_TESTS AND FORETELL_BUILD_TESTS)
    foretell_test(NAME ${target}_test LABEL unit SOURCES ${arg_TESTS}
                  DEPS foretell::${arg_NAME} ${arg_DEPS} ${arg_PRIVATE_DEPS})
  endif()
endfunction()

if(FORETELL_BUILD_TESTS)
  include(GoogleTest)
endif()
