// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_cases.hpp"

#include <algorithm>
#include <cmath>

#include "fusion-engine/ir/split_mix.hpp"

namespace foretell::passes::test {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  // In [0, end).
  std::size_t below(std::size_t end) { return ir::random_bits(seed_, next_++) % end; }
  double unit() { return (ir::uniform(seed_, next_++) + 1) / 2; }
  bool one_in(std::size_t times) { return below(times) == 0; }
  // Between two powers of two, each factor of two as likely.
  std::int64_t skewed(double low_log2, double high_log2) {
    return std::llround(std::exp2(low_log2 + (high_log2 - low_log2) * unit()));
  }

 private:
  std::uint64_t seed_;
  std::int64_t next_ = 0;
};

}  // namespace

std::size_t ProblemBuilder::add(std::vector<std::size_t> reads, std::int64_t bytes, StepExtra extra) {
  const std::size_t result = problem_.buffer_bytes.size();
  problem_.buffer_bytes.push_back(bytes);
  problem_.kept.push_back(false);
  const bool in_place = extra.in_place;
  add_update(std::move(reads), std::move(extra));
  MemoryStep& step = problem_.steps.back();
  step.writes = {result};
  if (in_place) {
    for (const std::size_t read : step.reads) {
      step.in_place.push_back({.read = read, .write = result});
    }
  }
  return result;
}

void ProblemBuilder::add_update(std::vector<std::size_t> reads, StepExtra extra) {
  std::ranges::sort(reads);
  const auto again = std::ranges::unique(reads);
  reads.erase(again.begin(), again.end());
  problem_.steps.push_back({.reads = std::move(reads),
                            .writes = {},
                            .scratch_bytes = extra.scratch_bytes,
                            .in_place = {},
                            .after = std::move(extra.after)});
}

MemoryProblem training(int layers, std::int64_t activation_bytes, std::int64_t weight_bytes) {
  ProblemBuilder builder;
  struct Layer {
    std::size_t input, product, active;
  };
  std::vector<Layer> forward;
  std::size_t x = builder.add({}, activation_bytes);
  for (int layer = 0; layer < layers; ++layer) {
    const std::size_t product = builder.add({x}, 4 * activation_bytes);
    const std::size_t active = builder.add({product}, 4 * activation_bytes, {.in_place = true});
    const std::size_t projected = builder.add({active}, activation_bytes);
    forward.push_back({.input = x, .product = product, .active = active});
    x = builder.add({x, projected}, activation_bytes, {.in_place = true});
  }
  const std::size_t loss = builder.add({x}, 4);
  builder.keep(loss);
  std::size_t grad = builder.add({x}, activation_bytes);
  std::vector<std::pair<std::size_t, std::size_t>> weight_grads;  // and the step that reads the weight last
  for (const Layer& layer : std::vector<Layer>(forward.rbegin(), forward.rend())) {
    const std::size_t active_grad = builder.add({grad}, 4 * activation_bytes);
    const std::size_t down_read = builder.last_step();
    const std::size_t down_grad = builder.add({layer.active, grad}, 4 * weight_bytes);
    const std::size_t product_grad =
        builder.add({layer.product, active_grad}, 4 * activation_bytes, {.in_place = true});
    const std::size_t branch_grad = builder.add({product_grad}, activation_bytes);
    const std::size_t up_read = builder.last_step();
    const std::size_t up_grad = builder.add({layer.input, product_grad}, 4 * weight_bytes);
    weight_grads.emplace_back(down_grad, down_read);
    weight_grads.emplace_back(up_grad, up_read);
    grad = builder.add({grad, branch_grad}, activation_bytes, {.in_place = true});
  }
  for (const auto& [weight_grad, last_read] : weight_grads) {
    const std::size_t step = builder.add({weight_grad}, 4 * weight_bytes, {.in_place = true});
    builder.add_update({step}, {.after = {last_read}});
  }
  return builder.take();
}

MemoryProblem u_net(int levels, std::int64_t image_bytes, std::int64_t channels) {
  ProblemBuilder builder;
  const auto block = [&](std::size_t x, std::int64_t bytes) {
    for (int i = 0; i < 2; ++i) {
      const std::size_t convolved = builder.add({x}, bytes, {.scratch_bytes = bytes / 2});
      x = builder.add({convolved}, bytes, {.in_place = true});
    }
    return x;
  };
  const auto bytes_at = [&](int level) {
    return std::max<std::int64_t>(1, (image_bytes * channels) >> level);
  };
  std::size_t x = builder.add({}, image_bytes);
  std::vector<std::size_t> skips;
  for (int level = 0; level < levels; ++level) {
    skips.push_back(block(x, bytes_at(level)));
    x = builder.add({skips.back()}, bytes_at(level) / 4);
  }
  x = block(x, bytes_at(levels));
  for (int level = levels - 1; level >= 0; --level) {
    const std::size_t wide = builder.add({x}, bytes_at(level));
    const std::size_t both = builder.add({wide, skips[static_cast<std::size_t>(level)]}, 2 * bytes_at(level));
    x = block(both, bytes_at(level));
  }
  builder.keep(builder.add({x}, image_bytes));
  return builder.take();
}

