"""A student's file with one token changed, taken out or put in, most often a mistake: what NVRTC refuses must be refused, at its line.

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
    kind = r.random()
    if kind < .25:
        del tokens[r.choice([at for at, token in enumerate(tokens) if token.strip()])]
    elif kind < .4:
        tokens.insert(r.randrange(len(tokens)), " " + r.choice([*WORDS, *SIGNS, "(", ")", "{", "}", "[", "]", ";", ",", r.choice(tokens)]) + " ")
    elif kind < .85:
        tokens[r.choice(names)] = r.choice([tokens[r.choice(names)], *WORDS])
    else:
        tokens[r.choice(signs)] = r.choice(SIGNS)
    return head + 'extern "C"' + "".join(tokens)
