"""Self-play and learning on a device."""
