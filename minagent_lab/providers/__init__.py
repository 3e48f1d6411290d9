"""Providers: models behind a service, and what stands round them."""
