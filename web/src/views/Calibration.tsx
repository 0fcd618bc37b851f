//===- Calibration.tsx - Which values were seen and what was kept ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The range of every tensor, what of it the 8-bit codes cover, and which sample
// made it that wide: one odd picture can cost all others their precision.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import type { Build, Data } from "../data";
import "../graph/plots.css";
import { open, select, selectedTensor } from "../store";
import type {
  Calibration,
  CalibrationTensor,
  OddSample,
  Picture,
  Range,
} from "../types";
import { Bars } from "../ui/Bars";
import { plural, rangeText } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { Name } from "../ui/Value";

const shownSamples = 12;

const widthOf = (range: Range) => range[1] - range[0];

/// The part of the float range that codes of 8 bits cover. They always cover 0,
/// which may lie outside of it.
function keptPart({ values, u8 }: CalibrationTensor): number | undefined {
  const width = widthOf(values);
  const kept = Math.min(values[1], u8[1]) - Math.max(values[0], u8[0]);
  return width > 0 ? Math.max(0, kept) / width : undefined;
}

/// Both ranges to the same scale; the float one is the track.
function RangeBar(props: { tensor: CalibrationTensor }) {
  const { values, u8 } = props.tensor;
  const low = Math.min(values[0], u8[0], 0);
  const high = Math.max(values[1], u8[1], 0);
  const span = high - low || 1;
  const style = (range: Range) => ({
    left: `${((range[0] - low) / span) * 100}%`,
    width: `${(widthOf(range) / span) * 100}%`,
  });
  const label = `float ${rangeText(values)}, U8 ${rangeText(u8)}`;
  return (
    <div class="ranges" role="img" aria-label={label} title={label}>
      <span class="float-range" style={style(values)} />
      <span class="code-range" style={style(u8)} />
      <i style={{ left: `${(-low / span) * 100}%` }} />
    </div>
  );
}

function columnsOf(tensors: readonly CalibrationTensor[]) {
  const hasSamples = tensors.some((t) => t.min_sample ?? t.max_sample);
  const columns: Column<CalibrationTensor>[] = [
    { id: "tensor", title: "Tensor", value: (t) => t.tensor, width: 300 },
    {
      id: "ranges",
      title: "Float and U8 range",
      help: "Line: what floats reach. Box: what U8 covers. The tick is at zero.",
      kind: "general",
      value: (t) => widthOf(t.values),
      cell: (t) => <RangeBar tensor={t} />,
      width: 200,
    },
    {
      id: "low",
      title: "Float min",
      kind: "general",
      value: (t) => t.values[0],
    },
    { id: "high", title: "Float max", kind: "general", value: (t) => t.values[1] },
    { id: "u8low", title: "U8 min", kind: "general", value: (t) => t.u8[0] },
    { id: "u8high", title: "U8 max", kind: "general", value: (t) => t.u8[1] },
    { id: "kept", title: "Covered", kind: "percent", value: keptPart },
    {
      id: "channels",
      title: "Channels",
      kind: "integer",
      value: (t) => t.channels,
      isHidden: true,
    },
  ];
  if (hasSamples)
    columns.push(
      {
        id: "minSample",
        title: "Min is of",
        value: (t) => t.min_sample,
        width: 180,
      },
      {
        id: "maxSample",
        title: "Max is of",
        value: (t) => t.max_sample,
        width: 180,
      },
    );
  columns.push({ id: "node", title: "Layer", value: (t) => t.node, width: 240 });
  return columns;
}

/// What the other build of a comparison covers of the same tensor.
function otherColumn(other: Calibration): Column<CalibrationTensor> {
  const tensors = new Map(other.tensors.map((own) => [own.tensor, own]));
  const width = (tensor?: CalibrationTensor) => tensor && widthOf(tensor.u8);
  return {
    id: "other",
    title: "U8 range",
    source: "other build",
    kind: "general",
    value: (t) => width(tensors.get(t.tensor)),
    cell: (t) => {
      const range = tensors.get(t.tensor)?.u8;
      return range ? rangeText(range) : "–";
    },
    width: 160,
  };
}

/// How many ends of ranges each sample has set.
function endsBySample(calibration: Calibration): [string, number][] {
  const ends = new Map<string, number>();
  for (const { min_sample, max_sample } of calibration.tensors)
    for (const sample of [min_sample, max_sample])
      if (sample !== undefined) ends.set(sample, (ends.get(sample) ?? 0) + 1);
  return [...ends].sort((a, b) => b[1] - a[1]);
}

export function CalibrationView({ data }: { data: Data }) {
  const { calibration } = data.main;
  if (!calibration)
    return (
      <p class="notice">
        This report has no calibration: quant/calibration.json of the build is
        missing. Build again, from calibration on.
      </p>
    );
  const cut = calibration.tensors.filter((t) => (keptPart(t) ?? 1) < 0.999);
  return (
    <>
      <p>
        {calibration.method} on {plural(calibration.samples, "sample")},{" "}
        {plural(calibration.tensors.length, "tensor")}.{" "}
        {cut.length === 0
          ? "U8 covers the whole range of every tensor."
          : `U8 covers less than the whole range of ${plural(cut.length, "tensor")}.`}
      </p>
      <Ranges calibration={calibration} other={data.other?.calibration} />
      <OddSamples build={data.main} odd={calibration.odd_samples ?? []} />
      <Samples build={data.main} calibration={calibration} />
    </>
  );
}

