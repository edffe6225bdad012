"""A model as an ONNX graph, for onnxruntime and other programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from linsep.export.formula import Category, Formula, Number, formula_of
from linsep.types import Array

# Old enough for runtimes of 2022, new enough for comparisons and text of every kind used here.
_OPSET, _ML_OPSET, _IR = 17, 3, 8


def to_onnx(model: Any) -> bytes:
    """Return a fitted model as the bytes of an ONNX file.

    z = ((x - mean) / scale) W + b, in the precision of the model, and the class of each row.

    A model of a matrix has one input X of shape (n, n_features). A model of a table has one input of shape (n, 1) for
    each column, under the column's name: numbers as doubles, categories as strings; a level that did not occur in
    training adds nothing. A missing number is NaN and a missing category "": if the model was trained on complete rows
    alone, the decision value of such a row is NaN, and its label means nothing. The outputs are `label`, of shape (n,),
    and `decision_value`, of shape (n,) for two classes and (n, n_classes) for more (followed by "_" if a column has
    that name). Decision values agree with `decision_function` to rounding.

    Parameters
    ----------
    model : fitted TableModel or learner
        One that predicts with `coef_` and `intercept_`.

    Returns
    -------
    bytes
        The content of an .onnx file.

    Raises
    ------
    ImportError
        The package onnx is not there.
    DataError
        The model is not a linear formula of its inputs.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep.learners import Perceptron
    >>> graph = to_onnx(Perceptron().fit(np.array([[-1.0], [2.0]]), ["no", "yes"]))  # doctest: +SKIP
    >>> import onnxruntime  # doctest: +SKIP
    >>> onnxruntime.InferenceSession(graph).run(None, {"X": np.array([[3.0]])})  # doctest: +SKIP
    [array(['yes'], dtype=object), array([3.])]
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError("export to ONNX needs onnx, which is not installed: pip install '.[onnx]'") from error
    formula = formula_of(model)
    graph = _Graph(onnx, formula.dtype)
    z = _sum_of_inputs(graph, formula)
    z = graph.node("Add", [z, graph.constant(formula.intercept.astype(formula.dtype))])
    outputs = _decide(graph, z, formula)
    made = onnx.helper.make_graph(
        graph.nodes, "linsep", graph.inputs, outputs, graph.constants, doc_string=f"{formula.learner} of linsep"
    )
    proto = onnx.helper.make_model(
        made,
        ir_version=_IR,
        opset_imports=[onnx.helper.make_opsetid("", _OPSET), onnx.helper.make_opsetid("ai.onnx.ml", _ML_OPSET)],
        producer_name="linsep",
        producer_version=version("linsep"),
    )
    onnx.checker.check_model(proto, full_check=True)
    return bytes(proto.SerializeToString())


@dataclass
class _Graph:
    """Nodes as they are added; names are numbered, so they meet no name of a column."""

    onnx: Any
    dtype: np.dtype[Any]
    nodes: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def type_of(self, dtype: np.dtype[Any]) -> int:
        if dtype.kind in "UO":
            return int(self.onnx.TensorProto.STRING)
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(dtype))

    def input(self, name: str, dtype: np.dtype[Any], width: int) -> str:
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, self.type_of(dtype), ["n", width]))
        return name

    def constant(self, values: Array) -> str:
        name = f"linsep/constant {len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def free(self, name: str) -> str:
        """The name, with as many "_" behind it as it takes to differ from every input's."""
        while any(name == taken.name for taken in self.inputs):
            name += "_"
        return name

    def node(self, kind: str, inputs: list[str], output: str = "", **attributes: Any) -> str:
        output = output or f"linsep/{kind} {len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output


def _sum_of_inputs(graph: _Graph, formula: Formula) -> str:
    """The numbers side by side through one product; each category through the place of its level in a table."""
    numbers = [x for x in formula.inputs if isinstance(x, Number)]
    if formula.from_table:
        for x in formula.inputs:
            graph.input(x.name, np.dtype(object) if isinstance(x, Category) else formula.dtype, 1)
    terms = [_category(graph, x) for x in formula.inputs if isinstance(x, Category)]
    if numbers:
        names = [x.name for x in numbers]
        X = graph.node("Concat", names, axis=1) if formula.from_table else graph.input("X", formula.dtype, len(names))
        if formula.from_table or not all(x.is_plain for x in numbers):
            X = graph.node("Sub", [X, graph.constant(np.array([x.mean for x in numbers], dtype=formula.dtype))])
            X = graph.node("Div", [X, graph.constant(np.array([x.scale for x in numbers], dtype=formula.dtype))])
        if any(x.missing is not None for x in numbers):
            stands_in = np.array([np.nan if x.missing is None else x.missing for x in numbers], dtype=formula.dtype)
            X = graph.node("Where", [graph.node("IsNaN", [X]), graph.constant(stands_in), X])
        W = np.array([x.weights for x in numbers], dtype=formula.dtype)
        terms.append(graph.node("MatMul", [X, graph.constant(W)]))
    z = terms[0]
    for term in terms[1:]:
        z = graph.node("Add", [z, term])
    return z


def _category(graph: _Graph, x: Category) -> str:
    flat = graph.node("Reshape", [x.name, graph.constant(np.array([-1], dtype=np.int64))])
    # Behind the known levels: one that did not occur, and a missing value without a decision value.
    levels = [*x.levels, *([] if x.missing else [""])]
    others = np.array([[0.0], [np.nan]]).repeat(x.weights.shape[1], axis=1)
    places = [*range(len(x.levels)), len(x.levels) + 1][: len(levels)]
    known: dict[str, Any] = {"keys_strings": levels, "values_int64s": places, "default_int64": len(x.levels)}
    place = graph.node("LabelEncoder", [flat], domain="ai.onnx.ml", **known)
    return graph.node("Gather", [graph.constant(np.concatenate([x.weights, others])), place], axis=0)


def _decide(graph: _Graph, z: str, formula: Formula) -> list[Any]:
    info = graph.onnx.helper.make_tensor_value_info
    value, label = graph.free("decision_value"), graph.free("label")
    if len(formula.intercept) == 1:
        z = graph.node("Reshape", [z, graph.constant(np.array([-1], dtype=np.int64))], value)
        above = graph.node("GreaterOrEqual", [z, graph.constant(np.zeros((), dtype=formula.dtype))])
        place = graph.node("Cast", [above], to=graph.onnx.TensorProto.INT64)
    else:
        z = graph.node("Identity", [z], value)
        place = graph.node("ArgMax", [z], axis=1, keepdims=0)
    classes = np.array(formula.classes)
    classes = classes.astype(object) if classes.dtype.kind == "U" else classes
    graph.node("Gather", [graph.constant(classes), place], label, axis=0)
    shape = ["n"] if len(formula.intercept) == 1 else ["n", len(formula.classes)]
    return [
        info(label, graph.type_of(classes.dtype), ["n"]),
        info(value, graph.type_of(formula.dtype), shape),
    ]
