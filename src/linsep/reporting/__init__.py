"""What was found, in words, pictures and tables, as one HTML page; extras are imported when it is made."""

from linsep.reporting.page.html import Report
from linsep.reporting.report import report

__all__ = ["Report", "report"]
