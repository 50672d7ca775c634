-- Names are stored in the form in which they are now read (src/domain/parse/scalars.ts): characters composed (NFC), and the grade 5.0 as G5.
-- Of two names that become the same, the second one gets a number of its own.

CREATE TEMP TABLE "composed_name" ON COMMIT DROP AS
    SELECT c."tenant_id", c."id", normalize(c."source", NFC) AS "source",
        CASE WHEN c."grade" ~ '^0?[1-9]\.0+$|^1[0-2]\.0+$' THEN 'G' || split_part(c."grade", '.', 1)::int ELSE c."grade" END AS "grade"
    FROM "card" c WHERE c."source" IS NOT NFC NORMALIZED OR c."grade" ~ '^0?[1-9]\.0+$|^1[0-2]\.0+$';
UPDATE "card" c SET "source" = n."source", "grade" = n."grade", "revision" = "revision" + 1, "updated_at" = now()
    FROM "composed_name" n WHERE c."tenant_id" = n."tenant_id" AND c."id" = n."id";
INSERT INTO "index_dirty" AS d ("tenant_id", "card_id", "bulk")
    SELECT "tenant_id", "id", true FROM "composed_name" ORDER BY "tenant_id", "id"
    ON CONFLICT ("tenant_id", "card_id") DO UPDATE
    SET "seq" = d."seq" + 1, "attempts" = 0, "next_at" = now(), "error" = NULL, "dead" = false;

DO $$
DECLARE
    "named" text;
BEGIN
    FOREACH "named" IN ARRAY ARRAY['golden_set', 'search_profile', 'student_group'] LOOP
        EXECUTE format('UPDATE %1$I t SET "name" = n."composed" || CASE WHEN n."number" = 1 THEN '''' ELSE '' ('' || left(md5(t."name"), 6) || '')'' END
            FROM (SELECT "tenant_id", "name", normalize("name", NFC) AS "composed", row_number() OVER (
                    PARTITION BY "tenant_id", normalize("name", NFC) ORDER BY "name" IS NFC NORMALIZED DESC, "name") AS "number" FROM %1$I) n
            WHERE t."tenant_id" = n."tenant_id" AND t."name" = n."name" AND t."name" IS NOT NFC NORMALIZED', "named");
    END LOOP;
END $$;
