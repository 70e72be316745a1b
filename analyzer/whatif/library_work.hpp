// SPDX-License-Identifier: Apache-2.0
// Bytes and flops of what libraries compute: matrix products, convolutions, attention.
#pragma once

#include <cstddef>

#include "analyzer/whatif/op_arguments.hpp"
#include "analyzer/whatif/op_work.hpp"

namespace foretell::whatif {

// All give an empty OpWork where the arguments don't fit each other or miss what is needed.

// Arguments `first` and `first` + 1: A[.., m, k] x B[.., k, n], or B[n, k]. What stands before them is added.
OpWork multiply(const OpArguments& in, std::size_t first, bool second_transposed);

// Input, weight, and the lists stride, padding, dilation or padding, stride, dilation.
OpWork convolve(const OpArguments& in, bool padding_first);

// `gradients`: how many of those of input and weight are computed.
OpWork convolve_backward(const OpArguments& in, std::size_t gradient_at, std::size_t weight_at,
                         double gradients);
// From the mask of the last argument, "[True, True, False]"; 2 where it is not recorded.
double count_wanted_gradients(const OpArguments& in);

// q, k, v from argument `first` on, behind the gradient when that is 1. Dimension `length_at` is the
// sequence.
OpWork attend(const OpArguments& in, std::size_t first, std::size_t length_at);

}  // namespace foretell::whatif
