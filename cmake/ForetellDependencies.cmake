# SPDX-License-Identifier: Apache-2.0
# Third-party libraries; all of them are packages of Debian 12.

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(ISAL 2.30 REQUIRED)
if(FORETELL_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
endif()
if(FORETELL_BUILD_TESTS OR FORETELL_BUILD_BENCH)
  find_package(ZLIB REQUIRED)
endif()
if(FORETELL_BUILD_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
