# SPDX-License-Identifier: Apache-2.0
# How lit runs the tests of this folder: see README.md. CMakeLists.txt says where programs are.
import os

import lit.formats

config.name = "conclave"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec_root"]
config.substitutions.append(("%opt", lit_config.params["clocl_opt"]))
config.substitutions.append(("FileCheck", lit_config.params["filecheck"]))
config.substitutions.append((r"\bnot\b", lit_config.params["not"]))
