-- Signs that make another question (f'(2) and f(2), 5! and 5, [0,1) and (0,1], (1,2) and {1,2}, ① and ②, \dot{x} and
-- \ddot{x}) are part of the fingerprints: those of cards that have one are computed anew after the start.
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}'
WHERE "question_key" IS NOT NULL
    AND ("question_text" || ' ' || array_to_string("choices", ' ')) ~ ('[''’‘＇′″‴!！\[\]［］①-⓿❶-➓Ⅰ-ↈ㈠-㊿]|prime|rbrack'
        || '|\\d?dot([^A-Za-z]|$)|[(（][^()（）]*[,，、]|[,，、][^()（）]*[)）]');
