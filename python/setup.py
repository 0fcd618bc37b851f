# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Marks the wheel as one for this machine and this version of Python: CMake has
compiled the module already, and pyproject.toml has the rest."""

from setuptools import Distribution, setup


class CompiledDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=CompiledDistribution)
