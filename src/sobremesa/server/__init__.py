"""Rooms where people meet: the event log, storage, sockets. Needs the extra ``sobremesa[server]``."""
