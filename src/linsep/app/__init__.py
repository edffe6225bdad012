"""The command line and its receipts."""
