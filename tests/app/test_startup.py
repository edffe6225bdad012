"""What starting loads: nothing that is not used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What `linsep --help` may load besides the standard library.
LIGHT = {"lazy_loader", "linsep", "sitecustomize"}
COMMANDS = """
import sys
sys.stdout, out = open({null!r}, "w"), sys.stdout
from linsep.app.cli import main
for words in {commands!r}:
    sys.argv = ["linsep", *words]
    try:
        main()
    except SystemExit as ended:
        print(words, ended.code)
sys.stdout = out
"""


def loaded_by(*commands: list[str]) -> set[str]:
    """The packages that are loaded after commands, one after the other."""
    return loaded(COMMANDS.format(null=os.devnull, commands=commands))


def loaded(statement: str) -> set[str]:
    """The packages beyond the standard library that are loaded after a statement in a fresh interpreter."""
    program = f"import json, sys\n{statement}\nprint(json.dumps([name.split('.')[0] for name in sys.modules]))"
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    found = set(json.loads(ran.stdout)) - sys.stdlib_module_names
    return {name for name in found if not name.startswith("_")}


def test_import_linsep_loads_neither_numpy_nor_numba() -> None:
    assert loaded("import linsep") <= LIGHT


def test_help_and_usage_errors_load_nothing_slow() -> None:
    asked = [
        "--help", "fit --help", "predict --help", "score --help", "check --help", "separation --help", "show --help",
        "export --help", "synth --help", "demo --help", "tag --help", "tag fit --help",
        "tag predict --help", "tag score --help", "--version", "fit --no-such",
    ]  # fmt: skip
    assert loaded_by(*(words.split() for words in asked)) <= LIGHT


def test_a_learner_loads_no_readers_reports_or_proofs() -> None:
    assert loaded("from linsep import Perceptron").isdisjoint({"matplotlib", "flint", "highspy", "jinja2"})


def test_a_certificate_loads_no_solver_that_it_does_not_need() -> None:
    statement = "import numpy as np, linsep; linsep.separability(np.eye(2), [0, 1])"
    assert loaded(statement).isdisjoint({"highspy", "matplotlib"})


def test_a_proof_loads_neither_learners_nor_dataframes_nor_a_compiler(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("x,kind\n1,a\n2,a\n3,b\n2.5,b\n")
    asked = [[command, str(table), "--target", "kind", "--json"] for command in ("check", "separation")]
    # Of SciPy only what finds its parts: sparse tables and linear algebra take as long to load as all the rest.
    no_parts = 'assert not {"scipy.linalg", "scipy.sparse"} & {*sys.modules}'
    found = loaded(COMMANDS.format(null=os.devnull, commands=asked) + no_parts)
    assert found.isdisjoint({"sklearn", "pandas", "matplotlib", "numba", "narwhals", "rich"})
    assert {"pyarrow", "flint"} <= found


TABLE = "x,kind,of\n1,a,u\n2,a,v\n3,b,u\n2.5,b,v\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    (folder / "rows.csv").write_text(TABLE)
    fit = [str(folder / "rows.csv"), "--target", "kind", "--model", str(folder / "m")]
    subprocess.run([sys.executable, "-m", "linsep", "fit", *fit], check=True, capture_output=True)
    return folder / "m"


@pytest.mark.parametrize("labels", ["aaaaabbbbb", "aaaabbbccc"])
def test_few_rows_are_learnt_without_scikit_learn_dataframes_or_a_compiler(labels: str, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("x,of,kind\n" + "".join(f"{i},{'uv'[i % 2]},{label}\n" for i, label in enumerate(labels)))
    found = loaded_by(["fit", str(table), "--target", "kind", "--model", str(tmp_path / "m")])
    assert (tmp_path / "m").exists() and "numpy" in found
    assert found.isdisjoint({"sklearn", "pandas", "matplotlib", "numba", "rich"})


def test_a_model_is_used_without_scikit_learn_dataframes_or_a_compiler(model: Path) -> None:
    rows, out = str(model.with_name("rows.csv")), ["--output", str(model.with_name("out"))]
    given = {"predict": [rows, *out], "score": [rows], "show": [], "export": ["--to", "sql", *out]}
    found = loaded_by(*([command, str(model), *words] for command, words in given.items()))
    assert (model.with_name("out")).exists() and {"pyarrow", "numpy"} <= found
    assert found.isdisjoint({"sklearn", "pandas", "matplotlib", "numba", "rich"})


def test_a_model_of_a_stream_of_numbers_is_used_without_a_compiler(tmp_path: Path) -> None:
    rows, model = tmp_path / "rows.csv", str(tmp_path / "m")
    rows.write_text("x,kind\n1,a\n2,a\n3,b\n2.5,b\n")
    fit = ["fit", str(rows), "--stream", "--target", "kind", "--model", model]
    subprocess.run([sys.executable, "-m", "linsep", *fit], check=True, capture_output=True)
    found = loaded_by(["predict", model, str(rows), "--output", str(tmp_path / "out")])
    assert found.isdisjoint({"sklearn", "pandas", "numba"})


JOINED = """
import sys
if {first}: import sklearn.base
import numpy as np
from linsep import AveragedPerceptron, TableEncoder, TableModel
class Own(AveragedPerceptron):
    def fit(self, X, y, weight=None): return super().fit(X, y)
learner = Own(random_state=0)
assert ("sklearn" in sys.modules) == {first}
assert learner.get_params() == dict(AveragedPerceptron(random_state=0).get_params())
assert not hasattr(learner, "coef_") and not hasattr(learner, "no_such")
import sklearn.base
assert sklearn.base.is_classifier(learner) and isinstance(learner, sklearn.base.BaseEstimator)
kinds = (AveragedPerceptron, Own, TableEncoder, TableModel)
print([(kind.__mro__, sorted(dir(kind)), sorted(vars(kind))) for kind in kinds])
print(learner, TableModel(learner), len(learner._repr_html_()), learner.get_metadata_routing())
"""


def test_learners_are_the_same_whether_scikit_learn_is_loaded_before_or_after_them() -> None:
    after, before = (
        subprocess.run([sys.executable, "-c", JOINED.format(first=first)], check=True, capture_output=True, text=True)
        for first in (False, True)
    )
    assert after.stdout == before.stdout and "set_fit_request" in after.stdout


def test_what_only_scikit_learn_answers_loads_it() -> None:
    make = "from linsep import Perceptron, TableModel; it = TableModel(Perceptron(random_state=0)); "
    assert "sklearn" not in loaded(f"{make}it.set_params(probabilities=True)")
    for asked in ("repr(it)", "it._repr_html_()", "it.set_params(learner__shuffle=True)"):
        assert "sklearn" in loaded(make + asked), asked


def test_help_of_a_learner_is_there_before_scikit_learn_is() -> None:
    ask = "import inspect, pydoc, linsep\nfor one in (linsep.Perceptron, linsep.TableModel, linsep.MLP):"
    found = loaded(f"{ask}\n    assert one.__name__ in pydoc.render_doc(one) and inspect.getmembers(one)")
    assert "sklearn" in found
