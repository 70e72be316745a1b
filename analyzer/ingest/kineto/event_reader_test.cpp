// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/event_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace foretell::ingest::kineto {
namespace {

using profile::kNoId;
using profile::kNoRow;
using profile::Stat;
using testing::ElementsAre;

// Reads one window, with the padding a window has.
bool read_window(std::string_view text, std::size_t count, EventBatch& batch) {
  EventReader reader;
  const std::string padded = std::string(text) + std::string(kWindowPadding, ' ');
  return reader.read_window(std::string_view(padded).substr(0, text.size()), count, batch);
}

// One event by both ways; they must not differ.
EventBatch read_one(std::string_view text) {
  EventBatch fast;
  EXPECT_TRUE(read_window(text, 1, fast)) << text;
  EventBatch slow;
  EventReader().read_repaired(text, slow);
  EXPECT_EQ(fast.events.size(), 1U) << text;
  EXPECT_EQ(slow.events.size(), 1U) << text;
  EXPECT_EQ(fast.events[0].time_ns, slow.events[0].time_ns);
  EXPECT_EQ(fast.events[0].correlation, slow.events[0].correlation);
  EXPECT_EQ(fast.strings.size(), slow.strings.size());
  return fast;
}

TEST(EventReader, KernelOfToday) {
  const EventBatch batch =
      read_one(R"({ "ph": "X", "cat": "kernel", "name": "vectorized_add", "pid": 0, "tid": 7,
      "ts": 6744669505873.574, "dur": 3.725, "args": { "External id": 8230, "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": 17375, "registers per thread": 24, "shared memory": 128, "graph id": 2,
      "graph node id": 65, "warps per SM": 2.8, "grid": [77, 1, 2], "block": [128, 2, 1],
      "est. achieved occupancy %": 25 } })");

