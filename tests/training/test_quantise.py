"""Networks in int8."""

from functools import partial
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper, save

from sobremesa.training.graph import Graph, floats
from sobremesa.training.quantise import quantise

Floats = NDArray[np.float32]


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


def _answers(file: Path, given: Floats) -> Floats:
    answer: Floats = onnxruntime.InferenceSession(file).run(None, {"x": given})[0]
    return answer


def _constants(file: Path) -> list[NDArray[np.generic]]:
    return [numpy_helper.to_array(each) for each in onnx.load(file).graph.initializer]


def test_only_the_chosen_products_are_in_int8_and_answers_stay_near(tmp_path: Path) -> None:
    source = _file(tmp_path)
    given = np.random.default_rng(2).normal(size=(256, 64)).astype(np.float32)
    answers = {}
    for name, least in (("one", 128), ("both", 0)):
        target = tmp_path / f"{name}.onnx"
        count = quantise(source, target, [{"x": given}], partial(_is_wide, least))
        assert count == 1 + (name == "both")
        answers[name] = _answers(target, given)
    whole = _answers(source, given)
    off = {name: np.abs(found - whole).mean() / np.abs(whole).mean() for name, found in answers.items()}
    assert 0 < off["one"] < off["both"] < 0.05


@pytest.mark.parametrize("inputs", [8, 7])
def test_no_two_neighbours_overflow_sixteen_bits(tmp_path: Path, inputs: int) -> None:
    """Where all weights are as large as they can be, and where only one of two is."""
    add = Graph()
    weights = np.array([[1, 1], [1, 0], [-1, -1], [-1, 1]] * 2, np.float32)[:inputs]
    add("MatMul", "x", weights, name="y")
    add.answer("y", 2)
    save(add.model("test", helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", inputs])), tmp_path / "a.onnx")
    given = np.ones((1, inputs), np.float32)
    quantise(tmp_path / "a.onnx", tmp_path / "b.onnx", [{"x": given}])
    (small,) = (each.astype(int) for each in _constants(tmp_path / "b.onnx") if each.dtype == np.int8 and each.any())
    for low in range(0, inputs, 2):
        pair = small[low : low + 2]
        assert (255 * np.maximum(pair, 0).sum(0)).max() < 2**15
        assert (255 * np.maximum(-pair, 0).sum(0)).max() < 2**15
    assert np.abs(small).max(0).tolist() == [64, 127]
    np.testing.assert_allclose(_answers(tmp_path / "b.onnx", given), given @ weights, atol=0.1)


def test_what_nothing_can_lift_above_0_needs_no_range(tmp_path: Path) -> None:
    """A range of 1.5 in bytes, where the examples bring one of 101."""
    add = Graph()
    product = add("Conv", "x", np.diag(np.array([1, -100], np.float32)).reshape(2, 2, 1, 1))
    add("Relu", add("Add", product, add("Mul", "x", np.float32(0.5))), name="y")
    add.answer("y", 2, 1, 1)
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2, 1, 1])
    save(add.model("test", value), tmp_path / "a.onnx")
    given = np.array([[1, 1], [0.2, 0], [0, 0.2]], np.float32).reshape(3, 2, 1, 1)
    quantise(tmp_path / "a.onnx", tmp_path / "b.onnx", [{"x": given}])
    assert any(each.shape == () and each == pytest.approx(1.5 / 255) for each in _constants(tmp_path / "b.onnx"))
    np.testing.assert_allclose(_answers(tmp_path / "b.onnx", given), _answers(tmp_path / "a.onnx", given), atol=0.01)
