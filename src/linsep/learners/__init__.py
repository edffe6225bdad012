"""scikit-learn estimators, one file a family."""
