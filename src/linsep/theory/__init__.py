"""What can be proved: margins, mistake bounds and certificates."""
