"""`python -m transpose_lab`: the command `lab`."""
import sys

from transpose_lab.launcher import main

sys.exit(main())
