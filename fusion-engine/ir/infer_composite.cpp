// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

// Written so that NaN is refused.
Result<Type> infer_dropout(const Application& it) {
  const double probability = it.attributes.real(AttrKey::Probability);
  if (!(probability >= 0.0 && probability < 1.0)) {
    return it.refuse("expected a probability in [0, 1), found {}", probability);
  }
  FORETELL_RETURN_IF_ERROR(require_counter(it));
  return it.operand(0);
}

Result<Type> infer_softmax(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const std::size_t axis, normalize_axis(it, it.shape(0).rank()));
  if (it.shape(0)[axis] == 0) {
    return it.refuse("is not defined over no elements, found {}", to_string(it.operand(0)));
  }
  return it.operand(0);
}

Result<Type> infer_norm(const Application& it) {
  const Shape& x = it.shape(0);
  if (x.rank() == 0 || x[x.rank() - 1] == 0) {
    return it.refuse("expected a last axis with elements, found {}", to_string(it.operand(0)));
  }
  FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, it.operands.size()));
  const Shape last{x[x.rank() - 1]};
  for (std::size_t i = 1; i < it.operands.size(); ++i) {
    if (it.shape(i) != last) {
      return it.refuse("expected {} of shape {} for {}, found {}", i == 1 ? "a weight" : "a bias",
                       to_string(last), to_string(x), to_string(it.shape(i)));
    }
  }
  FORETELL_RETURN_IF_ERROR(require_epsilon(it));
  return it.operand(0);
}

// Of an op that gives a cotangent of operand 0: operand `i` is the cotangent of a value like it.
Result<void> require_cotangent(const Application& it, std::size_t i) {
  if (it.operand(i) != it.operand(0)) {
    return it.refuse("expected a cotangent of {}, found {}", to_string(it.operand(0)),
                     to_string(it.operand(i)));
  }
  return {};
}

Result<Type> infer_softmax_grad(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_cotangent(it, 1));
  return infer_softmax(it);
}

Result<Type> infer_elementwise_grad(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_cotangent(it, 1));
  return it.operand(0);
}

// x, dy and for that of x a weight.
Result<Type> infer_norm_grad(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_cotangent(it, 1));
  std::vector<Type> norm_operands{it.operand(0)};
  if (it.operands.size() > 2) {
    norm_operands.push_back(it.operand(2));
  }
  return infer_norm({.op = it.op, .operands = norm_operands, .attributes = it.attributes});
}

Result<Type> infer_norm_weight_grad(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const Type x, infer_norm_grad(it));
  return Type{.dtype = x.dtype, .shape = {x.shape[x.shape.rank() - 1]}};
}

// q [..,Lq,D], k [..,Lk,D], v [..,Lk,Dv]; the batches broadcast.
Result<Type> infer_attention(const Application& it) {
  FORETELL_RETURN_IF_ERROR(require_same_dtype(it, 0, it.operands.size()));
  const Shape& q = it.shape(0);
  const Shape& k = it.shape(1);
  const Shape& v = it.shape(2);
  const auto refuse_shapes = [&](std::string_view what) {
    return it.refuse("{}: queries {}, keys {}, values {}", what, to_string(q), to_string(k), to_string(v));
  };
  if (q.rank() < 2 || k.rank() < 2 || v.rank() < 2) {
    return refuse_shapes("expected ranks of at least 2");
  }
  const std::int64_t queries = q[q.rank() - 2];
  const std::int64_t keys = k[k.rank() - 2];
  const std::int64_t head = q[q.rank() - 1];
  if (k[k.rank() - 1] != head) {
    return refuse_shapes("queries and keys differ in their last extent");
  }
  if (v[v.rank() - 2] != keys) {
    return refuse_shapes("keys and values differ in number");
  }
  if (keys == 0 || head == 0) {
    return refuse_shapes("expected at least one key, and heads of at least one element");
  }
  const std::optional<Shape> scores_batch = broadcast(batch_of(q), batch_of(k));
  const std::optional<Shape> batch = scores_batch ? broadcast(*scores_batch, batch_of(v)) : std::nullopt;
  if (!batch.has_value()) {
    return refuse_shapes("can't broadcast the batches");
  }
  Shape scores = *scores_batch;
  scores.push_back(queries);
  scores.push_back(keys);
  if (!fits_memory(scores)) {
    return refuse_shapes("the scores have more elements than 64 bits can count bytes for");
  }
  if (it.operands.size() == 4) {
    if (broadcast(scores, it.shape(3)) != scores) {
      return it.refuse("can't broadcast the mask {} to the scores {}", to_string(it.shape(3)),
                       to_string(scores));
    }
  }
  if (it.attributes.flag(AttrKey::Causal) && keys < queries) {
    return refuse_shapes("causal attention needs at least as many keys as queries");
  }
  if (const double scale = it.attributes.real(AttrKey::Scale); !std::isfinite(scale)) {
    return it.refuse("expected a finite scale, found {}", scale);
  }
  Shape shape = *batch;
  shape.push_back(queries);
  shape.push_back(v[v.rank() - 1]);
  return Type{.dtype = it.operand(0).dtype, .shape = shape};
}

