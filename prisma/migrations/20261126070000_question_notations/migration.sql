-- Signs that make another question (f'(2) and f(2), 5! and 5, (1,2) and [1,2], ① and ②) are part of the fingerprints,
-- and more notations are one question (`1 / 2` and `1/2`, `<=` and `≤`, 面積 and 面积): the fingerprints of all cards are
-- computed anew after the start.
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}' WHERE "question_key" IS NOT NULL;
