"""A student's file with one word changed, most often into a mistake: what NVRTC refuses must be refused.

Enters: a seed. Leaves: the text of a kernel file. Found: two types side by side, and static behind extern "C".
"""
import random
import re

import students

WORDS = ["float", "int", "const", "unsigned char", "float*", "double", "void", "bool", "static", "in", "out", "cols", "threadIdx", "3.5f", "nullptr"]
SIGNS = ["+", "-", "*", "/", "%", "<<", "==", "=", "&", "|"]


def kernel(seed):
    r = random.Random(seed)
    head, body = students.kernel(seed).split('extern "C"', 1)
    tokens = re.findall(r"\w+|\s+|[^\w\s]", body)
    names = [at for at, token in enumerate(tokens) if re.match(r"[A-Za-z_]", token)]
    signs = [at for at, token in enumerate(tokens) if token in "+-*/<>=&|%!"]
    if r.random() < .8:
        tokens[r.choice(names)] = r.choice([tokens[r.choice(names)], *WORDS])
    else:
        tokens[r.choice(signs)] = r.choice(SIGNS)
    return head + 'extern "C"' + "".join(tokens)
