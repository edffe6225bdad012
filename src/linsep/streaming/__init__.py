"""Learning from a stream in constant memory: each row is predicted before it is learnt.

In: a source and a learner. Out: a model, the mistakes of each pass and what they prove, checkpoints. Begin with
`fit_stream.py`, then `run.py`; checkpoints and snapshots are in `checkpoint.py` (`checkpoint_rows` and `every` say how
often).
"""
