"""What runs a learner: passes, stopping, the trace, visiting orders, threads, Ctrl-C.

In: a learner and a budget. Out: a stop reason and a trace. Begin with `loop.py`.
"""
