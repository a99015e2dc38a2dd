"""What a plan does to recall, measured on questions: whether the answers are still there, and whether search still finds them."""
