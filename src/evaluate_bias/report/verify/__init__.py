"""Cards, reports and results verified from recorded scores, without the model."""

from .folder import Verifier, verify
from .recording_file import (
    SCORES_FILE,
    RecordedRun,
    RecordingStore,
    discard_recording,
    read_recording,
    recording_bytes,
    write_recording,
)
from .replaying import Recorder, measure_recorded, record, repeat
from .verdicts import Check, Verdict, Verification

__all__ = [
    "SCORES_FILE",
    "Check",
    "Recorder",
    "RecordingStore",
    "RecordedRun",
    "Verdict",
    "Verification",
    "Verifier",
    "discard_recording",
    "measure_recorded",
    "read_recording",
    "record",
    "recording_bytes",
    "repeat",
    "verify",
    "write_recording",
]
