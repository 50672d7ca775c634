-- More words make another question (串联 and 并联, 增加 and 增加到, parallel and perpendicular): the fingerprints of all cards are
-- computed anew at the start, before requests are answered.
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}' WHERE "question_key" IS NOT NULL;
