"""doiscan on Spark: the DOIs of a column, and whole scans spread over a cluster.

Needs pyspark 4.0 or newer and pyarrow (`pip install 'doiscan[spark]'`), on the workers too.
"""

from ._frames import dois
from ._job import scan

__all__ = ["dois", "scan"]
