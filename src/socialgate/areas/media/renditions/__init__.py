"""Making a file fit what a platform accepts.

`planner` compares a file with a rule and says what to do: a recipe, in words and as data. It is pure, so validation and
publishing see the same plan. `converter` carries a recipe out, in separate processes with limits.
"""
