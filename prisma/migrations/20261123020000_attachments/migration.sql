-- What is attached to a card: [{"kind", "altText", "url", "sha256", "contentType", "bytes"}, ...], each a link or an uploaded file.
ALTER TABLE "card" ADD COLUMN "attachments" JSONB NOT NULL DEFAULT '[]';

-- Uploaded files by the SHA-256 of their content. Each belongs to one owner, as a card does, and cards have files of their owner
-- alone: nobody learns from an upload whether somebody else has the same file.
CREATE TABLE "uploaded_file" (
    "tenant_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "sha256" TEXT COLLATE "C" NOT NULL CHECK ("sha256" ~ '^[0-9a-f]{64}$'),
    "content_type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL CHECK ("bytes" > 0),
    "content" BYTEA NOT NULL,
    "uploaded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "uploaded_file_pkey" PRIMARY KEY ("tenant_id", "owner_id", "sha256")
);
-- Images are compressed already.
ALTER TABLE "uploaded_file" ALTER COLUMN "content" SET STORAGE EXTERNAL;
CREATE INDEX "uploaded_file_uploaded_at_idx" ON "uploaded_file" ("uploaded_at");

-- Which card has which file: kept by a trigger, so that no statement that changes cards can be forgotten.
CREATE TABLE "card_file" (
    "tenant_id" TEXT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "sha256" TEXT COLLATE "C" NOT NULL,
    CONSTRAINT "card_file_pkey" PRIMARY KEY ("tenant_id", "card_id", "sha256"),
    CONSTRAINT "card_file_card_fkey" FOREIGN KEY ("tenant_id", "card_id") REFERENCES "card" ("tenant_id", "id")
        ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT "card_file_file_fkey" FOREIGN KEY ("tenant_id", "owner_id", "sha256")
        REFERENCES "uploaded_file" ("tenant_id", "owner_id", "sha256") ON DELETE RESTRICT ON UPDATE RESTRICT
);
CREATE INDEX "card_file_file_idx" ON "card_file" ("tenant_id", "owner_id", "sha256");

CREATE FUNCTION "record_card_files"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    wanted TEXT[] := ARRAY(SELECT DISTINCT a ->> 'sha256' FROM jsonb_array_elements(NEW."attachments") a
        WHERE a ->> 'sha256' IS NOT NULL);
BEGIN
    DELETE FROM "card_file"
        WHERE "tenant_id" = NEW."tenant_id" AND "card_id" = NEW."id" AND "sha256" <> ALL(wanted);
    INSERT INTO "card_file" ("tenant_id", "card_id", "owner_id", "sha256")
        SELECT NEW."tenant_id", NEW."id", NEW."owner_id", one FROM unnest(wanted) one
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- A file goes with the last card that has it, at the end of the transaction: a merge deletes one card and changes another. The row
-- is locked first, so that a card that gets the file meanwhile is seen by the second statement, or finds the file gone.
CREATE FUNCTION "delete_unused_file"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM FROM "uploaded_file" f
        WHERE f."tenant_id" = OLD."tenant_id" AND f."owner_id" = OLD."owner_id" AND f."sha256" = OLD."sha256" FOR UPDATE;
    DELETE FROM "uploaded_file" f
        WHERE f."tenant_id" = OLD."tenant_id" AND f."owner_id" = OLD."owner_id" AND f."sha256" = OLD."sha256"
        AND NOT EXISTS (SELECT FROM "card_file" c WHERE c."tenant_id" = f."tenant_id" AND c."owner_id" = f."owner_id"
            AND c."sha256" = f."sha256");
    RETURN NULL;
END $$;

DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION "record_card_files"() SET search_path = %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION "delete_unused_file"() SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "record_card_files"(), "delete_unused_file"() FROM PUBLIC;

CREATE TRIGGER "card_files_of_new_card" AFTER INSERT ON "card" FOR EACH ROW
    WHEN (NEW."attachments" <> '[]'::jsonb) EXECUTE FUNCTION "record_card_files"();
CREATE TRIGGER "card_files_changed" AFTER UPDATE ON "card" FOR EACH ROW
    WHEN (OLD."attachments" <> NEW."attachments") EXECUTE FUNCTION "record_card_files"();
CREATE CONSTRAINT TRIGGER "file_no_longer_attached" AFTER DELETE ON "card_file" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION "delete_unused_file"();

-- Files are seen, and uploaded, as cards are. Viewers neither read nor write which card has which file: the triggers do.
GRANT SELECT, INSERT, UPDATE ("uploaded_at") ON "uploaded_file" TO errata_viewer;
ALTER TABLE "uploaded_file" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "card_file" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "uploaded_file_seen" ON "uploaded_file" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "uploaded_file_made" ON "uploaded_file" FOR INSERT TO errata_viewer WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "uploaded_file_again" ON "uploaded_file" FOR UPDATE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
