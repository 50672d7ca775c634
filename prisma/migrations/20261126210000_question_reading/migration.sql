-- Formulas that were copied without their layout, HTML tags, addresses of images and units are read in another way: the
-- fingerprints of all cards are computed anew at the start, before requests are answered.
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}' WHERE "question_key" IS NOT NULL;
