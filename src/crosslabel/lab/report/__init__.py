"""Pictures and pages of what was learnt and measured."""
