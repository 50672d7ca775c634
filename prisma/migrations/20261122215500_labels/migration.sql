-- Labels have aliases and a parent, and names that differ in case, width or blanks alone are one label. Subjects and grades get the
-- names that every client's spelling is stored under (src/domain/school-names.ts): 数学 becomes math, 五年级 G5.

CREATE TEMP TABLE "respelled_card" ("tenant_id" TEXT, "card_id" TEXT COLLATE "C", PRIMARY KEY ("tenant_id", "card_id"))
    ON COMMIT DROP;

ALTER TABLE "topic_tag"
    ADD COLUMN "key" TEXT COLLATE "C",
    ADD COLUMN "aliases" TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN "alias_keys" TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN "parent_id" BIGINT;
UPDATE "topic_tag" SET "key" = coalesce(nullif(lower(regexp_replace(btrim(normalize("name", NFKC)), '\s+', ' ', 'g')), ''), "name");

-- Of labels that differ in spelling alone, the oldest stays; a card that has several of them keeps the first place.
CREATE TEMP TABLE "same_topic_tag" ON COMMIT DROP AS
    SELECT * FROM (
        SELECT "tenant_id", "id", first_value("id") OVER (PARTITION BY "tenant_id", "key" ORDER BY "id") AS "kept" FROM "topic_tag"
    ) all_labels WHERE "id" <> "kept";
INSERT INTO "respelled_card" SELECT DISTINCT l."tenant_id", l."card_id" FROM "card_topic_tag" l
    JOIN "same_topic_tag" s ON s."tenant_id" = l."tenant_id" AND s."id" = l."topic_tag_id" ON CONFLICT DO NOTHING;
WITH "tie" AS (
    SELECT l."tenant_id", l."card_id", l."topic_tag_id", row_number() OVER (
        PARTITION BY l."tenant_id", l."card_id", t."key" ORDER BY l."position") AS "place"
    FROM "card_topic_tag" l JOIN "topic_tag" t ON t."tenant_id" = l."tenant_id" AND t."id" = l."topic_tag_id"
    JOIN "respelled_card" r ON r."tenant_id" = l."tenant_id" AND r."card_id" = l."card_id"
)
DELETE FROM "card_topic_tag" l USING "tie" t WHERE t."place" > 1
    AND l."tenant_id" = t."tenant_id" AND l."card_id" = t."card_id" AND l."topic_tag_id" = t."topic_tag_id";
UPDATE "card_topic_tag" l SET "topic_tag_id" = s."kept" FROM "same_topic_tag" s
    WHERE l."tenant_id" = s."tenant_id" AND l."topic_tag_id" = s."id";
DELETE FROM "topic_tag" t USING "same_topic_tag" s WHERE t."tenant_id" = s."tenant_id" AND t."id" = s."id";

