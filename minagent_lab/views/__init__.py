"""What a learner sees: the stepper and the charts."""
