"""Linear separators with receipts."""