  const Event& event = batch.events[0];
  EXPECT_EQ(event.phase, 'X');
  EXPECT_EQ(event.category, Category::Kernel);
  EXPECT_EQ(batch.strings[event.name], "vectorized_add");
  EXPECT_EQ(event.time_ns, 6'744'669'505'873'574);
  EXPECT_EQ(event.duration_ns, 3'725);
  EXPECT_TRUE(event.has_time);
  EXPECT_TRUE(event.has_duration);
  EXPECT_FALSE(event.is_untimed);
  EXPECT_TRUE(batch.has_fraction);
  EXPECT_EQ(event.external_id, 8230);
  EXPECT_EQ(event.correlation, 17375);
  ASSERT_NE(event.device_args, kNoRow);
  const DeviceArgs& args = batch.device_args[event.device_args];
  EXPECT_EQ(args.device, 0);
  EXPECT_EQ(args.stream, 7);
  EXPECT_EQ(args.graph_id, 2);
  EXPECT_EQ(args.graph_node_id, 65);
  EXPECT_THAT(args.grid, ElementsAre(77, 1, 2));
  EXPECT_THAT(args.block, ElementsAre(128, 2, 1));
  EXPECT_EQ(args.registers, 24);
  EXPECT_EQ(args.shared_memory, 128);
  EXPECT_FLOAT_EQ(args.occupancy, 0.25F);
}

TEST(EventReader, KernelOf2021) {
  const EventBatch batch = read_one(
      R"({"args": {"external id": 5, "correlation": 9}, "tid": "stream 7", "pid": 0, "cat": "Kernel", "dur": 2, "ts": 10, "ph": "X", "name": "k"})");

  const Event& event = batch.events[0];
  EXPECT_EQ(event.category, Category::Kernel);
  EXPECT_EQ(batch.strings[event.tid.text], "stream 7");
  EXPECT_EQ(event.external_id, 5);
  EXPECT_EQ(event.correlation, 9);
  EXPECT_FALSE(batch.device_args[event.device_args].stream.has_value());
  EXPECT_FALSE(batch.has_fraction);
}

TEST(EventReader, NumbersAsTextAreReadExactly) {
  const EventBatch batch = read_one(
      R"({"ph": "X", "cat": "gpu_memcpy", "ts": "1747123456789012.345", "dur": "0.655", "pid": "0", "tid": "7", "args": {"bytes": "616", "stream": "0x7", "correlation": "9"}})");

  const Event& event = batch.events[0];
  EXPECT_EQ(event.time_ns, 1'747'123'456'789'012'345);
  EXPECT_EQ(event.duration_ns, 655);
  EXPECT_EQ(event.pid, (profile::TrackId{.number = 0}));
  EXPECT_EQ(event.correlation, 9);
  EXPECT_EQ(batch.device_args[event.device_args].bytes, 616);
  EXPECT_EQ(batch.device_args[event.device_args].stream, 7);
  EXPECT_EQ(batch.stats[Stat::TextTimestamps], 1U);  // events, not values
}

TEST(EventReader, IdsBeyondSixtyFourBitsStayText) {
  const EventBatch batch = read_one(
      R"({"ph": "s", "id": 18446744073709551617, "args": {"correlation": "abc", "External id": 9223372036854775807}})");

  const Event& event = batch.events[0];
  const auto text_of = [&](profile::RecordId id) {
    return batch.strings[StringId{static_cast<std::uint32_t>(id - profile::text_record_id(StringId::Empty))}];
  };
  ASSERT_LT(event.flow_id, kNoId);
  EXPECT_EQ(text_of(event.flow_id), "18446744073709551617");
  ASSERT_LT(event.correlation, kNoId);
  EXPECT_EQ(text_of(event.correlation), "abc");
  EXPECT_EQ(event.external_id, 9223372036854775807);
}

TEST(EventReader, NegativeAndMissingIdsAreNone) {
  const EventBatch batch = read_one(R"({"ph": "X", "args": {"correlation": -1, "External id": null}})");

  EXPECT_EQ(batch.events[0].correlation, kNoId);
  EXPECT_EQ(batch.events[0].external_id, kNoId);
  EXPECT_FALSE(batch.events[0].has_time);
  EXPECT_FALSE(batch.events[0].has_duration);
}

TEST(EventReader, BothStampsZeroMeanUntimed) {
  EXPECT_TRUE(read_one(R"({"ph": "X", "cat": "kernel", "ts": 0, "dur": 0})").events[0].is_untimed);
  EXPECT_FALSE(read_one(R"({"ph": "X", "cat": "kernel", "ts": 0, "dur": 1})").events[0].is_untimed);
  EXPECT_FALSE(read_one(R"({"ph": "X", "cat": "kernel", "ts": 5, "dur": 0})").events[0].is_untimed);
}

TEST(EventReader, UnreadableTimeIsMarkedAndLeftOut) {
  const EventBatch batch = read_one(R"({"ph": "X", "ts": "soon", "dur": null})");

  EXPECT_FALSE(batch.events[0].has_time);
  EXPECT_FALSE(batch.events[0].has_duration);
  EXPECT_TRUE(batch.events[0].has_bad_time);
}

TEST(EventReader, OpKeepsShapesAsWritten) {
  const EventBatch batch = read_one(
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "args": {"Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"], "Concrete Inputs": ["", "1"], "Sequence number": 12, "Fwd thread id": 0, "Call stack": "a;b"}})");

  ASSERT_NE(batch.events[0].op_args, kNoRow);
  const OpArgs& args = batch.op_args[batch.events[0].op_args];
  EXPECT_EQ(batch.strings[args.input_dims], "[[2, 3], [3, 4]]");
  EXPECT_EQ(batch.strings[args.input_types], R"(["float", "float"])");
  EXPECT_EQ(batch.strings[args.concrete_inputs], R"(["", "1"])");
  EXPECT_EQ(batch.strings[args.call_stack], "a;b");
  EXPECT_EQ(args.sequence_number, 12);
  EXPECT_EQ(args.forward_thread, 0);
}

