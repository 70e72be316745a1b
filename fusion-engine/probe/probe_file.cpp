// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/probe_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "analyzer/cost/json_fields.hpp"
#include "src/base/directories.hpp"

namespace foretell::probe {
namespace {

using cost::Json;
using Ordered = nlohmann::ordered_json;

constexpr int kFileVersion = 1;

// Looks keys up and keeps the first fault: a reader of many fields stays readable.
class Fields {
 public:
  Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) {
      fault_ = fmt::format("expected an object, found {}", cost::found(object));
    }
  }

  std::string text(std::string_view key) {
    const Json* value = take(key, "text", [](const Json& v) { return v.is_string(); });
    return value == nullptr ? std::string() : value->get<std::string>();
  }
  std::int64_t whole(std::string_view key) {
    const Json* value = take(key, "a whole number", [](const Json& v) {
      return v.is_number_integer() && (!v.is_number_unsigned() || v.get<std::uint64_t>() <= INT64_MAX);
    });
    return value == nullptr ? 0 : value->get<std::int64_t>();
  }
  double number(std::string_view key) {
    const Json* value = take(key, "a number of at least 0", [](const Json& v) {
      return v.is_number() && std::isfinite(v.get<double>()) && v.get<double>() >= 0;
    });
    return value == nullptr ? 0 : value->get<double>();
  }
  bool flag(std::string_view key) {
    const Json* value = take(key, "true or false", [](const Json& v) { return v.is_boolean(); });
    return value != nullptr && value->get<bool>();
  }
  const Json& any(std::string_view key) {
    static const Json kNothing;
    const Json* value = take(key, "a value", [](const Json&) { return true; });
    return value == nullptr ? kNothing : *value;
  }
  void fault(std::string message) {
    if (fault_.empty()) {
      fault_ = std::move(message);
    }
  }
  Result<void> done() const {
    if (fault_.empty()) {
      return {};
    }
    return fail(ErrorCode::BadInput, place_, fault_, "'foretell probe --refresh' writes the file anew");
  }

 private:
  const Json* take(std::string_view key, std::string_view what, bool (*fits)(const Json&)) {
    if (!fault_.empty()) {
      return nullptr;
    }
    const Json* value = cost::find(object_, key);
    if (value == nullptr || !fits(*value)) {
      fault_ = fmt::format("expected {} for '{}', found {}", what, key,
                           value == nullptr ? "none" : cost::found(*value));
      return nullptr;
    }
    return value;
  }

  const Json& object_;
  std::string place_;
  std::string fault_;
};

Result<Machine> read_machine_fields(const Json& object, const std::string& where) {
  Fields fields(object, where + ": machine");
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
  Fields fields(object, where);
  ProbedConstant read;
  cost::Constant& constant = read.constant;
  constant.name = fields.text("name");
  constant.unit = fields.text("unit");
  constant.low = fields.number("low");
  constant.expected = fields.number("expected");
  constant.high = fields.number("high");
  const std::string provenance = fields.text("provenance");
  constant.provenance =
      provenance == to_string(Provenance::Derived) ? Provenance::Derived : Provenance::Probed;
  constant.source = fields.text("source");
  read.samples = fields.whole("samples");
  if (provenance != to_string(constant.provenance)) {
    fields.fault(fmt::format("expected probed or derived for 'provenance', found '{}'", provenance));
  }
  if (constant.low > constant.expected || constant.expected > constant.high) {
    fields.fault(fmt::format("expected low <= expected <= high, found {}, {}, {}", constant.low,
                             constant.expected, constant.high));
  }
  FORETELL_RETURN_IF_ERROR(fields.done());
  return read;
}

Result<ProbeResult> read_result(const Json& root, const std::string& where) {
  Fields fields(root, where);
  if (fields.whole("schema_version") != kFileVersion) {
    fields.fault(fmt::format("expected schema_version {}", kFileVersion));
  }
  ProbeResult result;
  const Json& machine = fields.any("machine");
  result.probed_at_s = fields.whole("probed_at_s");
  result.duration_ns = fields.whole("duration_ns");
  const Json& constants = fields.any("constants");
  if (!constants.is_array() || constants.empty()) {
    fields.fault("expected a list of constants");
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

std::filesystem::path probe_file_path() {
  const auto directory = cache_directory();
  return directory ? *directory / "probe.json" : std::filesystem::path();
}

std::string to_json(const ProbeResult& result) {
  const Machine& machine = result.machine;
  Ordered constants = Ordered::array();
  for (const auto& [constant, samples] : result.constants) {
    constants.push_back({{"name", constant.name},
                         {"unit", constant.unit},
                         {"low", constant.low},
                         {"expected", constant.expected},
                         {"high", constant.high},
                         {"provenance", to_string(constant.provenance)},
                         {"source", constant.source},
                         {"samples", samples}});
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
                "'foretell probe --refresh' writes the file anew");
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
