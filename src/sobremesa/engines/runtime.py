"""Networks that come with the package, run by ONNX Runtime."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from sobremesa.core.errors import InvalidSetup


def missing_packages() -> InvalidSetup:
    """The error of a player that cannot import NumPy or ONNX Runtime."""
    return InvalidSetup("engines.error.this-player-needs-more-packages")


def session(package: str, file: Path | None = None, name: str = "weights.onnx") -> Any:
    """A session on one thread with the network of this package that has this name, or with another file."""
    try:
        import onnxruntime
    except ImportError:
        raise missing_packages() from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with as_file(files(package) / name) as path:
        try:
            return onnxruntime.InferenceSession(str(file or path), options, providers=["CPUExecutionProvider"])
        except Exception:  # of a kind of its own, like all that is raised there
            raise InvalidSetup("engines.error.is-no-network-that-can-be-read", file=(file or path).name) from None
