"""How a tool user that is no language model goes about each family: what it calls next, and what it concludes.

One module a family. Each has `next_step(case, brought)`, the next call or None if there is nothing more to do, and
`answer(case, brought)`, the answer that follows from what the calls brought or None. Both are pure functions of the
question, the pictures at a glance, and the observations: nothing is computed here that a tool could have been asked
for. The Python that they write stands on its own (`inline`): in the sandbox there is nothing of this package.
"""
