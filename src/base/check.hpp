// SPDX-License-Identifier: Apache-2.0
// FORETELL_CHECK: an invariant that no input can break; aborts with the place and the condition.
#pragma once

#include <cstdio>
#include <cstdlib>

#define FORETELL_CHECK(condition)                                                                    \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      std::fprintf(stderr, "foretell: internal error: %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                                  \
    }                                                                                                \
  } while (false)
