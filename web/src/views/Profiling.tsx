//===- Profiling.tsx - The longest kernels on this machine ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Times of the float network on the machine of the build: they say what the
// analysis spends its time on, not what the NPU does.
//===----------------------------------------------------------------------===//
import type { Build, Data } from "../data";
import type { TimeRow } from "../types";
import { Bars } from "../ui/Bars";
import { numberText, plural, timeText } from "../ui/format";
import { LayerLink, Name } from "../ui/Value";

const shownKernels = 40;

/// "nn.conv 'stem'" names an operator and its layer.
function Kernel(props: { build: Build; name: string }) {
  const [, kernel = "", operator = ""] =
    /^(\S+) '(.*)'$/s.exec(props.name) ?? [];
  const tensor = props.build.byOperator.get(operator)?.[0]?.tensor;
  if (tensor === undefined) return <Name of={props.name} most={56} />;
  return (
    <>
      <LayerLink tensor={tensor} text={operator} most={44} />{" "}
      <span class="soft">{kernel}</span>
    </>
  );
}

export function ProfilingView({ data }: { data: Data }) {
  const times = (data.main.times ?? []).map((row: TimeRow) => ({
    name: row.Operator,
    seconds: row["Total execution time [us]"] / 1e6,
    share: row.Share,
    calls: row.Calls,
  }));
  if (times.length === 0)
    return (
      <p class="notice">
        This build has no times of kernels. Set quant.precision_analysis and
        build again with this version of the tool.
      </p>
    );
  const sorted = [...times].sort((a, b) => b.seconds - a.seconds);
  const total = times.reduce((sum, row) => sum + row.seconds, 0);
  const rest = sorted.slice(shownKernels);
  const restSeconds = rest.reduce((sum, row) => sum + row.seconds, 0);
  return (
    <>
      <p>
        {plural(times.length, "kernel")} of the float network took{" "}
        {timeText(total)} on the machine of this build.
      </p>
      <Bars
        label="The longest kernels"
        heads={["Layer", "Time, share, calls"]}
        bars={sorted.slice(0, shownKernels).map((row) => ({
          key: row.name,
          label: <Kernel build={data.main} name={row.name} />,
          segments: [
            { from: 0, to: row.seconds, tone: "first", title: "seconds" },
          ],
          value: (
            <>
              {timeText(row.seconds)}{" "}
              <span class="soft">
                {numberText(row.share, "percent")}, {plural(row.calls, "call")}
              </span>
            </>
          ),
        }))}
      />
      {rest.length > 0 && (
        <p class="soft">
          {plural(rest.length, "more kernel")} took {timeText(restSeconds)}.
        </p>
      )}
    </>
  );
}
