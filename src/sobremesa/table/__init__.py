"""What surrounds a game: series, records, fair chance."""

from sobremesa.table.fair import FairChance, FairnessProof
from sobremesa.table.record import Record, loads
from sobremesa.table.series import Series
from sobremesa.table.sitting import Sitting
from sobremesa.table.verify import Verdict, verify

__all__ = ["FairChance", "FairnessProof", "Record", "Series", "Sitting", "Verdict", "loads", "verify"]