ALTER TABLE "topic_tag" ALTER COLUMN "key" SET NOT NULL,
    ADD CONSTRAINT "topic_tag_key_check" CHECK ("key" <> ''),
    ADD CONSTRAINT "topic_tag_parent_check" CHECK ("parent_id" <> "id"),
    ADD CONSTRAINT "topic_tag_parent_fkey" FOREIGN KEY ("tenant_id", "parent_id")
        REFERENCES "topic_tag" ("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
DROP INDEX "topic_tag_tenant_id_name_key";
CREATE UNIQUE INDEX "topic_tag_tenant_id_key_key" ON "topic_tag" ("tenant_id", "key");
CREATE INDEX "topic_tag_tenant_id_parent_id_idx" ON "topic_tag" ("tenant_id", "parent_id");
-- Few labels have aliases; they are looked up whenever a card is written.
CREATE INDEX "topic_tag_aliased_idx" ON "topic_tag" ("tenant_id") WHERE "alias_keys" <> '{}';
GRANT DELETE ON "topic_tag" TO errata_viewer;
CREATE POLICY "topic_tag_deleted" ON "topic_tag" AS RESTRICTIVE FOR DELETE TO errata_viewer
    USING ((SELECT current_setting('errata.role')) = 'admin');

ALTER TABLE "error_type"
    ADD COLUMN "key" TEXT COLLATE "C",
    ADD COLUMN "aliases" TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN "alias_keys" TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN "parent_id" BIGINT;
UPDATE "error_type" SET "key" = coalesce(nullif(lower(regexp_replace(btrim(normalize("name", NFKC)), '\s+', ' ', 'g')), ''), "name");

-- Of labels that differ in spelling alone, the oldest stays; a card that has several of them keeps the first place.
CREATE TEMP TABLE "same_error_type" ON COMMIT DROP AS
    SELECT * FROM (
        SELECT "tenant_id", "id", first_value("id") OVER (PARTITION BY "tenant_id", "key" ORDER BY "id") AS "kept" FROM "error_type"
    ) all_labels WHERE "id" <> "kept";
INSERT INTO "respelled_card" SELECT DISTINCT l."tenant_id", l."card_id" FROM "card_error_type" l
    JOIN "same_error_type" s ON s."tenant_id" = l."tenant_id" AND s."id" = l."error_type_id" ON CONFLICT DO NOTHING;
WITH "tie" AS (
    SELECT l."tenant_id", l."card_id", l."error_type_id", row_number() OVER (
        PARTITION BY l."tenant_id", l."card_id", t."key" ORDER BY l."position") AS "place"
    FROM "card_error_type" l JOIN "error_type" t ON t."tenant_id" = l."tenant_id" AND t."id" = l."error_type_id"
    JOIN "respelled_card" r ON r."tenant_id" = l."tenant_id" AND r."card_id" = l."card_id"
)
DELETE FROM "card_error_type" l USING "tie" t WHERE t."place" > 1
    AND l."tenant_id" = t."tenant_id" AND l."card_id" = t."card_id" AND l."error_type_id" = t."error_type_id";
UPDATE "card_error_type" l SET "error_type_id" = s."kept" FROM "same_error_type" s
    WHERE l."tenant_id" = s."tenant_id" AND l."error_type_id" = s."id";
DELETE FROM "error_type" t USING "same_error_type" s WHERE t."tenant_id" = s."tenant_id" AND t."id" = s."id";

ALTER TABLE "error_type" ALTER COLUMN "key" SET NOT NULL,
    ADD CONSTRAINT "error_type_key_check" CHECK ("key" <> ''),
    ADD CONSTRAINT "error_type_parent_check" CHECK ("parent_id" <> "id"),
    ADD CONSTRAINT "error_type_parent_fkey" FOREIGN KEY ("tenant_id", "parent_id")
        REFERENCES "error_type" ("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
DROP INDEX "error_type_tenant_id_name_key";
CREATE UNIQUE INDEX "error_type_tenant_id_key_key" ON "error_type" ("tenant_id", "key");
CREATE INDEX "error_type_tenant_id_parent_id_idx" ON "error_type" ("tenant_id", "parent_id");
-- Few labels have aliases; they are looked up whenever a card is written.
CREATE INDEX "error_type_aliased_idx" ON "error_type" ("tenant_id") WHERE "alias_keys" <> '{}';
GRANT DELETE ON "error_type" TO errata_viewer;
CREATE POLICY "error_type_deleted" ON "error_type" AS RESTRICTIVE FOR DELETE TO errata_viewer
    USING ((SELECT current_setting('errata.role')) = 'admin');

CREATE TEMP TABLE "school_name" ON COMMIT DROP AS
    SELECT c."tenant_id", c."id", coalesce(s."name", c."subject") AS "subject", coalesce(g."name", c."grade") AS "grade"
    FROM (
        SELECT "tenant_id", "id",
            coalesce(nullif(lower(regexp_replace(btrim(normalize("subject", NFKC)), '\s+', ' ', 'g')), ''), "subject") AS "subject",
            coalesce(nullif(lower(regexp_replace(btrim(normalize("grade", NFKC)), '\s+', ' ', 'g')), ''), "grade") AS "grade"
        FROM "card"
    ) c
    LEFT JOIN (VALUES
        ('数学', 'math'), ('奥数', 'math'), ('maths', 'math'), ('mathematics', 'math'), ('语文', 'chinese'), ('英语', 'english'), ('英文',
        'english'), ('物理', 'physics'), ('化学', 'chemistry'), ('生物', 'biology'), ('生物学', 'biology'), ('历史', 'history'), ('地理',
        'geography'), ('政治', 'politics'), ('道德与法治', 'politics'), ('道法', 'politics'), ('思想政治', 'politics'), ('科学', 'science')
    ) s ("spelled", "name") ON s."spelled" = c."subject"
    LEFT JOIN (VALUES
        ('g1', 'G1'), ('grade 1', 'G1'), ('grade1', 'G1'), ('1', 'G1'), ('1年级', 'G1'), ('一年级', 'G1'), ('小一', 'G1'), ('小学一年级',
        'G1'), ('g2', 'G2'), ('grade 2', 'G2'), ('grade2', 'G2'), ('2', 'G2'), ('2年级', 'G2'), ('二年级', 'G2'), ('小二', 'G2'),
        ('小学二年级', 'G2'), ('g3', 'G3'), ('grade 3', 'G3'), ('grade3', 'G3'), ('3', 'G3'), ('3年级', 'G3'), ('三年级', 'G3'), ('小三',
        'G3'), ('小学三年级', 'G3'), ('g4', 'G4'), ('grade 4', 'G4'), ('grade4', 'G4'), ('4', 'G4'), ('4年级', 'G4'), ('四年级', 'G4'),
        ('小四', 'G4'), ('小学四年级', 'G4'), ('g5', 'G5'), ('grade 5', 'G5'), ('grade5', 'G5'), ('5', 'G5'), ('5年级', 'G5'), ('五年级',
        'G5'), ('小五', 'G5'), ('小学五年级', 'G5'), ('g6', 'G6'), ('grade 6', 'G6'), ('grade6', 'G6'), ('6', 'G6'), ('6年级', 'G6'),
        ('六年级', 'G6'), ('小六', 'G6'), ('小学六年级', 'G6'), ('g7', 'G7'), ('grade 7', 'G7'), ('grade7', 'G7'), ('7', 'G7'), ('7年级',
        'G7'), ('七年级', 'G7'), ('初一', 'G7'), ('初中一年级', 'G7'), ('g8', 'G8'), ('grade 8', 'G8'), ('grade8', 'G8'), ('8', 'G8'),
        ('8年级', 'G8'), ('八年级', 'G8'), ('初二', 'G8'), ('初中二年级', 'G8'), ('g9', 'G9'), ('grade 9', 'G9'), ('grade9', 'G9'), ('9',
        'G9'), ('9年级', 'G9'), ('九年级', 'G9'), ('初三', 'G9'), ('初中三年级', 'G9'), ('g10', 'G10'), ('grade 10', 'G10'), ('grade10',
        'G10'), ('10', 'G10'), ('10年级', 'G10'), ('高一', 'G10'), ('高中一年级', 'G10'), ('十年级', 'G10'), ('g11', 'G11'), ('grade 11',
        'G11'), ('grade11', 'G11'), ('11', 'G11'), ('11年级', 'G11'), ('高二', 'G11'), ('高中二年级', 'G11'), ('十一年级', 'G11'), ('g12',
        'G12'), ('grade 12', 'G12'), ('grade12', 'G12'), ('12', 'G12'), ('12年级', 'G12'), ('高三', 'G12'), ('高中三年级', 'G12'),
        ('十二年级', 'G12')
    ) g ("spelled", "name") ON g."spelled" = c."grade";
INSERT INTO "respelled_card" SELECT c."tenant_id", c."id" FROM "card" c
    JOIN "school_name" n ON n."tenant_id" = c."tenant_id" AND n."id" = c."id"
    WHERE (c."subject", c."grade") IS DISTINCT FROM (n."subject", n."grade") ON CONFLICT DO NOTHING;
UPDATE "card" c SET "subject" = n."subject", "grade" = n."grade", "revision" = "revision" + 1, "updated_at" = now()
    FROM "school_name" n JOIN "respelled_card" r ON r."tenant_id" = n."tenant_id" AND r."card_id" = n."id"
    WHERE c."tenant_id" = n."tenant_id" AND c."id" = n."id";
INSERT INTO "index_dirty" AS d ("tenant_id", "card_id", "bulk")
    SELECT "tenant_id", "card_id", true FROM "respelled_card" ORDER BY "tenant_id", "card_id"
    ON CONFLICT ("tenant_id", "card_id") DO UPDATE
    SET "seq" = d."seq" + 1, "attempts" = 0, "next_at" = now(), "error" = NULL, "dead" = false;
