"""Files as other programs really left them, each with what must happen then. Their bytes lie in data/."""
