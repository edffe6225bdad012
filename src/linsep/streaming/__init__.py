"""Learning from a stream in constant memory: each row is predicted before it is learnt.

In: a source and a learner. Out: a model, the mistakes of each pass and what they prove, checkpoints. Begin with
`fit_stream.py`, where checkpoints are written too (`checkpoint_rows` says how often), then `run.py`.
"""
