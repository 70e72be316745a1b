// SPDX-License-Identifier: Apache-2.0
#include "reports/memory_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "reports/axis_ticks.hpp"
#include "reports/quantity_text.hpp"
#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

// Pixels.
constexpr double kWidth = 1280, kHeight = 720;
constexpr double kLeft = 84, kRight = 1256, kTop = 84, kBottom = 600;
constexpr double kLetter = 6.2;    // of the small text, on average
constexpr double kLine = 13;       // of the small text
constexpr double kSlanted = 20;    // from one to the next where it stands at a slant
constexpr double kFrame = 5;       // a rectangle narrower or lower than this has no frame
constexpr double kThinnest = 0.5;  // what is smaller is drawn as high, to be seen at all

constexpr std::string_view kStyle = R"(<style>
svg { background: #ffffff; font: 11px system-ui, sans-serif; color: #1b1f24 }
text { fill: currentColor }
.title { font-size: 17px; font-weight: 600 }
.aside { font-size: 13px }
.dim { fill: #59636e }
.grid { stroke: #d8dee4 }
.axis { stroke: #59636e }
.framed { stroke: #ffffff; stroke-width: 0.8 }
.name { pointer-events: none; fill: #1b1f24 }
.on-dark { fill: #ffffff }
.bound { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 7 4 }
.given { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 2 4 }
.arena { stroke: #1b1f24; stroke-width: 1.5 }
.on-line { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
.size0 { fill: #0a4a8f } .size1 { fill: #2f7fd1 } .size2 { fill: #7fb5ea } .size3 { fill: #c3ddf6 }
.output { fill: #2da44e } .scratch { fill: #e8a33d }
rect:hover { opacity: 0.75 }
</style>
)";

// Sizes are told apart by what share of the arena they are.
constexpr std::array kSizeShares{1.0 / 4, 1.0 / 16, 1.0 / 64, 0.0};

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

class Svg {
 public:
  explicit Svg(const MemoryPicture& picture)
      : picture_(picture),
        steps_(static_cast<double>(std::max<std::size_t>(picture.steps.size(), 1))),
        top_bytes_(1.04 * static_cast<double>(std::max({picture.arena_bytes, picture.max_live_bytes,
                                                        picture.given_peak_bytes, std::int64_t{1}}))) {}

  std::string render() {
    print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n",
          kWidth, kHeight);
    out_ += kStyle;
    print("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", kWidth, kHeight);
    heading();
    address_axis();
    step_axis();
    for (const MemoryRectangle& rectangle : picture_.rectangles) {
      draw(rectangle);
    }
    lines();
    legend();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <class... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }

  [[nodiscard]] double x(double step) const { return kLeft + (kRight - kLeft) * step / steps_; }
  [[nodiscard]] double y(double bytes) const { return kBottom - (kBottom - kTop) * bytes / top_bytes_; }

  [[nodiscard]] std::string share_text(std::int64_t bytes) const {
    return picture_.max_live_bytes > 0
               ? fmt::format(" ({:.2f}x)",
                             static_cast<double>(bytes) / static_cast<double>(picture_.max_live_bytes))
               : "";
  }

  void heading() {
    print("<text class=\"title\" x=\"{}\" y=\"30\">{}</text>\n", kLeft, xml(picture_.title));
    print(
        "<text class=\"aside\" x=\"{}\" y=\"54\">arena {}{}, live at most {}, peak as given {}{}; "
        "{}</text>\n",
        kLeft, bytes_text(picture_.arena_bytes), share_text(picture_.arena_bytes),
        bytes_text(picture_.max_live_bytes), bytes_text(picture_.given_peak_bytes),
        share_text(picture_.given_peak_bytes), format_counted(picture_.steps.size(), "step"));
  }

  void address_axis() {
    const BytesUnit unit = bytes_unit(static_cast<std::int64_t>(top_bytes_));
    const double step = tick_step(top_bytes_ / unit.bytes, 8);
    for (int i = 0; i * step * unit.bytes <= top_bytes_; ++i) {
      const double at = y(i * step * unit.bytes);
      print(
          "<path class=\"grid\" d=\"M{} {:.2f}H{}\"/><text class=\"dim\" x=\"{}\" y=\"{:.2f}\" "
          "text-anchor=\"end\">{:g}</text>\n",
          kLeft, at, kRight, kLeft - 8, at + 4, i * step);
    }
    const double middle = (kTop + kBottom) / 2;
    print(
        "<text x=\"22\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 22 {0})\">address, "
        "{1}</text>\n",
        middle, unit.name);
  }

  // Names where they fit side by side at a slant, else the numbers of some steps.
  void step_axis() {
    const double column = (kRight - kLeft) / steps_;
    print("<path class=\"axis\" d=\"M{} {}H{}\"/>\n", kLeft, kBottom, kRight);
    if (column >= kSlanted) {
      for (std::size_t step = 0; step < picture_.steps.size(); ++step) {
        const double at = x(static_cast<double>(step) + 0.5);
        print(
            "<text class=\"dim\" x=\"{0:.2f}\" y=\"{1}\" text-anchor=\"end\" transform=\"rotate(-40 {0:.2f} "
            "{1})\">{2}</text>\n",
            at, kBottom + 14, xml(ellipsize(picture_.steps[step], 14)));
      }
      return;
    }
    const double every = std::max(1.0, tick_step(steps_, 16));
    for (int i = 0; i * every <= steps_; ++i) {
      const double step = i * every;
      print(
          "<path class=\"axis\" d=\"M{0:.2f} {1}v5\"/><text class=\"dim\" x=\"{0:.2f}\" y=\"{2}\" "
          "text-anchor=\"middle\">{3:g}</text>\n",
          x(step), kBottom, kBottom + 18, step);
    }
    print("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">step, in the order in which they run</text>\n",
          (kLeft + kRight) / 2, kBottom + 40);
  }

  [[nodiscard]] std::size_t size_class(std::int64_t bytes) const {
    const double share =
        static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(picture_.arena_bytes, 1));
    return static_cast<std::size_t>(
        std::ranges::find_if(kSizeShares, [&](double least) { return share >= least; }) -
        kSizeShares.begin());
  }

  [[nodiscard]] std::string color_class(const MemoryRectangle& rectangle) const {
    switch (rectangle.kind) {
      case MemoryKind::Intermediate: return fmt::format("size{}", size_class(rectangle.bytes));
      case MemoryKind::Output: return "output";
      case MemoryKind::Scratch: return "scratch";
    }
    return "";
  }

  [[nodiscard]] std::string step_text(std::size_t step) const {
    return step < picture_.steps.size() ? fmt::format("{} {}", step, picture_.steps[step])
                                        : fmt::format("{}", step);
  }

  void draw(const MemoryRectangle& rectangle) {
    if (rectangle.bytes == 0) {
      return;
    }
    const double left = x(static_cast<double>(rectangle.first_step));
    const double width = x(static_cast<double>(rectangle.last_step) + 1) - left;
    const double bottom = y(static_cast<double>(rectangle.offset));
    const double height =
        std::max(bottom - y(static_cast<double>(rectangle.offset + rectangle.bytes)), kThinnest);
    const std::string color = color_class(rectangle);
    print(
        "<rect class=\"{}{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"><title>{}\n{} at "
        "{}\n"
        "from step {} to {}</title></rect>\n",
        color, width >= kFrame && height >= kFrame ? " framed" : "", left, bottom - height, width, height,
        xml(rectangle.name), bytes_text(rectangle.bytes), bytes_text(rectangle.offset),
        xml(step_text(rectangle.first_step)), xml(step_text(rectangle.last_step)));
    const auto letters = static_cast<std::size_t>((width - 8) / kLetter * (width > 8 ? 1 : 0));
    if (height >= kLine + 2 && letters >= 4) {
      const bool is_dark = color == "size0" || color == "size1";
      print("<text class=\"name{}\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n",
            is_dark ? " on-dark" : "", left + width / 2, bottom - height / 2 + 4,
            xml(ellipsize(rectangle.name, letters)));
    }
  }

  void line(std::string_view color, std::int64_t bytes, std::string_view text, std::string_view anchor,
            double at_x, double below) {
    const double at = y(static_cast<double>(bytes));
    print(
        "<path class=\"{}\" d=\"M{} {:.2f}H{}\"/><text class=\"on-line\" x=\"{}\" y=\"{:.2f}\" "
        "text-anchor=\"{}\">{}</text>\n",
        color, kLeft, at, kRight, at_x, at + below, anchor, text);
  }

  void lines() {
    line("given", picture_.given_peak_bytes, "peak as given", "middle", (kLeft + kRight) / 2, -5);
    line("arena", picture_.arena_bytes, "arena", "end", kRight - 4, -5);
    line("bound", picture_.max_live_bytes, "live at most: no arena can be smaller", "start", kLeft + 4,
         kLine);
  }

  void legend() {
    double at = kLeft;
    const double top = kHeight - 28;
    const auto entry = [&](std::string_view color, const std::string& text) {
      print(
          "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"12\" height=\"12\"/><text x=\"{:.2f}\" "
          "y=\"{}\">{}</text>\n",
          color, at, top, at + 18, top + 10, text);
      at += 18 + kLetter * static_cast<double>(text.size()) + 22;
    };
    for (std::size_t i = 0; i < kSizeShares.size(); ++i) {
      const auto bytes_from = [&](double share) {
        return bytes_text(
            static_cast<std::int64_t>(std::ceil(share * static_cast<double>(picture_.arena_bytes))));
      };
      entry(fmt::format("size{}", i), kSizeShares[i] > 0
                                          ? "intermediate of at least " + bytes_from(kSizeShares[i])
                                          : std::string("smaller"));
    }
    entry("output", "output");
    entry("scratch", "scratch of one step");
  }

  const MemoryPicture& picture_;
  double steps_;
  double top_bytes_;
  std::string out_;
};

}  // namespace

std::string render_memory_picture(const MemoryPicture& picture) { return Svg(picture).render(); }

}  // namespace foretell::reports
