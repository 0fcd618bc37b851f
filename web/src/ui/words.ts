//===- words.ts - What names in the files mean ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files have fixed names; people read these. The advice is that of
// docs/precision-analysis.md, "Why: diagnoses".
//===----------------------------------------------------------------------===//

const metricNames: Readonly<Record<string, string>> = {
  top1: "top-1",
  top5: "top-5",
  map50_95: "mAP50-95",
  map50: "mAP50",
  miou: "mIoU",
  pixel_accuracy: "pixel accuracy",
  spearman: "Spearman",
  rmse: "RMSE",
  psnr: "PSNR (dB)",
  retrieval1: "retrieval@1",
  retrieval5: "retrieval@5",
  retrieval10: "retrieval@10",
};

export function metricName(id: string): string {
  return metricNames[id] ?? id;
}

interface Cause {
  meaning: string;
  advice: string;
}

const causes: Readonly<Record<string, Cause>> = {
  MachineArithmetic: {
    meaning: "The NPU computes other bits than it should: a fault",
    advice: "Report it, and leave the configuration alone.",
  },
  ReferenceArithmetic: {
    meaning: "The Reference engine overflows",
    advice: "Trust NPUBackend, not Reference, and report it.",
  },
  InputPreparation: {
    meaning: "Calibration samples are prepared unlike the analyzed ones",
    advice:
      "Prepare both with the same mean, standard deviation and color order, and calibrate again.",
  },
  Saturation: {
    meaning: "Values lie outside of the calibrated range",
    advice:
      "Calibrate on samples like these; use MinMax if another method cut the range.",
  },
  WideRange: {
    meaning: "The calibration has seen values far beyond all others",
    advice:
      "Try another calibration_method, and look at the sample that the calibration warns of.",
  },
  DeadChannels: {
    meaning: "Channels vary by less than half a step",
    advice:
      "Use 16 bits, or separate scales: often a Concat of boxes and scores.",
  },
  ActivationOutliers: {
    meaning: "One channel is far larger than the others and sets their step",
    advice: "Use 16 bits for the layers that read it, or enable_smooth_quant.",
  },
  WeightRange: {
    meaning: "A channel of the weights is far larger than the others",
    advice:
      "Use weight_data_type S16, 16 bits for the layers that read it, or enable_equalization.",
  },
  CoarseStep: {
    meaning: "A step of the codes is large compared with the values",
    advice:
      "Use 16 bits. If the range is too wide, look for the tensor that shares the scale.",
  },
  TableInterpolation: {
    meaning: "An interpolated 16-bit table is too coarse for this function",
    advice: "Use a target with a larger table, 8 bits, or FP32 for the layer.",
  },
  Upstream: {
    meaning: "The error comes from the layers before it",
    advice: "Repair those.",
  },
};

export function causeOf(id: string): Cause {
  return causes[id] ?? { meaning: id, advice: "" };
}

/// Where the samples of an analysis come from.
export function originOf(origin: string): string {
  if (origin === "calibrated") return "which have set the ranges as well";
  if (origin === "held_out") return "held out of the calibration";
  return origin.replaceAll("_", " ");
}
