"""RNSB: rnsb."""
