-- The sync feed: the last change of each card, deletions included. A card whose id is used again by another owner has a row for
-- each owner, so that the earlier one is told of the deletion.
CREATE TABLE "card_change" (
    "tenant_id" TEXT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "transaction" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "deleted" BOOLEAN NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "card_change_pkey" PRIMARY KEY ("tenant_id", "card_id", "owner_id")
);
INSERT INTO "card_change" ("tenant_id", "card_id", "owner_id", "transaction", "revision", "deleted", "changed_at")
    SELECT "tenant_id", "id", "owner_id", pg_current_xact_id()::text::bigint, "revision", false, "updated_at" FROM "card";
CREATE INDEX "card_change_tenant_idx" ON "card_change" ("tenant_id", "transaction", "card_id");
CREATE INDEX "card_change_owner_idx" ON "card_change" ("tenant_id", "owner_id", "transaction", "card_id");

-- A trigger, so that no statement that changes cards can be forgotten. As the owner of the tables: viewers cannot write the feed.
CREATE FUNCTION "record_card_change"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    changed "card"%ROWTYPE;
BEGIN
    IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
    INSERT INTO "card_change" ("tenant_id", "card_id", "owner_id", "transaction", "revision", "deleted")
    VALUES (changed."tenant_id", changed."id", changed."owner_id", pg_current_xact_id()::text::bigint, changed."revision",
        TG_OP = 'DELETE')
    ON CONFLICT ("tenant_id", "card_id", "owner_id") DO UPDATE SET "transaction" = excluded."transaction",
        "revision" = excluded."revision", "deleted" = excluded."deleted", "changed_at" = excluded."changed_at";
    RETURN NULL;
END $$;
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION "record_card_change"() SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "record_card_change"() FROM PUBLIC;
CREATE TRIGGER "card_recorded" AFTER INSERT OR DELETE ON "card" FOR EACH ROW EXECUTE FUNCTION "record_card_change"();
-- Fingerprints are computed later without a new revision.
CREATE TRIGGER "card_change_recorded" AFTER UPDATE ON "card" FOR EACH ROW
    WHEN (OLD."revision" <> NEW."revision") EXECUTE FUNCTION "record_card_change"();

GRANT SELECT ON "card_change" TO errata_viewer;
ALTER TABLE "card_change" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "card_change_seen" ON "card_change" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
