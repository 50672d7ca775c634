-- As in 20261126060000_question_marks: other quotation marks for a prime (f‘(2)), the triple prime (f‴), and Chinese
-- numbers in circles and brackets (㈠, ㊀, ㉑).
UPDATE "card" SET "question_key" = NULL, "question_bands" = '{}'
WHERE "question_key" IS NOT NULL
    AND ("question_text" || ' ' || array_to_string("choices", ' ')) ~ '[‘＇‴㈠-㊿]';
