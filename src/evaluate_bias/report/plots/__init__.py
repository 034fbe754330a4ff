"""Pictures of results, as axes of matplotlib, SVG and PNG.

Colours are from palettes that people with colour-vision deficiencies can tell apart (Okabe and Ito 2008), and nothing
is shown by colour alone: models differ in marker, significance shows in the marker's filling, cells have numbers.
"""
