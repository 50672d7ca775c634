-- Fractions in English words are read as numbers (`two thirds` and `2/3`): the fingerprints of all cards are computed anew at
-- the start, before requests are answered.
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}' WHERE "question_key" IS NOT NULL;
