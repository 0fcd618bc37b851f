# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Neural Compressor's tuning with a criterion, with changed imports: layers fall
back until the accuracy is good enough. Run it from the root of Parallax.
"""

import numpy as np

from parallax import InferenceSession
from parallax.inc import (AccuracyCriterion, DataLoader, PostTrainingQuantConfig,
                          TuningCriterion, quantization)

images = np.load("configs/quickstart/evaluation_images.npy").astype(np.float32)
labels = np.load("configs/quickstart/evaluation_labels.npy")
dataloader = DataLoader(dataset=list(zip(images, labels)), batch_size=16)


def eval_func(model: InferenceSession) -> float:
    """Top-1 on all images."""
    right = total = 0
    for batch, expected in dataloader:
        for x, label in zip(batch, expected):
            right += int(model.run(None, {"image": x[np.newaxis]})[0].argmax() == label)
            total += 1
    return right / total


# The layer that a diagnosis has found.
op_name_dict = {"/branches/wide/conv/Conv": {"activation": {"dtype": ["fp32"]}}}
config = PostTrainingQuantConfig(
    calibration_sampling_size=[50, 100],
    op_name_dict=op_name_dict,
    accuracy_criterion=AccuracyCriterion(tolerable_loss=0.01),
    tuning_criterion=TuningCriterion(strategy="mse", timeout=0, max_trials=20),
)
q_model = quantization.fit("configs/quickstart/digits.onnx", config,
                           calib_dataloader=dataloader, eval_func=eval_func)
q_model.save("tuned.axmodel")
print(q_model.result)
