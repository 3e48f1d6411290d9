"""The charts as figures of matplotlib. Every module here needs it, so it is imported when a chart is drawn."""
