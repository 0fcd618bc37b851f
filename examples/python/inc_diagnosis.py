# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Neural Compressor's diagnosis, step by step, with changed imports.

Quantize, look at the tables of activations, leave the layers with the widest
range in float, and quantize again. Run it from the root of Parallax.
"""

import glob
import os
import re

import numpy as np
import pandas as pd

from parallax import InferenceSession
from parallax.inc import FP32, DataLoader, PostTrainingQuantConfig, quantization

input_model = "configs/quickstart/digits.onnx"
images = np.load("configs/quickstart/evaluation_images.npy").astype(np.float32)
labels = np.load("configs/quickstart/evaluation_labels.npy")
calib_dataset = list(zip(images[:64], labels[:64]))


def eval_func(model: InferenceSession) -> float:
    """Top-1 on the images that were not calibrated on."""
    right = [model.run(None, {"image": images[i:i + 1]})[0].argmax() == labels[i]
             for i in range(64, len(images))]
    return float(np.mean(right))


def quantize(config: PostTrainingQuantConfig, **more: object) -> float:
    """The accuracy of a quantized model, which is saved as well."""
    q_model = quantization.fit(
        input_model, config,
        calib_dataloader=DataLoader(framework="onnxruntime", dataset=calib_dataset),
        **more)
    q_model.save("quantized.onnx")
    return eval_func(q_model.session())


fp32 = eval_func(InferenceSession(input_model))
config = PostTrainingQuantConfig(approach="static", quant_format="QOperator",
                                 quant_level=1, diagnosis=True)
int8 = quantize(config, eval_func=eval_func)
print(f"fp32 top-1 = {fp32:.4f}, int8 top-1 = {int8:.4f}, "
      f"accuracy ratio = {(int8 - fp32) / fp32:.4%}")

subfolders = glob.glob("./nc_workspace" + "/*/")
subfolders.sort(key=os.path.getmtime, reverse=True)
activations_table = pd.read_csv(os.path.join(subfolders[0], "activations_table.csv"))
activations_table["Min-Max data range"] = (activations_table["Activation max"]
                                           - activations_table["Activation min"])
sorted_data = activations_table.sort_values(by="Min-Max data range", ascending=False)
print(sorted_data.head())

config = PostTrainingQuantConfig(
    approach="static", quant_format="QOperator",
    op_name_dict={re.escape(name): FP32 for name in sorted_data["OP name"][:2]})
mixed = quantize(config)
print(f"with two layers in float: {mixed:.4f}")
