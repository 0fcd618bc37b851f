//===- CostTest.cpp - What layers cost on a chip --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The files are read again by parsers that know nothing of Parallax.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Cost.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace parallax;

namespace {

std::vector<LayerCost> someCosts() {
  LayerCost conv;
  conv.layer = "conv \"a\", /b";
  conv.op = "npu.conv";
  conv.unit = CostUnit::Mac;
  conv.types = "ui8 x i8 -> ui8";
  conv.shape = {1, 8, 4, 4};
  conv.macs = 1234567;
  conv.inputBytes = 1;
  conv.weightBytes = 2;
  conv.outputBytes = 3;
  conv.memoryBytes = 4;
  conv.computeCycles = 3000;
  conv.memoryCycles = 10;
  conv.cycles = 3010;
  conv.utilization = 0.5;
  LayerCost view;
  view.layer = "view";
  view.op = "nn.reshape";
  view.startCycle = 3010;
  LayerCost exp;
  exp.layer = "exp\xff";
  exp.op = "nn.exp";
  exp.unit = CostUnit::Cpu;
  exp.startCycle = 3010;
  exp.memoryCycles = exp.cycles = 990;
  exp.memoryBytes = 2000;
  return {conv, view, exp};
}

TEST(Cost, ProfileHasALinePerLayer) {
  EXPECT_EQ(opProfileCsv(someCosts()),
            "layer,op,unit,types,shape,macs,input_bytes,weight_bytes,"
            "output_bytes,memory_bytes,start_cycle,compute_cycles,"
            "memory_cycles,cycles,utilization\n"
            "\"conv \"\"a\"\", /b\",npu.conv,MAC,ui8 x i8 -> ui8,1x8x4x4,"
            "1234567,1,2,3,4,0,3000,10,3010,0.5000\n"
            "view,nn.reshape,vector,,,0,0,0,0,0,3010,0,0,0,0.0000\n"
            "exp\uFFFD,nn.exp,CPU,,,0,0,0,0,2000,3010,0,990,990,0.0000\n");
}

TEST(Cost, TraceIsJson) {
  Target target;
  target.name = "chip";
  target.clockMhz = 500;
  auto trace = nlohmann::json::parse(traceJson(someCosts(), target));
  EXPECT_EQ(trace["otherData"]["target"], "chip");
  EXPECT_EQ(trace["otherData"]["max_cycle"], 4000);
  std::set<int> rows, named;
  double end = 0;
  for (const auto &event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      named.insert(int(event["tid"]));
      continue;
    }
    EXPECT_EQ(event["ph"], "X");
    EXPECT_NE(event["name"], "view");
    rows.insert(int(event["tid"]));
    end = std::max(end, double(event["ts"]) + double(event["dur"]));
  }
  // Microseconds, and no row without a name.
  EXPECT_DOUBLE_EQ(end, 4000 / 500.0);
  EXPECT_EQ(rows, (std::set<int>{0, 2, 3}));
  EXPECT_EQ(named, (std::set<int>{0, 1, 2, 3}));
  EXPECT_NO_THROW((void)nlohmann::json::parse(traceJson({}, target)));
}

TEST(Cost, TableShowsTheCostliestFirst) {
  std::string table = costTable(someCosts(), 2).render();
  size_t conv = table.find("conv"), exp = table.find("exp");
  EXPECT_LT(conv, exp);
  EXPECT_EQ(table.find("view"), std::string::npos);
  for (const char *text : {"1,234,567", "3,010", "75.2 %", "50.0 %",
                           "all 3 layers", "4,000", "compute", "CPU"})
    EXPECT_NE(table.find(text), std::string::npos) << text;
  EXPECT_EQ(costTable({}).rowCount(), 1u);
  EXPECT_EQ(maxCycleLine(someCosts()), "max_cycle = 4,000");
  EXPECT_EQ(maxCycleLine({}), "max_cycle = 0");
}

TEST(Cost, LongNumbersAreGrouped) {
  LayerCost cost;
  for (auto [cycles, text] :
       {std::pair(int64_t(7), "7"), std::pair(int64_t(999), "999"),
        std::pair(int64_t(1000), "1,000"),
        std::pair(int64_t(100000), "100,000"),
        std::pair(int64_t(1234567890), "1,234,567,890")}) {
    cost.cycles = cycles;
    EXPECT_EQ(maxCycleLine({cost}), std::string("max_cycle = ") + text);
  }
}

} // namespace
