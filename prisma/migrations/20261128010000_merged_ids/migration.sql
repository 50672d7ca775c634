-- While a merge can be undone, the id of the card that went is free for its owner only. Another owner's card with this id would prevent
-- undoing it, and a merge of that card would replace its record. As if the card were there: the same error, by the same constraint. After
-- the insertion, because that may have waited for the transaction of the merge.
CREATE FUNCTION "refuse_merged_ids"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF EXISTS (
        SELECT FROM "added" a JOIN "card_merge" m ON m."tenant_id" = a."tenant_id" AND m."from_id" = a."id" AND m."owner_id" <> a."owner_id"
    ) THEN
        RAISE unique_violation USING MESSAGE = 'the id is that of a merged card', CONSTRAINT = 'card_pkey', TABLE = 'card';
    END IF;
    RETURN NULL;
END $$;
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION "refuse_merged_ids"() SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "refuse_merged_ids"() FROM PUBLIC;
CREATE TRIGGER "card_added_with_merged_id" AFTER INSERT ON "card" REFERENCING NEW TABLE AS "added"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_merged_ids"();

-- As before, and: an attempt that now belongs to the remaining card of a merge belongs to the other one if the merge is undone; and a
-- review of a deleted card is none any more, or it would become one of the next card with this id, which may be another student's.
CREATE OR REPLACE FUNCTION "keep_reviews"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    WITH kept AS (
        UPDATE "attempt" a SET "card_id" = a."review_of"
        WHERE a."tenant_id" = OLD."tenant_id" AND a."card_id" = OLD."id" AND a."review_of" <> OLD."id"
            AND EXISTS (SELECT FROM "card" c WHERE c."tenant_id" = a."tenant_id" AND c."id" = a."review_of")
        RETURNING a."tenant_id", a."owner_id", a."key"
    )
    UPDATE "card_merge_attempt" m SET "at_card" = true FROM kept k
    WHERE m."tenant_id" = k."tenant_id" AND m."owner_id" = k."owner_id" AND m."key" = k."key" AND m."of_card";
    UPDATE "attempt" a SET "review_of" = NULL
    WHERE a."tenant_id" = OLD."tenant_id" AND a."review_of" = OLD."id" AND a."card_id" <> OLD."id";
    RETURN OLD;
END $$;
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION "keep_reviews"() SET search_path = %I, pg_temp', current_schema());
END $$;
UPDATE "attempt" a SET "review_of" = NULL
WHERE a."review_of" IS NOT NULL
    AND NOT EXISTS (SELECT FROM "card" c WHERE c."tenant_id" = a."tenant_id" AND c."id" = a."review_of");
