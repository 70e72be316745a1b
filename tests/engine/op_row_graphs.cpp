// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/op_row_graphs.hpp"

#include <fmt/format.h>

#include <map>

#include "fusion-engine/ir/text.hpp"
#include "src/base/check.hpp"

namespace foretell::tests {
namespace {

// How an operand `x` comes about: of shape [6,67] to the op, 67 being odd and above every vector width.
struct Layout {
  std::string_view name;
  std::string_view lines;  // T: the dtype, N: the operand's number
};
const std::vector<Layout> kLayouts{
    {"dense", "xN = input(to=T, shape=[6,67])"},
    {"row", "xN = input(to=T, shape=[67])"},
    {"column", "xN = input(to=T, shape=[6,1])"},
    {"scalar", "xN = input(to=T, shape=[])"},
    {"transposed", "wN = input(to=T, shape=[67,6])\nxN = permute(wN, permutation=[1,0])"},
    {"strided",
     "wN = input(to=T, shape=[13,140])\n"
     "xN = slice(wN, starts=[1,3], limits=[13,137], steps=[2,2])"},
    {"expanded", "wN = input(to=T, shape=[67])\nxN = expand(wN, shape=[6,67])"},
    {"reshaped", "wN = input(to=T, shape=[2,201])\nxN = reshape(wN, shape=[6,67])"},
    {"one_element", "xN = input(to=T, shape=[1,1])"},
    {"special", "special_N = input(to=T, shape=[6,67])\nxN = reshape(special_N, shape=[6,67])"},
    {"empty", "xN = input(to=T, shape=[0,67])"},
};
// Layouts of (first, second, third) operand: each of the first with a dense second, and mixtures.
struct Combination {
  std::size_t a, b, c;
};
const std::vector<Combination> kCombinations{{0, 0, 0}, {1, 0, 2}, {2, 1, 0}, {0, 3, 1},  {3, 0, 3},
                                             {4, 0, 4}, {0, 4, 5}, {5, 5, 0}, {6, 0, 1},  {7, 4, 6},
                                             {8, 8, 8}, {9, 9, 9}, {9, 0, 0}, {10, 10, 1}};

// The pattern with T after '=' as the dtype and N as the number.
std::string with(std::string_view pattern, std::string_view dtype, std::size_t number) {
  std::string text;
  char before = ' ';
  for (const char c : pattern) {
    if (c == 'T' && before == '=') {
      text += dtype;
    } else if (c == 'N') {
      text += fmt::format("{}", number);
    } else {
      text += c;
    }
    before = c;
  }
  return text;
}

bool takes(ir::TypeRule rule, ir::DType dtype) {
  switch (rule) {
    case ir::TypeRule::Float: return ir::is_float(dtype);
    case ir::TypeRule::Logical: return dtype == ir::DType::Bool;
    case ir::TypeRule::Numeric: return dtype != ir::DType::Bool;
    default: return true;
  }
}

// The elementwise op over all layouts; and over positive operands, in the middle of a chain.
std::vector<std::string> elementwise_graphs(const ir::OpInfo& op, ir::DType dtype) {
  std::vector<std::string> texts;
  const std::string_view name = ir::to_string(dtype);
  for (const Combination& combination : kCombinations) {
    std::string text = "graph row\n";
    std::string operands;
    const std::size_t layouts[]{combination.a, combination.b, combination.c};
    for (std::size_t k = 0; k < op.max_arity; ++k) {
      const bool is_condition = op.types == ir::TypeRule::Select && k == 0;
      text += with(kLayouts[layouts[k]].lines, is_condition ? "bool" : name, k) + "\n";
      operands += fmt::format("{}x{}", k > 0 ? ", " : "", k);
    }
    texts.push_back(text + fmt::format("y = {}({})\nreturn y=y\n", op.name, operands));
  }
  if (op.types == ir::TypeRule::Float) {
    std::string text = fmt::format("graph row\nh = constant(value=0.5, to={})\n", name);
    std::string operands;
    for (std::size_t k = 0; k < op.max_arity; ++k) {
      text += fmt::format("i{0} = input(to={1}, shape=[3,1001])\na{0} = abs(i{0})\nx{0} = add(a{0}, h)\n", k,
                          name);
      operands += fmt::format("{}x{}", k > 0 ? ", " : "", k);
    }
    texts.push_back(text + fmt::format("z = {}({})\ny = mul(z, h)\nreturn y=y\n", op.name, operands));
  }
  return texts;
}

// The other ops: bodies over x and further inputs; y is the result. T is the dtype.
const std::multimap<std::string_view, std::string_view> kBodies{
    {"iota", "y = iota(shape=[5,7], axis=1, to=T)"},
    {"iota", "y = iota(shape=[5,7], axis=0, to=T)"},
    {"constant", "x = input(to=T, shape=[3])\nc = constant(value=2, to=T)\ny = expand(c, shape=[4,3])"},
    {"input", "y = input(to=T, shape=[3,5])"},
    {"random_uniform", "y = random_uniform(shape=[3,67], to=T, seed=2, counter=3)"},
    {"random_uniform",
     "y = random_uniform(shape=[3,67], to=T, seed=-7046029254386353131, counter=4294967299)"},
    {"sum", "x = input(to=T, shape=[6,67])\ny = sum(x, axes=[1])"},
    {"sum", "x = input(to=T, shape=[6,67])\ny = sum(x, axes=[0])"},
    {"sum", "x = input(to=T, shape=[6,67])\ny = sum(x, axes=[0,1])"},
    {"sum", "x = input(to=T, shape=[5,6,67])\ny = sum(x, axes=[1], keep_dims=true)"},
    {"sum", "x = input(to=T, shape=[5,6,67])\ny = sum(x, axes=[0,2])"},
    {"sum", "x = input(to=T, shape=[3,20000])\ny = sum(x, axes=[1])"},
    {"sum", "w = input(to=T, shape=[67,6])\nx = permute(w, permutation=[1,0])\ny = sum(x, axes=[1])"},
    {"sum", "x = input(to=T, shape=[7,1])\ny = sum(x, axes=[1])"},
    {"sum", "x = input(to=T, shape=[0,67])\ny = sum(x, axes=[0])"},
    {"sum", "x = input(to=T, shape=[0,67])\ny = sum(x, axes=[1])"},
    {"matmul", "a = input(to=T, shape=[17,0])\nb = input(to=T, shape=[0,9])\ny = matmul(a, b)"},
    {"concat", "x = input(to=T, shape=[6,0])\nz = input(to=T, shape=[6,5])\ny = concat(x, z, axis=1)"},
    {"pad", "x = input(to=T, shape=[0,3])\ny = pad(x, before=[1,0], after=[1,1])"},
    {"gather",
     "x = input(to=T, shape=[6,67])\nindex_67_i = input(to=i32, shape=[2,3])\n"
     "y = gather(x, index_67_i, axis=1)"},
    {"gather",
     "x = input(to=T, shape=[6,5,3])\nindex_5_i = input(to=i32, shape=[])\n"
     "y = gather(x, index_5_i, axis=1)"},
    {"host_read", "x = input(to=T, shape=[6,67])\ny = host_read(x)"},
    {"host_read", "w = input(to=T, shape=[67,6])\nx = permute(w, permutation=[1,0])\ny = host_read(x)"},
    {"scatter_add",
     "x = input(to=T, shape=[6,67])\nindex_6_i = input(to=i64, shape=[2,3])\n"
     "u = input(to=T, shape=[2,3,67])\ny = scatter_add(x, index_6_i, u, axis=0)"},
    {"mean", "x = input(to=T, shape=[6,67])\ny = mean(x, axes=[1])"},
    {"mean", "x = input(to=T, shape=[6,67])\ny = mean(x, axes=[0], keep_dims=true)"},
    {"mean", "x = input(to=T, shape=[6,67])\ny = mean(x, axes=[0,1])"},
    {"amax", "x = input(to=T, shape=[6,67])\ny = amax(x, axes=[1])"},
    {"amax", "x = input(to=T, shape=[6,67])\ny = amax(x, axes=[0])"},
    {"amax", "special_1 = input(to=T, shape=[40,3])\ny = amax(special_1, axes=[1])"},
    {"amin", "x = input(to=T, shape=[6,67])\ny = amin(x, axes=[1])"},
    {"amin", "x = input(to=T, shape=[6,67])\ny = amin(x, axes=[0,1])"},
    {"amin", "special_1 = input(to=T, shape=[40,3])\ny = amin(special_1, axes=[1])"},
    {"var", "x = input(to=T, shape=[6,67])\ny = var(x, axes=[1])"},
    {"var", "x = input(to=T, shape=[6,67])\ny = var(x, axes=[0], correction=1, keep_dims=true)"},
    {"var",
     "x = input(to=T, shape=[6,67])\nc = constant(value=100, to=T)\nz = add(x, c)\ny = var(z, axes=[0,1])"},
    {"argmax", "x = input(to=T, shape=[6,67])\ny = argmax(x, axis=1)"},
    {"argmax", "x = input(to=T, shape=[6,67])\ny = argmax(x, axis=0, keep_dims=true)"},
    {"argmax", "special_1 = input(to=T, shape=[40,3])\ny = argmax(special_1, axis=1)"},
    {"matmul", "a = input(to=T, shape=[17,33])\nb = input(to=T, shape=[33,9])\ny = matmul(a, b)"},
    {"matmul",
     "a = input(to=T, shape=[33,17])\nb = input(to=T, shape=[9,33])\n"
     "y = matmul(a, b, transpose_a=true, transpose_b=true)"},
    {"matmul", "a = input(to=T, shape=[4,17,33])\nb = input(to=T, shape=[33,9])\ny = matmul(a, b)"},
    {"matmul", "a = input(to=T, shape=[2,1,5,8])\nb = input(to=T, shape=[3,8,4])\ny = matmul(a, b)"},
    {"matmul",
     "w = input(to=T, shape=[33,17])\na = permute(w, permutation=[1,0])\n"
     "b = input(to=T, shape=[33,9])\ny = matmul(a, b)"},
    {"matmul", "a = input(to=T, shape=[1,1])\nb = input(to=T, shape=[1,1])\ny = matmul(a, b)"},
    {"permute", "x = input(to=T, shape=[5,6,67])\ny = permute(x, permutation=[2,0,1])"},
    {"permute",
     "x = input(to=T, shape=[6,67])\nz = permute(x, permutation=[1,0])\nc = eq(z, z)\ny = where(c, z, z)"},
    {"reshape",
     "x = input(to=T, shape=[6,67])\nz = permute(x, permutation=[1,0])\ny = reshape(z, shape=[-1])"},
    {"reshape", "x = input(to=T, shape=[6,67])\ny = reshape(x, shape=[67,6])"},
    {"slice", "x = input(to=T, shape=[13,140])\ny = slice(x, starts=[1,3], limits=[13,137], steps=[2,3])"},
    {"slice",
     "x = input(to=T, shape=[13,140])\nz = slice(x, starts=[1,3], limits=[13,137], steps=[2,3])\n"
     "y = permute(z, permutation=[1,0])"},
    {"expand", "x = input(to=T, shape=[6,1])\ny = expand(x, shape=[3,6,67])"},
    {"concat", "x = input(to=T, shape=[6,67])\nz = input(to=T, shape=[6,5])\ny = concat(x, z, x, axis=1)"},
    {"concat", "x = input(to=T, shape=[6,67])\nz = input(to=T, shape=[1,67])\ny = concat(x, z, axis=0)"},
    {"concat", "x = input(to=T, shape=[6,67])\nw = permute(x, permutation=[1,0])\ny = concat(w, w, axis=0)"},
    {"pad", "x = input(to=T, shape=[6,67])\ny = pad(x, before=[1,2], after=[0,3], value=1)"},
    {"pad", "x = input(to=T, shape=[6,67])\ny = pad(x, before=[0,0], after=[1,0])"},
    {"gather",
     "x = input(to=T, shape=[6,67])\nindex_6_i = input(to=i64, shape=[9])\n"
     "y = gather(x, index_6_i, axis=0)"},
    {"gather",
     "x = input(to=T, shape=[6,67])\nindex_67_i = input(to=i32, shape=[100])\n"
     "y = gather(x, index_67_i, axis=1)"},
    {"scatter_add",
     "x = input(to=T, shape=[6,67])\nindex_6_i = input(to=i64, shape=[9])\n"
     "u = input(to=T, shape=[9,67])\ny = scatter_add(x, index_6_i, u, axis=0)"},
    {"scatter_add",
     "x = input(to=T, shape=[6,67])\nindex_67_i = input(to=i32, shape=[100])\n"
     "u = input(to=T, shape=[6,100])\ny = scatter_add(x, index_67_i, u, axis=1)"},
    {"index_copy",
     "x = input(to=T, shape=[6,67])\nindex_67_i = input(to=i32, shape=[100])\n"
     "u = input(to=T, shape=[6,100])\ny = index_copy(x, index_67_i, u, axis=1)"},
    {"index_copy",
     "x = input(to=T, shape=[67,6])\nt = permute(x, permutation=[1,0])\nindex_6_i = input(to=i64, "
     "shape=[2,3])\n"
     "u = input(to=T, shape=[2,3,67])\ny = index_copy(t, index_6_i, u, axis=0)"},
    {"conv2d",
     "x = input(to=T, shape=[2,5,7,6])\nw = input(to=T, shape=[7,5,3,3])\ny = conv2d(x, w, padding=[1,1])"},
    {"conv2d",
     "x = input(to=T, shape=[2,6,7,5])\nw = input(to=T, shape=[9,2,1,1])\ny = conv2d(x, w, groups=3)"},
    {"conv2d_input_grad",
     "dy = input(to=T, shape=[2,7,4,3])\nw = input(to=T, shape=[7,5,3,3])\n"
     "y = conv2d_input_grad(dy, w, shape=[2,5,8,6], strides=[2,2], padding=[1,1])"},
    {"conv2d_weight_grad",
     "x = input(to=T, shape=[3,4,7,6])\ndy = input(to=T, shape=[3,6,5,2])\n"
     "y = conv2d_weight_grad(x, dy, shape=[6,2,3,3], dilation=[1,2], groups=2)"},
    {"random_normal", "y = random_normal(shape=[3,67], to=T, seed=2, counter=3)"},
    {"dropout", "x = input(to=T, shape=[6,67])\ny = dropout(x, probability=0.3, seed=2, counter=3)"},
    {"softmax", "x = input(to=T, shape=[6,67])\ny = softmax(x, axis=1)"},
    {"softmax", "x = input(to=T, shape=[6,67])\ny = softmax(x, axis=0)"},
    {"softmax", "x = input(to=T, shape=[2,5000])\ny = softmax(x, axis=1)"},
    {"log_softmax", "x = input(to=T, shape=[6,67])\ny = log_softmax(x, axis=1)"},
    {"layer_norm", "x = input(to=T, shape=[6,67])\ny = layer_norm(x)"},
    {"layer_norm",
     "x = input(to=T, shape=[4,6,67])\nw = input(to=T, shape=[67])\nb = input(to=T, shape=[67])\n"
     "y = layer_norm(x, w, b)"},
    {"rms_norm", "x = input(to=T, shape=[6,67])\nw = input(to=T, shape=[67])\ny = rms_norm(x, w)"},
    {"rms_norm", "x = input(to=T, shape=[31,1])\ns = softmax(x, axis=1)\ny = rms_norm(s)"},
    {"group_norm", "x = input(to=T, shape=[3,6,5,7])\ny = group_norm(x, groups=3)"},
    {"group_norm",
     "x = input(to=T, shape=[2,8,67])\nw = input(to=T, shape=[8])\nb = input(to=T, shape=[8])\n"
     "y = group_norm(x, w, b, groups=2)"},
    {"batch_norm",
     "x = input(to=T, shape=[3,6,5,7])\nw = input(to=T, shape=[6])\nb = input(to=T, shape=[6])\n"
     "y = batch_norm(x, w, b)"},
    {"batch_norm",
     "x = input(to=T, shape=[9,6])\nw = input(to=T, shape=[6])\nm = input(to=T, shape=[6])\n"
     "v = square(w)\ny = batch_norm(x, w, m, m, v, epsilon=0.5)"},
    {"upsample_nearest", "x = input(to=T, shape=[2,3,5,7])\ny = upsample_nearest(x, factor=2)"},
    {"gelu", "x = input(to=T, shape=[6,67])\ny = gelu(x)"},
    {"gelu", "x = input(to=T, shape=[6,67])\ny = gelu(x, approximate=true)"},
    {"silu", "x = input(to=T, shape=[6,67])\ny = silu(x)"},
    {"attention",
     "q = input(to=T, shape=[2,17,8])\nk = input(to=T, shape=[2,33,8])\n"
     "v = input(to=T, shape=[2,33,5])\ny = attention(q, k, v)"},
    {"attention",
     "q = input(to=T, shape=[17,8])\nk = input(to=T, shape=[17,8])\nv = input(to=T, shape=[17,8])\n"
     "y = attention(q, k, v, causal=true)"},
    {"attention",
     "q = input(to=T, shape=[2,3,17,8])\nk = input(to=T, shape=[2,3,9,8])\n"
     "v = input(to=T, shape=[2,3,9,8])\nm = input(to=T, shape=[17,9])\ny = attention(q, k, v, m)"},
    {"cross_entropy",
     "x = input(to=T, shape=[6,67])\nindex_67_t = input(to=i64, shape=[6])\n"
     "y = cross_entropy(x, index_67_t)"},
    {"softmax_grad",
     "x = input(to=T, shape=[6,67])\ns = softmax(x, axis=1)\nd = input(to=T, shape=[6,67])\n"
     "y = softmax_grad(s, d, axis=1)"},
    {"softmax_grad",
     "x = input(to=T, shape=[5,6,7])\nd = input(to=T, shape=[5,6,7])\ny = softmax_grad(x, d, axis=1)"},
    {"log_softmax_grad",
     "x = input(to=T, shape=[6,67])\ns = log_softmax(x, axis=1)\nd = input(to=T, shape=[6,67])\n"
     "y = log_softmax_grad(s, d, axis=1)"},
    {"log_softmax_grad",
     "x = input(to=T, shape=[67,6])\nd = input(to=T, shape=[67,6])\ny = log_softmax_grad(x, d, axis=0)"},
    {"layer_norm_grad",
     "x = input(to=T, shape=[4,6,67])\nd = input(to=T, shape=[4,6,67])\nw = input(to=T, shape=[67])\n"
     "y = layer_norm_grad(x, d, w)"},
    {"layer_norm_grad",
     "x = input(to=T, shape=[6,67])\nd = input(to=T, shape=[6,67])\ny = layer_norm_grad(x, d, "
     "epsilon=0.001)"},
    {"layer_norm_weight_grad",
     "x = input(to=T, shape=[4,6,67])\nd = input(to=T, shape=[4,6,67])\ny = layer_norm_weight_grad(x, d)"},
    {"layer_norm_weight_grad",
     "x = input(to=T, shape=[0,67])\nd = input(to=T, shape=[0,67])\ny = layer_norm_weight_grad(x, d)"},
    {"rms_norm_grad",
     "x = input(to=T, shape=[6,67])\nd = input(to=T, shape=[6,67])\nw = input(to=T, shape=[67])\n"
     "y = rms_norm_grad(x, d, w)"},
    {"rms_norm_grad", "x = input(to=T, shape=[67])\nd = input(to=T, shape=[67])\ny = rms_norm_grad(x, d)"},
    {"rms_norm_weight_grad",
     "x = input(to=T, shape=[700,19])\nd = input(to=T, shape=[700,19])\n"
     "y = rms_norm_weight_grad(x, d, epsilon=0.001)"},
    {"rms_norm_weight_grad",
     "x = input(to=T, shape=[67])\nd = input(to=T, shape=[67])\ny = rms_norm_weight_grad(x, d)"},
    {"gelu_grad", "x = input(to=T, shape=[6,67])\nd = input(to=T, shape=[6,67])\ny = gelu_grad(x, d)"},
    {"gelu_grad",
     "x = input(to=T, shape=[6,67])\nw = input(to=T, shape=[67,6])\nd = permute(w, permutation=[1,0])\n"
     "y = gelu_grad(x, d, approximate=true)"},
    {"silu_grad", "x = input(to=T, shape=[6,67])\nd = input(to=T, shape=[6,67])\ny = silu_grad(x, d)"},
    {"cross_entropy_grad",
     "x = input(to=T, shape=[6,67])\nindex_67_t = input(to=i64, shape=[6])\nd = input(to=T, shape=[])\n"
     "y = cross_entropy_grad(x, index_67_t, d)"},
};

// The op over all its bodies, or nothing when it does not take the dtype.
std::vector<std::string> other_graphs(const ir::OpInfo& op, ir::DType dtype) {
  std::vector<std::string> texts;
  const auto [begin, end] = kBodies.equal_range(op.name);
  for (auto body = begin; body != end; ++body) {
    texts.push_back(fmt::format("graph row\n{}\nreturn y=y\n", with(body->second, ir::to_string(dtype), 0)));
  }
  return texts;
}

// A cast from this dtype to all.
std::vector<std::string> cast_graphs(ir::DType dtype) {
  std::vector<std::string> texts;
  for (const ir::DType to : ir::kAllDTypes) {
    for (const std::string_view name : {"x", "special_1"}) {
      texts.push_back(
          fmt::format("graph row\n{0} = input(to={1}, shape=[3,131])\ny = cast({0}, to={2})\nreturn y=y\n",
                      name, ir::to_string(dtype), ir::to_string(to)));
    }
  }
  return texts;
}

}  // namespace

std::vector<ir::Graph> graphs_of(const ir::OpInfo& op, ir::DType dtype) {
  const bool is_elementwise = op.category == ir::Category::Elementwise;
  std::vector<std::string> texts;
  if (is_elementwise) {
    texts = takes(op.types, dtype) ? elementwise_graphs(op, dtype) : texts;
  } else {
    texts = op.category == ir::Category::Cast ? cast_graphs(dtype) : other_graphs(op, dtype);
  }
  std::vector<ir::Graph> graphs;
  for (const std::string& text : texts) {
    auto graph = ir::parse(text);
    if (graph.has_value()) {
      graphs.push_back(*std::move(graph));
    } else {
      FORETELL_CHECK(!is_elementwise);  // a type that the op does not take, or a bug of the table
    }
  }
  return graphs;
}

std::string refused_bodies() {
  std::string text;
  for (const auto& [name, body] : kBodies) {
    std::string message = ir::find_op(name).has_value() ? "" : "no such op";
    bool parses = false;
    for (const ir::DType dtype : ir::kAllDTypes) {
      const auto graph =
          ir::parse(fmt::format("graph row\n{}\nreturn y=y\n", with(body, ir::to_string(dtype), 0)));
      parses |= graph.has_value();
      message += graph.has_value() ? "" : graph.error().message + "\n";
    }
    text += parses && ir::find_op(name).has_value() ? "" : fmt::format("{}: {}\n{}", name, body, message);
  }
  return text;
}

}  // namespace foretell::tests
