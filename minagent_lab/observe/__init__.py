"""What a run did, what it may use, and what that costs."""
