"""mlm_gender_score."""
