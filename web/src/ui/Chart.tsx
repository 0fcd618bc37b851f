//===- Chart.tsx - A diagram, and its numbers as a table ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Wraps uPlot: follows the width of its place and the theme. Whoever cannot
// see a canvas, or wants the numbers, opens the table below it.
//===----------------------------------------------------------------------===//
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isDark } from "../store";
import { themeColor } from "./colors";
import { numberText } from "./format";

/// The colors of the theme, as canvases need them.
export interface Colors {
  text: string;
  grid: string;
  main: string;
  second: string;
  fill: string;
  warn: string;
}

function colorsOf(): Colors {
  return {
    text: themeColor("soft"),
    grid: themeColor("line"),
    main: themeColor("accent"),
    second: themeColor("second"),
    fill: themeColor("fill"),
    warn: themeColor("bad"),
  };
}

interface Props {
  label: string;
  data: uPlot.AlignedData;
  height?: number;
  options: (colors: Colors) => Omit<uPlot.Options, "width" | "height">;
  /// The same numbers for reading: heads, and rows when they are asked for.
  heads: string[];
  rows: () => (string | number)[][];
}

/// An axis in the colors of the theme.
export function axisOf(colors: Colors, label?: string): uPlot.Axis {
  return {
    label,
    size: 28,
    gap: 2,
    labelGap: 0,
    labelSize: 16,
    labelFont: "12px system-ui",
    font: "11px system-ui",
    stroke: colors.text,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { stroke: colors.grid, width: 1, size: 4 },
    values: (_, values) => values.map((value) => numberText(value)),
  };
}

/// The powers of ten, for an axis with a logarithmic scale.
export function logAxisOf(colors: Colors, label?: string): uPlot.Axis {
  return {
    ...axisOf(colors, label),
    splits: (_, __, low, high) => {
      const splits = [];
      for (let n = Math.ceil(Math.log10(low)); 10 ** n <= high; ++n)
        splits.push(10 ** n);
      return splits;
    },
    filter: (_, splits) => splits,
  };
}

export function Chart(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const height = props.height ?? 200;
  const dark = isDark.value;

  // At once: what is about to be printed has to be light in time.
  useLayoutEffect(() => {
    const element = box.current!;
    const width = () => Math.max(200, element.clientWidth);
    const plot = new uPlot(
      { ...props.options(colorsOf()), width: width(), height },
      props.data,
      element,
    );
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: width(), height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [props.data, props.options, height, dark]);

  return (
    <figure class="chart">
      <figcaption>{props.label}</figcaption>
      <div ref={box} role="img" aria-label={props.label} />
      <Numbers heads={props.heads} rows={props.rows} />
    </figure>
  );
}

const mostRows = 512;

function Numbers(props: Pick<Props, "heads" | "rows">) {
  const [isOpen, setIsOpen] = useState(false);
  const rows = isOpen ? props.rows() : [];
  return (
    <details
      class="numbers"
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Numbers</summary>
      <table>
        <thead>
          <tr>
            {props.heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((row, i) => (
            <tr key={i}>
              {row.map((field, j) => (
                <td key={j} class="number">
                  {typeof field === "number" ? numberText(field) : field}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > mostRows && <p>The first {mostRows} rows.</p>}
    </details>
  );
}
