"""Knowledge: the owner's documents, answered in their own words, with their past; one module for each verb."""
