// SPDX-License-Identifier: Apache-2.0
// A convolution of one shape, cut into blocks, as calls of the library; for convolution_library.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "fusion-engine/runtime/cpu/convolution_library.hpp"
#include "fusion-engine/runtime/cpu/library_call.hpp"

namespace foretell::runtime::cpu {

// Whether the library has only a plain loop for it.
bool is_reference(const ConvolutionLibrary::Shape& shape, const dnnl::engine& engine);

class ConvolutionLibrary::Plan {
 public:
  Plan(const Shape& shape, const dnnl::engine& engine, int team_size);
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  // The two stages, on every lane; all lanes are through with the first before one begins the second.
  void lay_out_operands(const Lane& lane, const Addresses& at);
  void convolve(const Lane& lane, const Addresses& at);

 private:
  enum Role : std::uint8_t { X, Weight, Y };
  static constexpr std::array<Role, 3> kRoles{X, Weight, Y};
  using Block = ConvolutionBlocks::Block;

  // Of blocks of one size. A move lays out an operand, of images one, or the result back. Of an image that no
  // window reaches there is none.
  struct Calls {
    std::array<std::optional<LibraryCall>, 3> moves;
    std::optional<LibraryCall> convolution;
  };

  Role result() const;
  Calls make_calls(const Block& block, const dnnl::engine& engine, int team_size);
  void place_scratch(int team_size);
  Calls& calls_of(std::int64_t block) { return block + 1 == blocks_.count ? calls_.back() : calls_.front(); }

  std::size_t bytes_of(std::int64_t elements) const {
    return static_cast<std::size_t>(elements) * element_bytes_;
  }
  // Of a block's part in an operand: in the plain tensor, and in the scratch memory.
  std::size_t plain_offset(Role role, std::int64_t block, std::int64_t image) const;
  std::size_t laid_out_offset(Role role, std::int64_t block, std::int64_t image) const;
  // Of the image's first element in the padded one.
  std::size_t interior_offset(const Block& block) const;
  void clear_padding(std::byte* padded, const Block& block) const;
  void lay_out(Role role, std::int64_t block, std::int64_t image, int rank, const Addresses& at);
  void lay_back(std::int64_t block, std::int64_t image, int rank, const Addresses& at);
  std::byte* lane_memory(int rank, const Addresses& at) const {
    return at.scratch + lanes_begin_ + static_cast<std::size_t>(rank) * (result_bytes_ + library_bytes_);
  }
  std::byte* library_memory(int rank, const Addresses& at) const {
    return lane_memory(rank, at) + result_bytes_;
  }

  ConvolutionBlocks blocks_;
  ir::DType dtype_;
  std::size_t element_bytes_;
  std::vector<Calls> calls_;  // of full blocks, and of the last, which may be smaller
  // The scratch memory: the operands, then of each lane its block's result and what the library needs.
  std::array<std::size_t, 3> begin_{};
  std::size_t lanes_begin_ = 0;
  std::size_t weight_bytes_ = 0;  // of a block
  std::size_t result_bytes_ = 0;
  std::size_t library_bytes_ = 0;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace foretell::runtime::cpu
