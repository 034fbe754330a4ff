"""Do different measures order models alike?"""
