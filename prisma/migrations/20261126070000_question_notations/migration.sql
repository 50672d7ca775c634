-- More notations of a formula and of Chinese are one question (`1 / 2` and `1/2`, `<=` and `≤`, 面積 and 面积): the
-- fingerprints of all cards are computed anew after the start.
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}' WHERE "question_key" IS NOT NULL;
