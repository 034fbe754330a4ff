"""Do different measures order models the same way?"""