function Ranges(props: { calibration: Calibration; other?: Calibration }) {
  const { tensors } = props.calibration;
  const { other } = props;
  const columns = useMemo(
    () => [...columnsOf(tensors), ...(other ? [otherColumn(other)] : [])],
    [tensors, other],
  );
  return (
    <Table
      label="Calibrated ranges"
      rows={tensors}
      columns={columns}
      rowKey={(t) => t.tensor}
      selected={selectedTensor.value}
      onSelect={(t) => select(t.tensor)}
      onOpen={(t) => open("layer", t.tensor)}
      fileName="calibration.csv"
      visibleRows={18}
    />
  );
}

/// Small pictures of calibration samples, where these are pictures.
function picturesOf(build: Build): Map<string, Picture> {
  return new Map(
    (build.report.pictures ?? [])
      .filter((picture) => picture.kind === "calibration")
      .map((picture) => [picture.sample, picture]),
  );
}

const mostOdd = 40;

/// What is odd about a sample, before the name of what it repeats.
function reasonOf(odd: OddSample): string {
  switch (odd.kind) {
    case "repeats":
      return "is the same as";
    case "constant":
      return "has one and the same value in";
    case "not_finite":
      return "has NaN or infinity in";
    case "widens":
      return `alone makes ${plural(odd.tensors, "range")} more than twice as wide`;
  }
}

function OddSamples(props: { build: Build; odd: readonly OddSample[] }) {
  const { odd } = props;
  const pictures = useMemo(() => picturesOf(props.build), [props.build]);
  if (odd.length === 0) return null;
  return (
    <section>
      <h2>Samples to look at</h2>
      <ul class="thumbnails odd">
        {odd.slice(0, mostOdd).map((each, i) => (
          <li key={i}>
            {[each.sample, ...(each.kind === "repeats" ? [each.of] : [])].map(
              (name) => (
                <SmallPicture key={name} picture={pictures.get(name)} />
              ),
            )}
            <p>
              <Name of={each.sample} most={40} /> {reasonOf(each)}
              {each.of !== "" && (
                <>
                  {" "}
                  <Name of={each.of} most={40} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
      {odd.length > mostOdd && (
        <p class="soft">{odd.length - mostOdd} more are not shown.</p>
      )}
    </section>
  );
}

/// Whether samples are pictures, so that somebody expects to see them.
function arePictures(build: Build): boolean {
  const quant = build.context?.["quant"] as
    | { input_configs?: { calibration_format?: string }[] }
    | undefined;
  return quant?.input_configs?.[0]?.calibration_format === "Image";
}

function SmallPicture(props: { picture: Picture | undefined }) {
  const { picture } = props;
  return picture ? (
    <img
      src={picture.data}
      width={picture.width}
      height={picture.height}
      alt={`Calibration sample ${picture.sample}`}
    />
  ) : null;
}

function Samples(props: { build: Build; calibration: Calibration }) {
  const ends = useMemo(
    () => endsBySample(props.calibration),
    [props.calibration],
  );
  const pictures = useMemo(() => picturesOf(props.build), [props.build]);
  const shown = ends
    .slice(0, shownSamples)
    .flatMap(([sample]) => pictures.get(sample) ?? []);
  if (ends.length === 0)
    return (
      <p class="soft">Which sample has set a range is not known of this build.</p>
    );
  const all = 2 * props.calibration.tensors.length;
  return (
    <section>
      <h2>Samples that set the ranges</h2>
      <p class="soft">
        A sample that sets far more ends of ranges than the others is odd: look
        whether it belongs to what the network will see.
      </p>
      <Bars
        label={`Ends of ranges, of ${all}`}
        heads={["Sample", "Ends"]}
        bars={ends.slice(0, shownSamples).map(([sample, count]) => ({
          key: sample,
          label: <Name of={sample} most={40} />,
          segments: [{ from: 0, to: count, tone: "first", title: "ends" }],
          value: count,
        }))}
      />
      {shown.length === 0 && arePictures(props.build) && (
        <p class="soft">
          No pictures of these samples could be read from where the build found
          them.
        </p>
      )}
      <div class="thumbnails">
        {shown.map((picture) => (
          <Thumbnail
            key={picture.sample}
            picture={picture}
            ends={ends.find(([sample]) => sample === picture.sample)?.[1] ?? 0}
          />
        ))}
      </div>
    </section>
  );
}

function Thumbnail(props: { picture: Picture; ends: number }) {
  const { picture } = props;
  return (
    <figure>
      <SmallPicture picture={picture} />
      <figcaption>
        <Name of={picture.sample} most={24} />
        <br />
        sets {plural(props.ends, "end")}
      </figcaption>
    </figure>
  );
}
