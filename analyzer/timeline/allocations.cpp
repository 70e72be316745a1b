// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/allocations.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

// Rows of the allocator's records by device, then time; at one time in order of the file.
std::vector<std::uint32_t> order_events(const MemoryEvents& events) {
  struct Key {
    std::int32_t device;
    std::uint32_t row;
    std::int64_t time_ns;
  };
  std::vector<Key> keys(events.size());
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    keys[row] = {events.device_id[row], row, events.time_ns[row]};
  }
  std::ranges::sort(keys, {}, [](const Key& key) { return std::tuple(key.device, key.time_ns, key.row); });
  std::vector<std::uint32_t> order(keys.size());
  std::ranges::transform(keys, order.begin(), &Key::row);
  return order;
}

class RequestSums {
 public:
  explicit RequestSums(const Steps& steps) : allocations_(steps), frees_(steps), bytes_(steps) {}

  void add(std::size_t step, std::int64_t bytes) {
    if (bytes > 0) {
      allocations_.add(step, 1);
      bytes_.add(step, bytes);
    } else if (bytes < 0) {
      frees_.add(step, 1);
    }
  }
  [[nodiscard]] AllocatorRequests sum() const {
    return {.allocations = allocations_.sum(), .frees = frees_.sum(), .allocated_bytes = bytes_.sum()};
  }

 private:
  StepSums allocations_, frees_, bytes_;
};

void measure_requests(const Profile& profile, const Steps& steps, Allocations& out) {
  const MemoryEvents& events = profile.memory_events;
  out.recorded = events.size() > 0;
  RequestSums device(steps);
  RequestSums host(steps);
  StepSums growth(steps);
  std::int64_t running_bytes = 0;
  std::int64_t reserved_bytes = -1;  // as last recorded for the device
  std::int32_t last_device = -1;
  for (const std::uint32_t row : order_events(events)) {
    const std::size_t step = step_at(steps.all, events.time_ns[row]);
    if (events.device_id[row] < 0) {
      host.add(step, events.bytes[row]);
      continue;
    }
    device.add(step, events.bytes[row]);
    if (events.device_id[row] != last_device) {
      last_device = events.device_id[row];
      running_bytes = 0;
      reserved_bytes = -1;
    }
    add_saturated(running_bytes, events.bytes[row]);
    const std::int64_t allocated = events.total_allocated_bytes[row];
    out.peak_allocated_bytes = std::max(out.peak_allocated_bytes, allocated >= 0 ? allocated : running_bytes);
    const std::int64_t reserved = events.total_reserved_bytes[row];
    if (reserved < 0) {
      continue;
    }
    if (reserved_bytes >= 0) {
      growth.add(step, reserved - reserved_bytes);
    }
    reserved_bytes = reserved;
    out.peak_reserved_bytes = std::max(out.peak_reserved_bytes, reserved);
  }
  out.device = device.sum();
  out.host = host.sum();
  out.reserved_growth_bytes = growth.sum();
}

class DriverSums {
 public:
  explicit DriverSums(const Steps& steps) : calls_(steps), ns_(steps) {}

  void add(std::size_t step, std::int64_t duration_ns) {
    calls_.add(step, 1);
    ns_.add(step, duration_ns);
  }
  [[nodiscard]] DriverRequests sum() const { return {.calls = calls_.sum(), .call_ns = ns_.sum()}; }

 private:
  StepSums calls_, ns_;
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Steps in which a device allocation follows a device free, with nothing launched between them.
class RetryFinder {
 public:
  explicit RetryFinder(std::size_t steps) : retried_(steps, false) {}

  void free(std::size_t step) { freed_in_ = step; }
  void allocate(std::size_t step) {
    if (step == freed_in_ && step < retried_.size()) {
      retried_[step] = true;
    }
    forget();
  }
  void forget() { freed_in_ = SIZE_MAX; }
  [[nodiscard]] bool retried(std::size_t step) const { return retried_[step]; }

 private:
  std::vector<bool> retried_;
  std::size_t freed_in_ = SIZE_MAX;
};

void measure_driver(const Profile& profile, const Steps& steps, Allocations& out) {
  const ApiCalls& calls = profile.api_calls;
  DriverSums device_allocate(steps);
  DriverSums device_free(steps);
  DriverSums host_allocate(steps);
  DriverSums host_free(steps);
  RetryFinder retries(steps.all.size());
  std::uint32_t last = kNoRow;  // request
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    const ApiKind kind = calls.kind[call];
    if (call > 0 && calls.thread[call] != calls.thread[call - 1]) {
      last = kNoRow;
      retries.forget();
    }
    if (is_launch(kind)) {
      retries.forget();
    }
    if (kind != ApiKind::Allocate && kind != ApiKind::Free) {
      continue;
    }
    const std::int64_t start = calls.start_ns[call];
    if (last != kNoRow && start < calls.start_ns[last] + calls.duration_ns[last]) {
      continue;  // a driver call inside the runtime call
    }
    last = call;
    const std::int64_t duration = std::max<std::int64_t>(calls.duration_ns[call], 0);
    const std::size_t step = step_at(steps.all, start);
    const std::string_view name = profile.text(calls.name[call]);
    const bool is_host = contains(name, "Host");
    const bool allocates = kind == ApiKind::Allocate;
    (allocates ? (is_host ? host_allocate : device_allocate) : (is_host ? host_free : device_free))
        .add(step, duration);
    if (!is_host && !contains(name, "Async")) {
      allocates ? retries.allocate(step) : retries.free(step);
    }
  }
  out.device_allocate = device_allocate.sum();
  out.device_free = device_free.sum();
  out.host_allocate = host_allocate.sum();
  out.host_free = host_free.sum();

  std::int64_t steady_ns = 0;
  for (std::size_t step = 0; step < steps.all.size(); ++step) {
    if (!steps.all[step].warmup) {
      add_saturated(steady_ns, steps.all[step].step_ns);
      out.retry_steps += retries.retried(step) ? 1 : 0;
    }
  }
  std::int64_t driver_ns = 0;
  for (const DriverRequests* requests :
       {&out.device_allocate, &out.device_free, &out.host_allocate, &out.host_free}) {
    add_saturated(driver_ns, requests->call_ns.steady);
  }
  out.driver_share = steady_ns > 0 ? static_cast<double>(driver_ns) / static_cast<double>(steady_ns) : 0;
}

}  // namespace

Allocations compute_allocations(const Profile& profile, const Steps& steps) {
  Allocations out;
  measure_requests(profile, steps, out);
  measure_driver(profile, steps, out);
  return out;
}

}  // namespace foretell::timeline