Result<Type> infer_cross_entropy(const Application& it) {
  const Shape& logits = it.shape(0);
  const Shape& target = it.shape(1);
  FORETELL_RETURN_IF_ERROR(require_index(it, 1));
  if (logits.rank() != 2 || target.rank() != 1 || logits[0] != target[0]) {
    return it.refuse("expected logits [N,C] and targets [N], found {} and {}", to_string(logits),
                     to_string(target));
  }
  if (logits[0] == 0 || logits[1] == 0) {
    return it.refuse("is not defined over no elements, found {}", to_string(it.operand(0)));
  }
  return Type{.dtype = it.operand(0).dtype, .shape = {}};
}

Result<Type> infer_cross_entropy_grad(const Application& it) {
  FORETELL_ASSIGN_OR_RETURN(const Type loss, infer_cross_entropy(it));
  if (it.operand(2) != loss) {
    return it.refuse("expected a cotangent of {}, found {}", to_string(loss), to_string(it.operand(2)));
  }
  return it.operand(0);
}

}  // namespace

// Written so that NaN is refused.
Result<void> require_epsilon(const Application& it) {
  const double epsilon = it.attributes.real(AttrKey::Epsilon);
  if (!(epsilon >= 0.0 && std::isfinite(epsilon))) {
    return it.refuse("expected a finite epsilon of at least 0, found {}", epsilon);
  }
  return {};
}

Result<Type> infer_composite(const Application& it) {
  if (it.op == OpKind::RandomNormal) {
    return infer_random_source(it);
  }
  FORETELL_RETURN_IF_ERROR(require_float(it, 0));
  switch (it.op) {
    case OpKind::Dropout: return infer_dropout(it);
    case OpKind::Softmax:
    case OpKind::LogSoftmax: return infer_softmax(it);
    case OpKind::LayerNorm:
    case OpKind::RmsNorm: return infer_norm(it);
    case OpKind::GroupNorm:
    case OpKind::BatchNorm:
    case OpKind::UpsampleNearest: return infer_image_composite(it);
    case OpKind::Gelu:
    case OpKind::Silu: return it.operand(0);
    case OpKind::Attention: return infer_attention(it);
    case OpKind::CrossEntropy: return infer_cross_entropy(it);
    case OpKind::SoftmaxGrad:
    case OpKind::LogSoftmaxGrad: return infer_softmax_grad(it);
    case OpKind::LayerNormGrad:
    case OpKind::RmsNormGrad: return infer_norm_grad(it);
    case OpKind::LayerNormWeightGrad:
    case OpKind::RmsNormWeightGrad: return infer_norm_weight_grad(it);
    case OpKind::GeluGrad:
    case OpKind::SiluGrad: return infer_elementwise_grad(it);
    case OpKind::CrossEntropyGrad: return infer_cross_entropy_grad(it);
    default: return it.refuse("has no rule");
  }
}

}  // namespace foretell::ir
