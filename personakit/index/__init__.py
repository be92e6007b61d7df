"""What is kept in memory, built from model values alone: words, the table, ranking."""
