-- Signs that make another question (f'(2) and f(2), 5! and 5, [0,1) and (0,1], ① and ②) are part of the fingerprints:
-- those of cards that have one are computed anew after the start.
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}'
WHERE "question_key" IS NOT NULL
    AND ("question_text" || ' ' || array_to_string("choices", ' ')) ~ '[''’′″!！\[\]［］①-⓿❶-➓Ⅰ-ↈ]|prime|rbrack';
