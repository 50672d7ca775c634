-- An attempt that counts for the review of another card stays with that card if its own card is deleted: the review state of the
-- other card was computed with it, and would differ from its attempts.
CREATE FUNCTION "keep_reviews"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE "attempt" a SET "card_id" = a."review_of"
    WHERE a."tenant_id" = OLD."tenant_id" AND a."card_id" = OLD."id" AND a."review_of" <> OLD."id"
        AND EXISTS (SELECT FROM "card" c WHERE c."tenant_id" = a."tenant_id" AND c."id" = a."review_of");
    RETURN OLD;
END $$;
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION "keep_reviews"() SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "keep_reviews"() FROM PUBLIC;
CREATE TRIGGER "card_deleted_with_reviews" BEFORE DELETE ON "card" FOR EACH ROW EXECUTE FUNCTION "keep_reviews"();
