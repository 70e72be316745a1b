# SPDX-License-Identifier: Apache-2.0
# Warnings for our own sources; linked PRIVATE, so that no consumer inherits them.

add_library(foretell_warnings INTERFACE)
target_compile_options(foretell_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror
  -Wno-missing-field-initializers  # designated initialisers rely on member defaults
  # Under clang: what g++ does not count to -Wconversion, and what libstdc++ 12 does inside its stable_sort.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
