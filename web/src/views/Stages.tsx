//===- Stages.tsx - The loss of outputs, stage by stage ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Float optimization, weights, activations, NPU: which of them loses most.
//===----------------------------------------------------------------------===//
import type { Waterfall } from "../types";
import { Bars } from "../ui/Bars";
import { inlineName } from "../ui/format";
import { Change, Value } from "../ui/Value";

const stageNames = {
  optimization: "Float optimization",
  weights: "Weights",
  activations: "Activations",
  machine: "NPU",
} as const;

export function Stages(props: { stages: readonly Waterfall[] }) {
  if (props.stages.length === 0) return null;
  return (
    <section>
      <h2>Stage by stage</h2>
      {props.stages.map((stage) => (
        <StageBars key={stage.output} stage={stage} />
      ))}
    </section>
  );
}

function StageBars(props: { stage: Waterfall }) {
  const { stage } = props;
  const ids = (Object.keys(stageNames) as (keyof typeof stageNames)[]).filter(
    (id) => id !== "machine" || stage.has_machine,
  );
  const bars = ids.map((id, i) => {
    const previous = ids[i - 1];
    const before = previous ? stage[previous] : 0;
    return {
      key: id,
      label: stageNames[id],
      segments: [
        {
          from: 0,
          to: Math.min(before, stage[id]),
          tone: "before",
          title: "lost before",
        },
        { from: before, to: stage[id], tone: "first", title: "added" },
      ] as const,
      value: (
        <>
          <Value of={stage[id]} /> <Change of={stage[id] - before} />
        </>
      ),
    };
  });
  return (
    <Bars
      label={`Loss of ${inlineName(stage.output)}, 1 − cosine, after each stage`}
      heads={["Stage", "Loss, and change"]}
      bars={bars.map((bar) => ({ ...bar, segments: [...bar.segments] }))}
    />
  );
}
