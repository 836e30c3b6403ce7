"""Import: from paths that a person gave to papers that can be searched.

`scan` says which files the paths mean, `sniffing` what a file is, `file_store` keeps the
copy, `steps` takes one file through, `queue` runs many and survives a crash.
"""

from app.services.importing.queue import Importer
from app.services.importing.results import ImportResult, ImportStatus

__all__ = ["ImportResult", "ImportStatus", "Importer"]
