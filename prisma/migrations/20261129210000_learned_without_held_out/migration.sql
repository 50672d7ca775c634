-- Settings that were learned without a query that was held out have no figures, and could not be read: they are learned again.

DELETE FROM "learned_profile"
WHERE EXISTS (SELECT FROM jsonb_array_elements("operations") AS o WHERE o #> '{byDefault,ndcgAt10}' = 'null'::jsonb);
