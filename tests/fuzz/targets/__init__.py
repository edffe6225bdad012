"""One file a target; each holds a `TARGET`."""
