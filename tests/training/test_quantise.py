"""Networks in int8."""

from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, save

from sobremesa.training.graph import Graph, floats
from sobremesa.training.quantise import quantise


def _file(folder: Path) -> Path:
    """Two products, of which the first is wide."""
    chance = np.random.default_rng(1)
    add = Graph()
    wide = add("Relu", add.dense("x", floats(chance.normal(size=(64, 128)) / 8)))
    add("MatMul", wide, floats(chance.normal(size=(128, 4)) / 8), name="y")
    add.answer("y", 4)
    path = folder / "whole.onnx"
    save(add.model("test", helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 64])), path)
    return path


def _is_wide(least: int, _: str, shape: list[int]) -> bool:
    return shape[1] >= least


def test_only_the_chosen_products_are_in_int8_and_answers_stay_near(tmp_path: Path) -> None:
    source = _file(tmp_path)
    given = np.random.default_rng(2).normal(size=(256, 64)).astype(np.float32)
    answers = {}
    for name, least in (("one", 128), ("both", 0)):
        target = tmp_path / f"{name}.onnx"
        count = quantise(source, target, [{"x": given}], partial(_is_wide, least))
        assert count == 1 + (name == "both")
        answers[name] = onnxruntime.InferenceSession(target).run(None, {"x": given})[0]
    whole = onnxruntime.InferenceSession(source).run(None, {"x": given})[0]
    off = {name: np.abs(found - whole).mean() / np.abs(whole).mean() for name, found in answers.items()}
    assert 0 < off["one"] < off["both"] < 0.05
