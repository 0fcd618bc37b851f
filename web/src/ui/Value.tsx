//===- Value.tsx - Numbers, names and verdicts in text --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names come from models and may be anything: they are text nodes, isolated
// from the direction of the text around them, and shortened.
//===----------------------------------------------------------------------===//
import { hrefOf } from "../store";
import type { Verdict } from "../types";
import { changeText, fullText, numberText, shortText } from "./format";
import type { Kind, Maybe } from "./format";

export function Value(props: { of: Maybe<number>; kind?: Kind }) {
  return (
    <span class="value" title={fullText(props.of)}>
      {numberText(props.of, props.kind)}
    </span>
  );
}

/// A difference. `better` says which direction is good; sign and symbol say
/// the same as the color.
export function Change(props: {
  of: Maybe<number>;
  kind?: Kind;
  better?: "more" | "less";
}) {
  const { of: value, better } = props;
  let tone = "";
  if (value && better)
    tone = value > 0 === (better === "more") ? " better" : " worse";
  return (
    <span class={`value${tone}`} title={fullText(value)}>
      {changeText(value, props.kind)}
    </span>
  );
}

export function Name(props: { of: string; most?: number }) {
  return (
    <bdi class="name" title={props.of}>
      {shortText(props.of, props.most ?? 64)}
    </bdi>
  );
}

/// A link to a layer; by its tensor, or another text such as its operator.
export function LayerLink(props: {
  tensor: string;
  text?: string;
  most?: number;
  view?: string;
}) {
  return (
    <a href={hrefOf(props.view ?? "layer", props.tensor)}>
      <Name of={props.text ?? props.tensor} most={props.most} />
    </a>
  );
}

const verdictSymbols: Record<Verdict, string> = {
  good: "✓",
  undecided: "?",
  bad: "✗",
};

export function VerdictMark(props: { of: Verdict }) {
  return (
    <span class={`verdict ${props.of}`}>
      <span aria-hidden="true">{verdictSymbols[props.of]} </span>
      {props.of}
    </span>
  );
}
