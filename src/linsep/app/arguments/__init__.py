"""The arguments of commands that have many, and the options that several share."""
