// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/probe_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "analyzer/cost/json_fields.hpp"

namespace foretell::probe {
namespace {

using cost::Fields;
using cost::Json;
using Ordered = nlohmann::ordered_json;

constexpr int kFileVersion = 2;
constexpr std::string_view kHint = "'foretell probe --refresh' writes the file anew";

Result<Machine> read_machine_fields(const Json& object, const std::string& where) {
  static constexpr std::array<std::string_view, 10> kKeys{
      "cpu_model",        "cores",           "team",   "sync",   "l1_bytes", "l2_bytes",
      "last_level_bytes", "instruction_set", "kernel", "version"};
  Fields fields(object, where + ": machine", std::string(kHint));
  fields.only(kKeys);
  Machine machine;
  machine.cpu_model = fields.text("cpu_model");
  machine.cores = static_cast<int>(fields.whole("cores"));
  machine.team = static_cast<int>(fields.whole("team"));
  machine.sync = fields.flag("sync");
  machine.caches.l1_bytes = fields.whole("l1_bytes");
  machine.caches.l2_bytes = fields.whole("l2_bytes");
  machine.caches.last_level_bytes = fields.whole("last_level_bytes");
  machine.instruction_set = fields.text("instruction_set");
  machine.kernel = fields.text("kernel");
  machine.version = fields.text("version");
  FORETELL_RETURN_IF_ERROR(fields.done());
  return machine;
}

Result<ProbedConstant> read_constant(const Json& object, const std::string& where) {
  static constexpr std::array<std::string_view, 8> kKeys{"name", "unit",       "low",    "expected",
                                                         "high", "provenance", "source", "samples"};
  static constexpr std::array kProvenances{Provenance::Probed, Provenance::Derived};
  Fields fields(object, where, std::string(kHint));
  fields.only(kKeys);
  ProbedConstant read;
  cost::Constant& constant = read.constant;
  constant.name = fields.text("name");
  constant.unit = fields.text("unit");
  constant.low = fields.number("low");
  constant.expected = fields.number("expected");
  constant.high = fields.number("high");
  fields.check_order(constant);
  constant.provenance = fields.provenance("provenance", kProvenances);
  constant.source = fields.text("source");
  read.samples = fields.whole("samples");
  FORETELL_RETURN_IF_ERROR(fields.done());
  return read;
}

Result<ProbeResult> read_result(const Json& root, const std::string& where) {
  static constexpr std::array<std::string_view, 7> kKeys{
      "schema_version", "machine", "probed_at_s", "duration_ns", "taken", "rejected", "constants"};
  Fields fields(root, where, std::string(kHint));
  if (fields.whole("schema_version") != kFileVersion) {
    fields.fault(fmt::format("expected schema_version {}", kFileVersion));
  }
  fields.only(kKeys);
  ProbeResult result;
  const Json& machine = fields.object("machine");
  result.probed_at_s = fields.whole("probed_at_s");
  result.duration_ns = fields.whole("duration_ns");
  result.taken = fields.whole("taken");
  result.rejected = fields.whole("rejected");
  const Json& constants = fields.array("constants");
  if (constants.empty()) {
    fields.fault("expected constants, found none");
  }
  FORETELL_RETURN_IF_ERROR(fields.done());
  FORETELL_ASSIGN_OR_RETURN(result.machine, read_machine_fields(machine, where));
  for (std::size_t i = 0; i < constants.size(); ++i) {
    FORETELL_ASSIGN_OR_RETURN(ProbedConstant constant,
                              read_constant(constants[i], fmt::format("{}: constants[{}]", where, i)));
    result.constants.push_back(std::move(constant));
  }
  return result;
}

}  // namespace

std::string probe_file_name(const Machine& machine) {
  return fmt::format("probe-{}{}.json", machine.team, machine.sync ? "-sync" : "");
}

std::string to_json(const ProbeResult& result) {
  const Machine& machine = result.machine;
  Ordered constants = Ordered::array();
  for (const auto& [constant, samples] : result.constants) {
    Ordered row = cost::constant_json(constant);
    row["samples"] = samples;
    constants.push_back(std::move(row));
  }
  const Ordered out = {{"schema_version", kFileVersion},
                       {"machine",
                        {{"cpu_model", machine.cpu_model},
                         {"cores", machine.cores},
                         {"team", machine.team},
                         {"sync", machine.sync},
                         {"l1_bytes", machine.caches.l1_bytes},
                         {"l2_bytes", machine.caches.l2_bytes},
                         {"last_level_bytes", machine.caches.last_level_bytes},
                         {"instruction_set", machine.instruction_set},
                         {"kernel", machine.kernel},
                         {"version", machine.version}}},
                       {"probed_at_s", result.probed_at_s},
                       {"duration_ns", result.duration_ns},
                       {"taken", result.taken},
                       {"rejected", result.rejected},
                       {"constants", std::move(constants)}};
  return out.dump(2, ' ', false, Ordered::error_handler_t::replace) + '\n';
}

Result<ProbeResult> parse_probe(std::string_view json, std::string_view where) {
  const std::string place(where);
  try {
    return read_result(Json::parse(json), place);
  } catch (const std::exception& error) {
    return fail(ErrorCode::BadInput, place,
                fmt::format("expected JSON, found: {}", cost::parser_message(error.what())),
                std::string(kHint));
  }
}

Freshness freshness(const ProbeResult& result, const Machine& machine, std::int64_t now_s) {
  if (!(result.machine == machine)) {
    return Freshness::OtherMachine;
  }
  const std::int64_t age_s = now_s - result.probed_at_s;
  return age_s < 0 || age_s > kProbeLifeSeconds ? Freshness::Old : Freshness::Fresh;
}

Result<void> save_probe(const ProbeResult& result, const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path beside = path;
  beside += fmt::format(".{}", ::getpid());
  std::ofstream file(beside, std::ios::binary);
  file << to_json(result);
  file.close();
  if (file) {
    std::filesystem::rename(beside, path, error);
  }
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    return fail(ErrorCode::Environment, path.string(), "can't be written",
                "set XDG_CACHE_HOME to a directory of yours");
  }
  return {};
}

Result<ProbeResult> read_probe(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ErrorCode::BadInput, path.string(), "no such file");
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_probe(text, path.string());
}

}  // namespace foretell::probe
