-- Search settings are learned again: those of byConcept and hybridSearch were chosen without the lexical lane that compares all texts of a
-- card.

DELETE FROM "learned_profile";
