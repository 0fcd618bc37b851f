# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""A table of the layers that lose most, by themselves and with all errors in
front of them. Run it from the root of Parallax.
"""

import pandas as pd

import parallax

result = parallax.analyze("configs/quickstart.json", output_dir="output/worst_layers",
                          quant={"precision_analysis_method": "EndToEnd"})
table = pd.DataFrame(result.layers)
wide = table.pivot_table(index=["layer", "op", "type", "cycles"],
                         columns=["method", "mode"], values="cosine", sort=False)
print(wide.sort_values(wide.columns[-1]).head(10).to_string())
print(pd.DataFrame(result.suggestions, columns=["title", "predicted_gain"]))
