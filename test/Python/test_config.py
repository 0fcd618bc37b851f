# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Configurations from dictionaries and keyword arguments."""

import json

import pytest

from parallax._config import Configuration


def test_names_of_layers_keep_their_dots():
    """Only names of fields are paths; dictionaries below have names of users."""
    rules = {r"/encoder/layer.\d+/Add": ["FP32"], "head.0": ["U16"]}
    for config, overrides in (({"tuning": {"op_name_dict": rules}}, {}),
                              ({"tuning.op_name_dict": rules}, {}),
                              ({}, {"tuning": {"op_name_dict": rules}}),
                              ({}, {"tuning.op_name_dict": rules})):
        found = json.loads(Configuration(config, overrides).text)
        assert found == {"tuning": {"op_name_dict": rules}}


@pytest.mark.parametrize("overrides", [
    {"quant.precision_analysis": False}, {"quant": {"precision_analysis": False}}])
def test_a_field_in_a_section_leaves_the_others(overrides):
    before = Configuration("configs/quickstart.json", {}).fields
    after = json.loads(Configuration("configs/quickstart.json", overrides).text)
    assert before["quant"].pop("precision_analysis") is True
    assert after["quant"].pop("precision_analysis") is False
    assert after == before
