// SPDX-License-Identifier: Apache-2.0
#include "reports/all.hpp"

#include <array>

#include "reports/json_renderer.hpp"
#include "reports/probe_text.hpp"
#include "reports/run_json.hpp"
#include "reports/run_text.hpp"
#include "reports/text_renderer.hpp"

namespace foretell::reports {

std::span<const Renderer> all_renderers() {
  static constexpr std::array kRenderers{
      Renderer{"text", ".txt", render_text, render_run_text, render_probe_text},
      Renderer{"json", ".json", render_json, render_run_json, render_probe_json},
  };
  return kRenderers;
}

}  // namespace foretell::reports
