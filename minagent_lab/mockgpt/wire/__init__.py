"""The wire: what a real service would send, byte by byte.

All of it is without I/O but the last two steps: a request is read (``asked``), answered in the form of its service
(``chat``, ``responses_api``, ``messages_api``), and sent on its way with its faults (``travel``); ``application`` puts
these together. ``transport`` carries the answer to a client in this process, ``asgi`` and ``server`` to any other.
"""
