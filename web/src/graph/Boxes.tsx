//===- Boxes.tsx - What a detector found, on its picture ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Boxes of the label, of float and of the NPU over each other. They differ in
// the pattern of their lines, and have a dark edge to be seen on any picture.
//===----------------------------------------------------------------------===//
import { useState } from "preact/hooks";
import type { Detection, Picture } from "../types";
import { numberText, shortText } from "../ui/format";
import { Name } from "../ui/Value";

export interface BoxSets {
  expected: Detection[];
  before: Detection[];
  after: Detection[];
}

interface Kind {
  id: keyof BoxSets;
  label: string;
  dash: string;
  color: string;
}

/// Colors that are told apart without color vision; dashes say the same.
const kinds: readonly Kind[] = [
  { id: "expected", label: "expected", dash: "2 3", color: "#ffffff" },
  { id: "before", label: "float", dash: "9 4", color: "#56c8ff" },
  { id: "after", label: "NPU", dash: "", color: "#ffb000" },
];

const scores = [0, 0.1, 0.25, 0.5];

interface Props {
  sets: BoxSets;
  picture?: Picture;
  sample: string;
}

/// The size of the picture, or what is needed for all boxes.
function sizeOf({ sets, picture }: Props) {
  if (picture) return { width: picture.full_width, height: picture.full_height };
  const boxes = kinds.flatMap(({ id }) => sets[id].map(({ box }) => box));
  return {
    width: Math.max(1, ...boxes.map(([x, , width]) => x + width)),
    height: Math.max(1, ...boxes.map(([, y, , height]) => y + height)),
  };
}

export function Boxes(props: Props) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [least, setLeast] = useState(0.25);
  const { width, height } = sizeOf(props);
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  const shown = kinds.filter(({ id }) => !hidden.has(id));
  const boxesOf = (id: keyof BoxSets) =>
    props.sets[id].filter(({ score }) => score >= least);
  // Lines and texts keep their size on the page, whatever the picture's is.
  const unit = Math.max(width, height) / 560;
  return (
    <div class="boxes">
      <div class="tools">
        {kinds.map(({ id, label, dash, color }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={!hidden.has(id)}
              onChange={() => toggle(id)}
            />
            <svg class="swatch" width="36" height="14" aria-hidden="true">
              <path d="M2,7h32" stroke={color} stroke-width="3" stroke-dasharray={dash} />
            </svg>
            {label} ({boxesOf(id).length})
          </label>
        ))}
        <label>
          Least score{" "}
          <select
            value={least}
            onChange={(event) => setLeast(Number(event.currentTarget.value))}
          >
            {scores.map((score) => (
              <option key={score}>{score}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="photo" style={{ aspectRatio: `${width} / ${height}` }}>
        {props.picture && (
          <img src={props.picture.data} alt={`Sample ${props.sample}`} />
        )}
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {shown.map((kind) =>
            boxesOf(kind.id).map((found, i) => (
              <Box
                key={`${kind.id} ${i}`}
                kind={kind}
                found={found}
                unit={unit}
                text={shortText(found.class, 16)}
              />
            )),
          )}
        </svg>
      </div>
      <table class="plain">
        <caption>The same boxes as text</caption>
        <thead>
          <tr>
            <th scope="col">By</th>
            <th scope="col">Class</th>
            <th scope="col" class="number">
              Score
            </th>
            <th scope="col" class="number">
              Left, top, width, height
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.flatMap(({ id, label }) =>
            boxesOf(id).map((found, i) => (
              <tr key={`${id} ${i}`}>
                <td>{label}</td>
                <td>
                  <Name of={found.class} most={32} />
                </td>
                <td class="number">
                  {id === "expected" ? "" : numberText(found.score)}
                </td>
                <td class="number">
                  {found.box.map((v) => numberText(v, "integer")).join(", ")}
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Box(props: {
  kind: Kind;
  found: Detection;
  unit: number;
  text: string;
}) {
  const { kind, found, unit } = props;
  const [x, y, width, height] = found.box;
  const rect = { x, y, width, height, fill: "none" };
  const dash = kind.dash
    .split(" ")
    .map((part) => Number(part) * unit)
    .join(" ");
  const score = kind.id === "expected" ? "" : ` ${numberText(found.score)}`;
  // Labels of the three kinds are at different places, so that they do not
  // cover each other where the boxes agree.
  const isRight = kind.id === "expected";
  const textY = {
    expected: y + 12 * unit,
    before: y + height + 13 * unit,
    after: y - 4 * unit,
  }[kind.id];
  return (
    <g>
      <rect {...rect} stroke="#000" stroke-opacity="0.65" stroke-width={4 * unit} />
      <rect
        {...rect}
        stroke={kind.color}
        stroke-width={2 * unit}
        stroke-dasharray={kind.dash === "" ? undefined : dash}
      />
      <text
        x={isRight ? x + width - 3 * unit : x}
        y={textY}
        text-anchor={isRight ? "end" : "start"}
        font-size={12 * unit}
        fill={kind.color}
        stroke="#000"
        stroke-width={3 * unit}
        paint-order="stroke"
      >
        {props.text}
        {score}
      </text>
    </g>
  );
}
