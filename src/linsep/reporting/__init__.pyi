from .page.html import Report as Report
from .report import report as report

__all__: list[str]