TEST(EventReader, MemoryInstantOfHostHasNoDevice) {
  const EventBatch host = read_one(
      R"({"ph": "i", "name": "[memory]", "ts": 1, "args": {"Device Type": 0, "Device Id": -1, "Bytes": -512, "Addr": 140, "Total Allocated": 1024}})");
  const EventBatch device = read_one(
      R"({"ph": "i", "name": "[memory]", "ts": 1, "args": {"Device Type": 1, "Device Id": 3, "Bytes": 512, "Total Reserved": 2048}})");

  EXPECT_EQ(host.memory_args[host.events[0].memory_args].device_id, -1);
  EXPECT_EQ(host.memory_args[host.events[0].memory_args].bytes, -512);
  EXPECT_EQ(host.memory_args[host.events[0].memory_args].address, 140U);
  EXPECT_EQ(host.memory_args[host.events[0].memory_args].total_allocated, 1024);
  EXPECT_EQ(device.memory_args[device.events[0].memory_args].device_id, 3);
  EXPECT_EQ(device.memory_args[device.events[0].memory_args].total_reserved, 2048);
}

TEST(EventReader, EscapesInNamesAreDecoded) {
  const EventBatch batch = read_one(R"({"ph": "X", "name": "a\"b\\c\u00e4"})");

  EXPECT_EQ(batch.strings[batch.events[0].name], "a\"b\\c\xC3\xA4");
}

TEST(EventReader, UnknownKeysAndOddArgsAreSkipped) {
  for (const std::string_view text :
       {R"({"ph": "X", "ts": 1, "new key": {"deep": [[{}]]}, "args": null})",
        R"({"ph": "X", "ts": 1, "args": []})", R"({"ph": "X", "ts": 1, "args": "text"})",
        R"({"ph": "X", "ts": 1, "args": {}, "grid": 7})",
        R"({"ph": "X", "ts": 1, "a key that is longer than any key the reader knows, by far": 1})"}) {
    EXPECT_EQ(read_one(text).events[0].time_ns, 1'000) << text;
  }
}

TEST(EventReader, WindowOfManyEvents) {
  EventBatch batch;

  EXPECT_TRUE(read_window(R"({"ph":"X","ts":1} {"ph":"i","ts":2}
    {"ph":"f","ts":3})",
                          3, batch));
  ASSERT_EQ(batch.events.size(), 3U);
  EXPECT_EQ(batch.events[2].phase, 'f');
  EXPECT_EQ(batch.events[2].time_ns, 3'000);
}

TEST(EventReader, WindowThatIsNotWhatWasCountedIsRefused) {
  for (const std::string_view text :
       {R"({"ph":"X"} {"ph":"X"} {"ph":"X"})", R"({"ph":"X"})", R"({"ph":"X"} 7)", R"({"ph":"X"} [])",
        R"({"ph":"X"} {"ph":"X")", "{\"ph\":\"X\"} {\"name\":\"\x01\"}", "{\"ph\":\"X\"} {\"name\":\"\xFF\"}",
        R"({"ph":"X"} {"name":"\c"})", R"({"ph":"X"} {"name":"\ud800"})", R"({"ph":"X"} {"ph" "X"})"}) {
    EventBatch batch;
    EXPECT_FALSE(read_window(text, 2, batch)) << text;
  }
}

TEST(EventReader, RepairedValueThatIsNoObjectIsCounted) {
  EventReader reader;
  EventBatch batch;
  for (const std::string_view text : {"7", "[1]", "null", "\"x\""}) {
    reader.read_repaired(text, batch);
  }

  EXPECT_EQ(batch.stats[Stat::NotAnObject], 4U);
  EXPECT_TRUE(batch.events.empty());
}

}  // namespace
}  // namespace foretell::ingest::kineto
