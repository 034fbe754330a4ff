"""Items written for this project that show how methods work: packaged with the library, and published nowhere."""

TITLES = {
    "bbq_style": "Items in the form of BBQ",
    "counterfactual_style": "Prompts about two groups",
    "decision_questions": "Decision questions",
    "decision_style": "Illustrative scenarios of decisions",
    "gest_style": "Gender stereotypes",
    "guise_style": "Matched guises",
    "honest_style": "Prompts in the form of HONEST",
    "hurtful_words": "Illustrative hurtful words",
    "stereoset_style": "Items in the form of StereoSet",
    "winobias_style": "Sentences in the form of WinoBias",
}
"""What each of these data sets holds, by its name."""