MemoryProblem decode(int layers, std::int64_t hidden_bytes, std::int64_t context, std::int64_t vocabulary) {
  ProblemBuilder builder;
  std::size_t x = builder.add({}, hidden_bytes);
  for (int layer = 0; layer < layers; ++layer) {
    const std::size_t statistics = builder.add({x}, 8);
    const std::size_t normed = builder.add({x, statistics}, hidden_bytes);
    const std::size_t query = builder.add({normed}, hidden_bytes);
    const std::size_t key = builder.add({normed}, hidden_bytes / 4);
    const std::size_t value = builder.add({normed}, hidden_bytes / 4);
    const std::size_t turned = builder.add({query}, hidden_bytes, {.in_place = true});
    builder.add_update({key});
    const std::size_t key_written = builder.last_step();
    builder.add_update({value});
    const std::size_t value_written = builder.last_step();
    const std::size_t scores = builder.add({turned}, context * 4 * 32, {.after = {key_written}});
    const std::size_t largest = builder.add({scores}, std::int64_t{4} * 32);
    const std::size_t weights = builder.add({scores, largest}, context * 4 * 32, {.in_place = true});
    const std::size_t mixed = builder.add({weights}, hidden_bytes, {.after = {value_written}});
    const std::size_t attended = builder.add({mixed}, hidden_bytes);
    const std::size_t middle = builder.add({x, attended}, hidden_bytes, {.in_place = true});
    const std::size_t again = builder.add({middle}, hidden_bytes);
    const std::size_t gate = builder.add({again}, hidden_bytes * 7 / 2);
    const std::size_t up = builder.add({again}, hidden_bytes * 7 / 2);
    const std::size_t gated = builder.add({gate, up}, hidden_bytes * 7 / 2, {.in_place = true});
    const std::size_t down = builder.add({gated}, hidden_bytes);
    x = builder.add({middle, down}, hidden_bytes, {.in_place = true});
  }
  builder.keep(builder.add({x}, vocabulary * 4));
  return builder.take();
}

MemoryProblem churn(int steps, std::uint64_t seed) {
  Random random(seed);
  ProblemBuilder builder;
  std::vector<std::size_t> made;
  for (int step = 0; step < steps; ++step) {
    std::vector<std::size_t> reads;
    for (std::size_t i = random.below(4); i > 0 && !made.empty(); --i) {
      const std::size_t back =
          random.one_in(8) ? random.below(made.size()) : random.below(std::min<std::size_t>(12, made.size()));
      reads.push_back(made[made.size() - 1 - back]);
    }
    // In an order of their own: that of arguments is the compiler's.
    const bool in_place = random.one_in(3);
    const std::int64_t bytes = random.skewed(8, 18);
    made.push_back(builder.add(std::move(reads), bytes, {.in_place = in_place}));
  }
  builder.keep(made.back());
  return builder.take();
}

MemoryProblem random_dag(int steps, std::uint64_t seed) {
  Random random(seed);
  ProblemBuilder builder;
  std::vector<std::size_t> made;
  // How far back operands lie differs from graph to graph.
  const std::size_t reach = 2 + random.below(60);
  for (int step = 0; step < steps; ++step) {
    std::vector<std::size_t> reads;
    for (std::size_t i = random.below(4); i > 0 && !made.empty(); --i) {
      reads.push_back(made[made.size() - 1 - random.below(std::min(made.size(), reach))]);
    }
    StepExtra extra{.scratch_bytes = random.one_in(10) ? random.skewed(6, 24) : 0,
                    .in_place = random.one_in(3)};
    if (step > 0 && random.one_in(12)) {
      extra.after.push_back(random.below(static_cast<std::size_t>(step)));
    }
    if (random.one_in(20)) {
      builder.add_update(std::move(reads), std::move(extra));
      continue;
    }
    made.push_back(builder.add(std::move(reads), random.skewed(6, 26), std::move(extra)));
    if (random.one_in(40)) {
      builder.keep(made.back());
    }
  }
  return builder.take();
}

}  // namespace foretell::passes::test
