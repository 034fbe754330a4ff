"""What runs the tasks of a grid: this process, processes of this machine, or a Ray cluster."""
