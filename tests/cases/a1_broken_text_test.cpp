// SPDX-License-Identifier: Apache-2.0
// Traces whose text is not what it should be: quoting, numbers, escapes, ends, compression.
#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <random>

#include "tests/cases/trace_text.hpp"

namespace foretell::cases {
namespace {

using profile::Stat;
using testing::HasSubstr;
using testing::Not;
using timeline::Verdict;

const ingest::ReadOptions kLenient{.lenient = true};

// What stands between the backticks of an error text.
std::string quoted_context(const Error& error) {
  const std::size_t open = error.message.find('`');
  const std::size_t close = error.message.rfind('`');
  return open == close ? "" : error.message.substr(open + 1, close - open - 1);
}

// A key without its opening quote, as a hand-written exporter produced it.
constexpr std::string_view kMissingQuote = R"([
{"name": "aten::add", "ph": "X", "ts": 100.05, "dur": 2.9, "tid": 0, "pid": "CPU functions", "args": {}},
{"name": "aten::add", "ph": "s", "ts": 100.05, "tid": 0, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda"},
{"name": "aten::add", "ph": "f", "ts": 102.95,
 tid": 0, "pid": "CUDA functions", "id": 1, "cat": "cpu_to_cuda"},
{"name": "add_kernel", "ph": "X", "ts": 102.95, "dur": 1.5, "tid": 0, "pid": "CUDA functions", "args": {}}
]
)";

TEST(BrokenText, A01MissingQuoteIsRefusedAtItsPlace) {
  const std::size_t at = kMissingQuote.find("\n tid\"") + 2;

  const Error error = refusal(kMissingQuote);

  EXPECT_EQ(error.code, ErrorCode::BadInput);
  EXPECT_EQ(error.where, fmt::format("memory: byte {}, line 5", at));
  EXPECT_THAT(error.message, HasSubstr("event 2:"));
  std::string context(kMissingQuote.substr(at - 20, 40));
  std::ranges::replace(context, '\n', ' ');
  EXPECT_EQ(quoted_context(error), context);
  EXPECT_EQ(quoted_context(error).size(), 40U);
}

TEST(BrokenText, A01LenientDropsThatEventAndSaysSo) {
  const Analysis analysis = analyze(kMissingQuote, kLenient);

  EXPECT_EQ(analysis.profile.info.events, 3U);
  EXPECT_EQ(analysis.count(Stat::EventsDropped), 1U);
  EXPECT_TRUE(analysis.says("1 event dropped"));
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_EQ(analysis.facts().cpu_ops, 1U);
  EXPECT_EQ(analysis.facts().kernels, 1U);
}

std::string memcpy_with_bandwidth(std::string_view ts, std::string_view dur, std::string_view bandwidth) {
  return fmt::format(
      R"j({{"ph": "X", "cat": "Memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, )j"
      R"j("tid": "stream 7", "ts": {}, "dur": {}, "args": {{"device": 0, "stream": 7, )j"
      R"j("bytes": 200, "memory bandwidth (GB/s)": {}}}}})j",
      ts, dur, bandwidth);
}

TEST(BrokenText, A02InfiniteBandwidthIsMissingNotFatal) {
  TraceText trace;
  trace.add(memcpy_with_bandwidth("100", "0", "inf")).add(memcpy_with_bandwidth("200", "2", "0.1"));

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().memcpys, 2U);
  const profile::DeviceActivities& copies = analysis.profile.activities;
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies.bytes[0], 200);
  EXPECT_EQ(copies.duration_ns[0], 0);
  EXPECT_EQ(copies.bytes[0] + copies.bytes[1], 400);
  EXPECT_EQ(copies.duration_ns[0] + copies.duration_ns[1], 2'000);
  EXPECT_EQ(analysis.facts().device_busy_ns, 2'000);
  EXPECT_EQ(analysis.count(Stat::NonFiniteValues), 1U);
  EXPECT_TRUE(analysis.says("1 non-finite value"));
  EXPECT_THAT(analysis.report(), Not(HasSubstr(" inf ")));
  EXPECT_EQ(analysis.profile.text(analysis.profile.activities.name[0]), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(analysis.profile.streams.at(copies.stream[0]).id, 7);
}

TEST(BrokenText, A02EverySpellingOfNotANumberIsMissing) {
  TraceText trace;
  for (const std::string_view word : {"inf", "-inf", "nan", "NaN", "Infinity"}) {
    trace.add(memcpy_with_bandwidth("100", "2", word));
  }

  const Analysis analysis = analyze(trace.object());

  EXPECT_EQ(analysis.facts().memcpys, 5U);
  EXPECT_EQ(analysis.count(Stat::NonFiniteValues), 5U);
  EXPECT_TRUE(analysis.says("5 non-finite values"));
}

TEST(BrokenText, A03WindowsPathsKeepTheirBackslashes) {
  TraceText trace;
  trace
      .python(
          {.ts = "0", .dur = "9", .name = R"(torch\nn.py(7): linear)"})  // legal JSON, but not what was meant
      .python({.ts = "1", .dur = "7", .name = R"(torch\cuda.py(219): _lazy_init)"})
      .python({.ts = "2", .dur = "5", .name = R"(torch\_ops.py(502): __call__)"})
      .kernel({.ts = "3", .dur = "5"});

  const Analysis analysis = analyze(trace.object());

  const profile::HostOps& ops = analysis.profile.host_ops;
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_EQ(analysis.profile.text(ops.name[0]), R"(torch\nn.py(7): linear)");
  EXPECT_EQ(analysis.profile.text(ops.name[1]), R"(torch\cuda.py(219): _lazy_init)");
  EXPECT_EQ(analysis.profile.text(ops.name[2]), R"(torch\_ops.py(502): __call__)");
  EXPECT_EQ(analysis.count(Stat::StringsRepaired), 3U);
  EXPECT_TRUE(analysis.says("3 strings repaired"));
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 5'000);
}

// Program text as a file name: neither its quotes nor its newline are escaped.
constexpr std::string_view kLibraryFrame =
    "_test_lib_impl = torch.library.Library(\"_inductor_test\", \"IMPL\")\n(1): <module>";
constexpr std::string_view kObjectFrame = R"({"device": "cpu", "dtype": "float32"}(12): run)";

class RawQuotes : public testing::TestWithParam<std::string_view> {
 protected:
  // 1,000 kernels of 2 us with the broken frame in their middle.
  static std::string text(std::string_view frame) {
    TraceText trace;
    for (int i = 0; i < 1000; ++i) {
      trace.kernel({.ts = us(i * 3'000), .dur = "2"});
      if (i == 499) {
        trace.python({.ts = "1", .dur = "123456", .name = std::string(frame)});
      }
    }
    return trace.object();
  }
};

TEST_P(RawQuotes, A04StrictReadingRefusesAtTheEvent) {
  const std::string trace = text(GetParam());

  const Error error = refusal(trace);

  const std::size_t name = trace.find(GetParam());
  const std::size_t fault = trace.find('"', name) + 1;  // behind the quote that closes the string too early
  EXPECT_EQ(error.code, ErrorCode::BadInput);
  EXPECT_EQ(error.where, fmt::format("memory: byte {}, line 502", fault));
  EXPECT_THAT(error.message, HasSubstr("event 500:"));
  EXPECT_EQ(quoted_context(error).size(), 40U);
}

TEST_P(RawQuotes, A04LenientReadingLosesThatEventAlone) {
  const Analysis analysis = analyze(text(GetParam()), kLenient);

  EXPECT_EQ(analysis.facts().kernels, 1'000U);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 2'000'000);
  EXPECT_EQ(analysis.count(Stat::EventsDropped), 1U);
  EXPECT_TRUE(analysis.says("1 of 1,001"));
  EXPECT_EQ(analysis.profile.host_ops.size(), 0U);  // no number of the broken event is guessed
  EXPECT_EQ(analysis.facts().span_ns, 2'999'000);
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
}

INSTANTIATE_TEST_SUITE_P(BrokenText, RawQuotes, testing::Values(kLibraryFrame, kObjectFrame),
                         [](const auto& param) { return param.index == 0 ? "Call" : "Object"; });

TEST(BrokenText, A05ControlCharactersAndBadBytesAreReplaced) {
  TraceText trace;
  trace.python({.ts = "0", .dur = "9", .name = "torch/_inductor/config.py(0): <\x01>"})
      .python({.ts = "1", .dur = "7", .name = "|||S\xFF(1): <module>"})
      .python({.ts = "2", .dur = "5", .name = R"(half \ud800 pair)"})
      .kernel({.ts = "3", .dur = "7"});
  const std::string text = trace.object();

  const Analysis analysis = analyze(text);

  const profile::HostOps& ops = analysis.profile.host_ops;
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_EQ(analysis.profile.text(ops.name[0]), "torch/_inductor/config.py(0): <\xEF\xBF\xBD>");
  EXPECT_EQ(analysis.profile.text(ops.name[1]), "|||S\xEF\xBF\xBD(1): <module>");
  EXPECT_EQ(analysis.profile.text(ops.name[2]), "half \xEF\xBF\xBD pair");
  EXPECT_EQ(analysis.count(Stat::StringsRepaired), 3U);
  EXPECT_TRUE(analysis.says("3 strings repaired"));
  EXPECT_TRUE(analysis.says(fmt::format("byte {}", text.find('\x01'))));
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 7'000);
}

// A launch and its kernel, so that nothing but the file's end is odd.
constexpr std::string_view kEvent1 =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 1, "ts": 1, "dur": 2, "args": {"correlation": 1}})";
constexpr std::string_view kEvent2 =
    R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 4, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 1}})";

TEST(BrokenText, A06TrailingCommaInArrayForm) {
  const Analysis analysis = analyze(fmt::format("[{},{},]", kEvent1, kEvent2));

  EXPECT_EQ(analysis.profile.info.events, 2U);
  EXPECT_EQ(analysis.facts().launch_calls, 1U);
  EXPECT_EQ(analysis.facts().kernels, 1U);
  EXPECT_EQ(analysis.verdict(), Verdict::Complete) << analysis.said();
}

TEST(BrokenText, A06MissingEndInArrayForm) {
  const Analysis analysis = analyze(fmt::format("[{},{},", kEvent1, kEvent2));

  EXPECT_EQ(analysis.profile.info.events, 2U);
  EXPECT_EQ(analysis.facts().launch_calls, 1U);
  EXPECT_EQ(analysis.facts().kernels, 1U);
  EXPECT_EQ(analysis.verdict(), Verdict::Complete) << analysis.said();
}

TEST(BrokenText, A06ObjectFormCutInMidEventIsIncomplete) {
  const Analysis analysis =
      analyze(fmt::format(R"({{"traceEvents":[{},{},{{"ph":"X","na)", kEvent1, kEvent2));

  EXPECT_EQ(analysis.profile.info.events, 2U);
  EXPECT_EQ(analysis.facts().launch_calls, 1U);
  EXPECT_EQ(analysis.facts().kernels, 1U);
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_TRUE(analysis.says("file ends inside event 2, 2 events read"));
  EXPECT_TRUE(analysis.says("incomplete"));
  EXPECT_TRUE(analysis.says("lower bounds"));
}

TEST(BrokenText, A06CommaBeforeTheFirstEventIsRefused) {
  const Error error = refusal(fmt::format("[,{}]", kEvent1));

  EXPECT_EQ(error.code, ErrorCode::BadInput);
  EXPECT_EQ(error.where, "memory: byte 1, line 1");
  EXPECT_THAT(error.message, HasSubstr("event 0:"));
}

TEST(BrokenText, A07NumbersBeyondSixtyFourBitsStayText) {
  TraceText trace;
  trace.call({.ts = "1", .dur = "2", .correlation = 7})
      .kernel({.ts = "4",
               .dur = "5",
               .correlation = 7,
               .name = "ncclDevKernel_SendRecv",
               .args = R"("Comms Id": 18446744073709551617)"})
      .add(
          R"({"ph": "s", "id": 18446744073709551615, "pid": 42, "tid": 1, "ts": 1, "cat": "ac2g", "name": "ac2g"})");

  const Analysis analysis = analyze(trace.object());

  const profile::Profile& profile = analysis.profile;
  EXPECT_EQ(profile.activities.correlation[0], 7);
  EXPECT_EQ(analysis.timeline.links.linked_kernels, 1U);
  ASSERT_EQ(profile.communications.size(), 1U);
  EXPECT_EQ(profile.text(profile.communications.communicator_id[0]), "18446744073709551617");
  ASSERT_EQ(profile.flows.size(), 1U);
  const profile::RecordId flow = profile.flows.id[0];
  ASSERT_LT(flow, profile::kNoId);
  const auto text = static_cast<std::uint32_t>(flow - profile::text_record_id(StringId::Empty));
  EXPECT_EQ(profile.text(StringId{text}), "18446744073709551615");
  EXPECT_THAT(analysis.report(), HasSubstr("18446744073709551617"));
}

TEST(BrokenText, A08LegacyRootArrayHasNoDeviceSection) {
  TraceText trace;
  for (int i = 0; i < 100; ++i) {
    trace.add(fmt::format(
        R"({{"name": "aten::mul", "ph": "X", "ts": {}, "dur": 3, "tid": 1, "pid": "CPU functions", "args": {{}}}})",
        633 + 5 * i));
  }

  const Analysis analysis = analyze(trace.array());

  EXPECT_EQ(analysis.facts().cpu_ops, 100U);
  EXPECT_EQ(analysis.op_time("aten::mul").calls, 100U);
  EXPECT_EQ(analysis.op_time("aten::mul").total_ns, 300'000);
  EXPECT_EQ(analysis.facts().kernels, 0U);
  EXPECT_EQ(analysis.facts().linked_share, std::nullopt);
  EXPECT_EQ(analysis.facts().active_devices, 0U);
  EXPECT_TRUE(analysis.says("legacy CPU-only trace"));
  EXPECT_TRUE(analysis.says("no device events"));
  EXPECT_TRUE(analysis.says("launch analysis not possible"));
  EXPECT_FALSE(analysis.says("idle"));
  EXPECT_THAT(analysis.report(), HasSubstr("device absent"));
  EXPECT_THAT(analysis.report(), Not(HasSubstr("100.0 %")));
}

// One gzip member.
std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  EXPECT_EQ(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string member(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  std::string input(text);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<uInt>(member.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  member.resize(stream.total_out);
  deflateEnd(&stream);
  return member;
}

// 200 linked kernels of 2 us with names that do not compress well.
std::string trace_of_200_kernels() {
  std::mt19937 random(9);  // any fixed seed: only the size after compression matters
  TraceText trace;
  for (int i = 0; i < 200; ++i) {
    trace.call({.ts = us(i * 10'000), .dur = "1", .correlation = i + 1});
    trace.kernel({.ts = us(i * 10'000 + 3'000),
                  .dur = "2",
                  .correlation = i + 1,
                  .name = fmt::format("kernel_{:08x}{:08x}", random(), random())});
  }
  return trace.object();
}

TEST(BrokenText, A09SeveralGzipMembersAreOneText) {
  const std::string text = trace_of_200_kernels();
  const std::size_t middle = text.size() / 2;

  const Analysis analysis = analyze(gzip(text.substr(0, middle)) + gzip(text.substr(middle)));

  EXPECT_EQ(analysis.facts().kernels, 200U);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, 400'000);
  EXPECT_EQ(analysis.verdict(), Verdict::Complete) << analysis.said();
}

TEST(BrokenText, A09CutGzipGivesWhatItHoldsAndAWarning) {
  std::string stream = gzip(trace_of_200_kernels());
  stream.resize(stream.size() - 100);

  const Analysis analysis = analyze(stream);

  EXPECT_GT(analysis.facts().kernels, 150U);
  EXPECT_LT(analysis.facts().kernels, 200U);
  EXPECT_EQ(analysis.facts().kernel_sum_ns, static_cast<std::int64_t>(analysis.facts().kernels) * 2'000);
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_TRUE(analysis.says("compressed stream ends early"));
}

TEST(BrokenText, A09PlainTextNamedGzIsReadAsPlainText) {
  const std::string path = fmt::format("{}foretell_a09_{}.json.gz", testing::TempDir(), ::getpid());
  std::ofstream(path) << trace_of_200_kernels();

  const Analysis analysis = analyze(ingest::load_trace(path, {}));
  std::remove(path.c_str());

  EXPECT_EQ(analysis.facts().kernels, 200U);
  EXPECT_EQ(analysis.verdict(), Verdict::Complete) << analysis.said();
}

}  // namespace
}  // namespace foretell::cases
