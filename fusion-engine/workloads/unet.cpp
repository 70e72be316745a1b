// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/unet.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "fusion-engine/workloads/layers.hpp"

namespace foretell::workloads {
namespace {

using ir::AttrKey;
using ir::Ints;
using ir::OpKind;
using ir::Term;

constexpr std::int64_t kColors = 3;

constexpr std::array kParameters{
    ParameterInfo{"batch", ParameterKind::Count, "16", 1, 1 << 20, "images"},
    ParameterInfo{"image", ParameterKind::Count, "16", 1, 1 << 12, "rows and columns of an image"},
    ParameterInfo{"channels", ParameterKind::Count, "16", 2, 1 << 12,
                  "at the first level; twice as many at each one below"},
    ParameterInfo{"levels", ParameterKind::Count, "3", 1, 8, "resolutions, each half of the one above"},
    ParameterInfo{"heads", ParameterKind::Count, "4", 1, 1 << 10, "heads of attention"},
    ParameterInfo{"groups", ParameterKind::Count, "4", 1, 1 << 10, "groups that channels are normalised in"},
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

Result<void> settle(std::span<Parameter> parameters) {
  const std::int64_t finest = std::int64_t{1} << (number(parameters, "levels") - 1);
  if (number(parameters, "image") % finest != 0) {
    return fail(ErrorCode::Usage, "--image",
                fmt::format("expected a multiple of {}, for --levels, found {}", finest,
                            number(parameters, "image")));
  }
  for (const char* parts : {"heads", "groups"}) {
    if (number(parameters, "channels") % number(parameters, parts) != 0 ||
        number(parameters, "channels") % 2 != 0) {
      return fail(
          ErrorCode::Usage, fmt::format("--{}", parts),
          fmt::format("expected a number that divides --channels, which is {} and has to be even, found {}",
                      number(parameters, "channels"), number(parameters, parts)));
    }
  }
  return {};
}

class UNet {
 public:
  explicit UNet(std::span<const Parameter> parameters)
      : parameters_(parameters),
        dtype_(parameter(parameters, "dtype").dtype),
        b_("unet"),
        weights_(b_, dtype_) {}

  Result<ir::Graph> build() {
    const std::int64_t levels = number(parameters_, "levels");
    const std::int64_t image = number(parameters_, "image");
    const std::int64_t channels = number(parameters_, "channels");
    embed_time(channels);
    const Term noisy = b_.input("noisy", {dtype_, {number(parameters_, "batch"), kColors, image, image}});
    Term x = convolution(weights_, "in", noisy, channels);
    std::vector<Term> skipped;
    for (std::int64_t level = 0; level < levels; ++level) {
      x = residual(fmt::format("down{}", level), x, channels << level);
      skipped.push_back(x);
      if (level + 1 < levels) {
        x = convolution(weights_, fmt::format("halve{}", level), x, channels << level, 2);
      }
    }
    x = attention(x);
    for (std::int64_t level = levels; level-- > 0;) {
      const Term joined = apply(OpKind::Concat, {x, skipped[static_cast<std::size_t>(level)]},
                                {{AttrKey::Axis, std::int64_t{1}}});
      x = residual(fmt::format("up{}", level), joined, channels << level);
      if (level > 0) {
        const Term larger = apply(OpKind::UpsampleNearest, x, {{AttrKey::Factor, std::int64_t{2}}});
        x = convolution(weights_, fmt::format("double{}", level), larger, channels << (level - 1));
      }
    }
    return b_.finish("noise", convolution(weights_, "out", activated("out.norm", x), kColors));
  }

 private:
  // Sines and cosines of the time at frequencies from 1 down to 1 / 10000 (Vaswani et al.: Attention is all
  // you need, 2017, section 3.5), then two layers: [batch, 4 channels].
  void embed_time(std::int64_t channels) {
    const std::int64_t half = channels / 2;
    const Term time =
        b_.input("time", {dtype_, {number(parameters_, "batch"), 1}},
                 {{AttrKey::Low, 0.0}, {AttrKey::High, 1000.0}});  // the paper's number of steps
    const Term index =
        b_.source(OpKind::Iota,
                  {{AttrKey::Shape, Ints{half}}, {AttrKey::Axis, std::int64_t{0}}, {AttrKey::To, dtype_}});
    const Term frequency = apply(OpKind::Exp, index * (-std::log(10000.0) / static_cast<double>(half)));
    const Term angle = time * frequency;
    const Term sine = apply(OpKind::Sin, angle);
    const Term cosine = apply(OpKind::Cos, angle);
    const Term waves = apply(OpKind::Concat, {sine, cosine}, {{AttrKey::Axis, std::int64_t{1}}});
    const Term inner = apply(OpKind::Silu, linear(weights_, "time.up", waves, 4 * channels));
    time_ = apply(OpKind::Silu, linear(weights_, "time.out", inner, 4 * channels));
  }

  Term activated(const std::string& name, Term x) {
    return apply(OpKind::Silu, group_norm(weights_, name, x, number(parameters_, "groups")));
  }

  // Two convolutions, the time added between them; what goes in is added in the end, by a product per pixel
  // where it has other channels.
  Term residual(const std::string& name, Term x, std::int64_t channels) {
    const Term first = convolution(weights_, name + ".conv1", activated(name + ".norm1", x), channels);
    const Term shift = linear(weights_, name + ".time", time_, channels);
    const Term timed = first + reshape(shift, {shift.shape()[0], channels, 1, 1});
    const Term second = convolution(weights_, name + ".conv2", activated(name + ".norm2", timed), channels);
    const std::int64_t inputs = x.shape()[1];
    if (inputs == channels) {
      return x + second;
    }
    const Term mix = weights_.uniform(name + ".mix", {channels, inputs, 1, 1}, inputs);
    return apply(OpKind::Conv2d, {x, mix}) + second;
  }

  // Every pixel attends to every other: x + attention(group_norm(x)).
  Term attention(Term x) {
    const ir::Shape shape = x.shape();
    const std::int64_t pixels = shape[2] * shape[3];
    const Term normalised = group_norm(weights_, "attention.norm", x, number(parameters_, "groups"));
    const Term apart = apply(OpKind::Permute, normalised, {{AttrKey::Permutation, Ints{0, 2, 3, 1}}});
    const Heads heads{.sequences = shape[0], .heads = number(parameters_, "heads")};
    const Projections of =
        project(weights_, "attention", reshape(apart, {shape[0] * pixels, shape[1]}), heads);
    const Term attended = merge_heads(apply(OpKind::Attention, {of.query, of.key, of.value}));
    const Term rows = linear(weights_, "attention.out", attended, shape[1]);
    return x + apply(OpKind::Permute, reshape(rows, {shape[0], shape[2], shape[3], shape[1]}),
                     {{AttrKey::Permutation, Ints{0, 3, 1, 2}}});
  }

  std::span<const Parameter> parameters_;
  ir::DType dtype_;
  GraphBuilder b_;
  Weights weights_;
  Term time_;
};

Result<ir::Graph> build(std::span<const Parameter> parameters) { return UNet(parameters).build(); }

std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  const std::int64_t image = number(parameters, "image");
  return at_most(parameters, "batch", elements / (number(parameters, "channels") * image * image));
}

}  // namespace

WorkloadInfo unet() {
  return {"unet", "one denoising step of a small diffusion U-Net", kParameters, settle, build, shrink};
}

}  // namespace foretell::workloads
