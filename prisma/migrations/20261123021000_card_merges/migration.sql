-- What a merge must know to be undone: both cards as they were, and where the occurrences of the one that went are now.
CREATE TABLE "card_merge" (
    "tenant_id" TEXT NOT NULL,
    "from_id" TEXT COLLATE "C" NOT NULL,
    "into_id" TEXT COLLATE "C" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "merged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "first_number" INTEGER NOT NULL,
    "occurrences" INTEGER NOT NULL,
    "record" JSONB NOT NULL,
    CONSTRAINT "card_merge_pkey" PRIMARY KEY ("tenant_id", "from_id")
);
CREATE INDEX "card_merge_into_idx" ON "card_merge" ("tenant_id", "into_id");

-- The attempts that a merge has moved. Viewers neither read nor write them: they may be those of others.
CREATE TABLE "card_merge_attempt" (
    "tenant_id" TEXT NOT NULL,
    "from_id" TEXT COLLATE "C" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "at_card" BOOLEAN NOT NULL,
    "of_card" BOOLEAN NOT NULL,
    CONSTRAINT "card_merge_attempt_pkey" PRIMARY KEY ("tenant_id", "from_id", "owner_id", "key"),
    CONSTRAINT "card_merge_attempt_merge_fkey" FOREIGN KEY ("tenant_id", "from_id")
        REFERENCES "card_merge" ("tenant_id", "from_id") ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT "card_merge_attempt_attempt_fkey" FOREIGN KEY ("tenant_id", "owner_id", "key")
        REFERENCES "attempt" ("tenant_id", "owner_id", "key") ON DELETE CASCADE ON UPDATE RESTRICT
);
CREATE INDEX "card_merge_attempt_attempt_idx" ON "card_merge_attempt" ("tenant_id", "owner_id", "key");

-- Nothing is left of a card that was merged into one that is deleted, nor of those that were merged into it before.
CREATE FUNCTION "forget_merges"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_TABLE_NAME = 'card' THEN
        DELETE FROM "card_merge" m WHERE m."tenant_id" = OLD."tenant_id" AND m."into_id" = OLD."id"
            AND NOT EXISTS (SELECT FROM "card_merge" o WHERE o."tenant_id" = m."tenant_id" AND o."from_id" = m."into_id");
    ELSE
        DELETE FROM "card_merge" m WHERE m."tenant_id" = OLD."tenant_id" AND m."into_id" = OLD."from_id"
            AND NOT EXISTS (SELECT FROM "card" c WHERE c."tenant_id" = m."tenant_id" AND c."id" = m."into_id");
    END IF;
    RETURN NULL;
END $$;
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION "forget_merges"() SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "forget_merges"() FROM PUBLIC;
CREATE TRIGGER "card_deleted_with_merges" AFTER DELETE ON "card" FOR EACH ROW EXECUTE FUNCTION "forget_merges"();
CREATE TRIGGER "card_merge_deleted" AFTER DELETE ON "card_merge" FOR EACH ROW EXECUTE FUNCTION "forget_merges"();

-- Whoever may change the kept card sees the record. Viewers do not write it: the gateway does, with the attempts.
GRANT SELECT ON "card_merge" TO errata_viewer;
ALTER TABLE "card_merge" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "card_merge_attempt" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "card_merge_seen" ON "card_merge" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);

-- The occurrences of the card that was kept are numbered anew.
GRANT DELETE ON "card_occurrence" TO errata_viewer;
CREATE POLICY "card_occurrence_deleted" ON "card_occurrence" FOR DELETE TO errata_viewer USING (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_occurrence"."tenant_id" AND c."id" = "card_occurrence"."card_id"
    AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
));
