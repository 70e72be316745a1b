// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/interp/index_walk.hpp"

namespace foretell::interp {

namespace {

// One matrix of an operand: element (row, column) is at start + row * row_stride + column * column_stride.
struct Matrix {
  const double* values;
  const double* bounds;  // nullptr without bounds
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::size_t at(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * row_stride + column * column_stride);
  }
};

Matrix matrix(const Value& value, std::int64_t start, bool transposed, const EvaluateOptions& options) {
  const ir::Shape& shape = value.type.shape;
  const std::int64_t columns = shape[shape.rank() - 1];
  Matrix m{value.reals.data() + start, options.bounds ? value.bounds.data() + start : nullptr, columns, 1};
  if (transposed) {
    std::swap(m.row_stride, m.column_stride);
  }
  return m;
}

// The track of the operand's matrices over the batch space.
Track batch_track(const ir::Shape& operand, const ir::Shape& batch) {
  ir::Shape own;
  for (std::size_t i = 0; i + 2 < operand.rank(); ++i) {
    own.push_back(operand[i]);
  }
  Track track = broadcast_track(own, batch);
  ir::Dims scaled;
  for (const std::int64_t stride : track.strides) {
    scaled.push_back(stride * operand[operand.rank() - 2] * operand[operand.rank() - 1]);
  }
  track.strides = scaled;
  return track;
}

struct Row {
  std::vector<double> sums;
  std::vector<double> sizes;       // sum of |a| |b|
  std::vector<double> deviations;  // from the operands' bounds
};

void accumulate(Row& row, const Matrix& a, const Matrix& b, std::int64_t i, std::int64_t depth) {
  const auto columns = static_cast<std::int64_t>(row.sums.size());
  for (std::int64_t k = 0; k < depth; ++k) {
    const double x = a.values[a.at(i, k)];
    for (std::int64_t j = 0; j < columns; ++j) {
      row.sums[static_cast<std::size_t>(j)] += x * b.values[b.at(k, j)];
    }
    if (a.bounds == nullptr) {
      continue;
    }
    const double x_bound = a.bounds[a.at(i, k)];
    for (std::int64_t j = 0; j < columns; ++j) {
      const double y = b.values[b.at(k, j)];
      const double y_bound = b.bounds[b.at(k, j)];
      row.sizes[static_cast<std::size_t>(j)] += std::fabs(x * y);
      row.deviations[static_cast<std::size_t>(j)] +=
          std::fabs(x) * y_bound + x_bound * (std::fabs(y) + y_bound);
    }
  }
}

}  // namespace

Value evaluate_matmul(const ir::Node& node, const Value& a, const Value& b, const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  const ir::Shape& shape = node.type.shape;
  const bool transpose_a = node.attributes.flag(ir::AttrKey::TransposeA);
  const bool transpose_b = node.attributes.flag(ir::AttrKey::TransposeB);
  const std::int64_t rows = shape[shape.rank() - 2];
  const std::int64_t columns = shape[shape.rank() - 1];
  const ir::Shape& a_shape = a.type.shape;
  const std::int64_t depth = a_shape[a_shape.rank() - (transpose_a ? 2 : 1)];
  const Rounding model = rounding(node.type.dtype);

  ir::Shape batch;
  for (std::size_t i = 0; i + 2 < shape.rank(); ++i) {
    batch.push_back(shape[i]);
  }
  std::size_t element = 0;
  Row row;
  walk(batch, std::array{batch_track(a_shape, batch), batch_track(b.type.shape, batch)},
       [&](const auto& starts) {
         const Matrix left = matrix(a, starts[0], transpose_a, options);
         const Matrix right = matrix(b, starts[1], transpose_b, options);
         for (std::int64_t i = 0; i < rows; ++i) {
           for (auto* part : {&row.sums, &row.sizes, &row.deviations}) {
             part->assign(static_cast<std::size_t>(columns), 0);
           }
           accumulate(row, left, right, i, depth);
           for (std::size_t j = 0; j < row.sums.size(); ++j, ++element) {
             out.reals[element] = row.sums[j];
             if (options.bounds) {
               out.bounds[element] = sum_bound(row.sums[j], row.sizes[j], row.deviations[j], depth, model);
             }
           }
         }
       });
  return out;
}

}  // namespace foretell::interp
