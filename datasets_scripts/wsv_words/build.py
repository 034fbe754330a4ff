"""Build the folder of the Hub data set ``bias/wsv-words``; ``--help`` lists the options."""

import sys

from evaluate_bias.data.recipes import main

if __name__ == "__main__":
    sys.exit(main("wsv_words"))
