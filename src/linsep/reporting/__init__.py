"""Results in words, pictures and tables, and as one HTML page; extras are imported when a page is made."""

from linsep.reporting.page.html import Report
from linsep.reporting.report import report

__all__ = ["Report", "report"]
