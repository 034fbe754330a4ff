"""What is made from results: files, tables, plots and the bias section of a model card."""

FORMAT = 5
"""Number of the wording of results, reports and cards, raised where a release words or arranges them differently.
Sections of cards and recordings carry it, and sentences of another format are not compared with those of this one."""
