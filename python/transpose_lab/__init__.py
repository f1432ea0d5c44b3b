"""Transpose Lab: learn GPU memory performance by writing one kernel, faster each time. `lab init my-course` begins."""
