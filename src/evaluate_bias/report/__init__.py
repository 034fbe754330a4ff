"""What is made from results: files, tables, plots and the bias section of a model card."""
