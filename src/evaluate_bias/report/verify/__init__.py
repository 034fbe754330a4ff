"""Cards, reports and results verified from recorded scores, without the model."""

from .folder import verify as verify
from .recording_file import SCORES_FILE as SCORES_FILE
from .recording_file import RecordedRun as RecordedRun
from .recording_file import RecordingStore as RecordingStore
from .recording_file import discard_recording as discard_recording
from .recording_file import read_recording as read_recording
from .recording_file import recording_bytes as recording_bytes
from .recording_file import write_recording as write_recording
from .replaying import Recorder as Recorder
from .replaying import record as record
