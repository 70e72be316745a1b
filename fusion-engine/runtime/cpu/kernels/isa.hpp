// SPDX-License-Identifier: Apache-2.0
// What is compiled once per instruction set: functions over contiguous blocks of elements in the first-level
// cache or in memory. Everything about shapes, strides and sharing of work is in the drivers, compiled once.
//
// The block files include no standard header: an inline function compiled for a newer machine must not become
// the program's only copy.
#pragma once

namespace foretell::runtime::cpu::kernels {

// In the order of ir::DType; drivers check that.
enum class Element : int { F32, F64, BF16, F16, I32, I64, Bool };
inline constexpr int kElements = 7;

// In the order of ir::OpKind, where the elementwise rows come first.
enum class Row : int {
#define FORETELL_ELEMENTWISE(kind, ...) kind,
#include "fusion-engine/ir/op_rows.inc"
  kCount,
};
inline constexpr int kRows = static_cast<int>(Row::kCount);

// out[i] = row(a[i], b[i], c[i]). Operands beyond the arity are not read. bool operands and results are
// bytes.
// `stream`: results go past the caches; to be fenced.
using BlockFunction = void (*)(const void* a, const void* b, const void* c, void* out, long n, bool stream);
using CastFunction = void (*)(const void* in, void* out, long n);

// Elements first, first + 1, ... of the random stream (seed, counter).
struct RandomBlock {
  unsigned long seed;
  unsigned long counter;
  unsigned long first;
  double probability;  // of dropout
};

// Memory that is read next; may be of no bytes.
struct NextRead {
  const void* data;
  long bytes;
};

// Of f32 or f64. Sums of a block are taken in T with fixed lanes and returned as double.
template <class T>
struct FloatBlocks {
  double (*sum)(const T* x, long n);
  double (*sum_of_squares)(const T* x, double center, long n);  // of x - center
  T (*largest)(const T* x, long n);                             // n > 0; NaN if any is
  T (*smallest)(const T* x, long n);
  // into[i] = into[i] op x[i]; the squares are those of x[i] - center[i].
  void (*add_to)(T* into, const T* x, long n);
  void (*add_squares_to)(T* into, const T* x, const T* center, long n);
  void (*largest_to)(T* into, const T* x, long n);
  void (*smallest_to)(T* into, const T* x, long n);

  BlockFunction gelu;  // of one operand
  BlockFunction gelu_tanh;
  BlockFunction silu;
  BlockFunction gelu_grad;  // of x and the cotangent
  BlockFunction gelu_tanh_grad;
  BlockFunction silu_grad;
  void (*uniform)(const RandomBlock& block, T* out, long n);
  void (*normal)(const RandomBlock& block, T* out, long n);
  void (*dropout)(const RandomBlock& block, const T* x, T* out, long n);

  // Of one row; out may be x. weight and bias may be null. softmax's exponentials may be out, and its result
  // is multiplied by the factor.
  void (*softmax)(const T* x, T factor, T* exponentials, T* out, long n, bool stream);
  void (*log_softmax)(const T* x, T* out, long n, bool stream);
  T (*log_sum_exp)(const T* x, T largest, long n);  // log of the sum of exp(x - largest)
  void (*layer_norm)(const T* x, const T* weight, const T* bias, T* out, long n, double epsilon, bool stream);
  void (*rms_norm)(const T* x, const T* weight, T* out, long n, double epsilon, bool stream);
  // out = (x - center) * scale * weight + bias; out may be x.
  void (*normalize)(const T* x, T* out, long n, T center, T scale, T weight, T bias, bool stream);
  // Cotangents of one row, from the cotangent of what was made of it: of y the result, of x the operand.
  void (*softmax_grad)(const T* y, const T* dy, T* out, long n, bool stream);
  void (*log_softmax_grad)(const T* y, const T* dy, T* out, long n, bool stream);
  void (*layer_norm_grad)(const T* x, const T* dy, const T* weight, T* out, long n, double epsilon,
                          bool stream);
  void (*rms_norm_grad)(const T* x, const T* dy, const T* weight, T* out, long n, double epsilon,
                        bool stream);
  // into[i] = into[i] + dy[i] * what the norm makes of x[i].
  void (*add_layer_norm_products)(const T* x, const T* dy, T* into, long n, double epsilon);
  void (*add_rms_norm_products)(const T* x, const T* dy, T* into, long n, double epsilon);
  // scores[j] = scale * dot(q, k + j * row) for j < keys; out = sum of weights[j] * (v + j * row).
  void (*scores)(const T* q, const T* k, long row, long width, long keys, T scale, T* out);
  void (*weighted_sum)(const T* weights, const T* v, long row, long width, long keys, T* out);
};

// i32 and bool are reduced as i64.
struct IntegerBlocks {
  long (*sum)(const long* x, long n);  // wraps
  long (*largest)(const long* x, long n);
  long (*smallest)(const long* x, long n);
  void (*add_to)(long* into, const long* x, long n);
  void (*largest_to)(long* into, const long* x, long n);
  void (*smallest_to)(long* into, const long* x, long n);
};

// Without initializers: its constructor would be one of those functions.
struct Isa {
  const char* name;
  int vector_bytes;
  // By element type; null where the row's types don't allow it, and for the comparisons and selections of
  // narrow floats, which are done in f32.
  BlockFunction elementwise[kRows][kElements];
  CastFunction cast[kElements][kElements];  // [from][to]; null for equal types
  // A copy with streaming stores; not fenced. Meanwhile what will be read next is fetched into the cache:
  // computing a block and storing it past the caches would else take turns in waiting for memory.
  void (*stream_copy)(void* to, const void* from, long bytes, const NextRead& next);
  void (*stream_fence)();
  FloatBlocks<float> f32;
  FloatBlocks<double> f64;
  IntegerBlocks i64;
};

// The best instruction set of this machine.
const Isa& isa();
// All that this machine has, by index; null beyond. For tests.
const Isa* isa_at(int index);

}  // namespace foretell::runtime::cpu::kernels
