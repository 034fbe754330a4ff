"""llama.cpp's own server on 127.0.0.1, from the wheel xllamacpp, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes import free_port

NAME = "smollm2"
_SERVE = """
import sys, time, xllamacpp
path, port, exact = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path, params.port, params.hostnames = path, int(port), ["127.0.0.1"]
params.n_ctx, params.n_parallel, params.cpuparams.n_threads, params.warmup = 2048, 2, 2, False
if exact == "True":  # by itself it keeps keys and values in half precision
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
server = xllamacpp.Server(params)
time.sleep(36_000)
"""


def start(model: Path, port: int, *, exact: bool = False) -> subprocess.Popen[bytes]:
    """Start it; it answers 503 until the model is loaded."""
    command = [sys.executable, "-c", _SERVE, str(model), str(port), str(exact)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(port: int, status: int, timeout: float = 120.0) -> None:
    """Wait until it answers with a status."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                found = answer.status
        except urllib.error.HTTPError as error:
            found = error.code
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            found = 0
        if found == status:
            return
        time.sleep(0.01)
    raise AssertionError(f"no {status} in {timeout:g} s")


@contextmanager
def served_by_llama(model: Path, *, exact: bool = False) -> Iterator[str]:
    """Serve a GGUF file; what :func:`evaluate_bias.load_model` takes is yielded."""
    port = free_port()
    server = start(model, port, exact=exact)
    try:
        wait_for(port, 200)
        yield f"endpoint:http://127.0.0.1:{port}/v1#{NAME}"
    finally:
        server.kill()
        server.wait(30)


def in_float32(source: Path, target: Path) -> Path:
    """A GGUF file with the same metadata and the same weights as float32."""
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.get_field("general.architecture").contents())
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in ("general.architecture", "general.file_type"):
            kind, *inner = field.types
            writer.add_key_value(name, field.contents(), kind, sub_type=inner[-1] if inner else None)
    writer.add_file_type(0)
    for tensor in reader.tensors:
        weights = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, weights.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target
