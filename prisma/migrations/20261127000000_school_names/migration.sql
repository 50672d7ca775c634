-- Subjects and grades in traditional characters, with blanks or with a term are stored under the names that filters are read as
-- (src/domain/school-names.ts): 數學 becomes math, 七年級 and 七年级(上) become G7.

CREATE TEMP TABLE "school_name" ON COMMIT DROP AS
    SELECT c."tenant_id", c."id", coalesce(s."name", c."subject") AS "subject",
        CASE WHEN g."number" + g."before" BETWEEN 1 AND 12 THEN 'G' || (g."number" + g."before") ELSE c."grade" END AS "grade"
    FROM "card" c
    LEFT JOIN (VALUES
        ('数学', 'math'), ('奥数', 'math'), ('语文', 'chinese'), ('英语', 'english'), ('英文', 'english'), ('物理', 'physics'),
        ('化学', 'chemistry'), ('生物', 'biology'), ('生物学', 'biology'), ('历史', 'history'), ('地理', 'geography'),
        ('政治', 'politics'), ('道德与法治', 'politics'), ('道法', 'politics'), ('思想政治', 'politics'), ('科学', 'science')
    ) s ("spelled", "name") ON s."spelled" = translate(c."subject", '數學奧語歷曆與 ', '数学奥语历历与')
    LEFT JOIN LATERAL (
        SELECT m[1] AS "school", m[2] AS "said" FROM regexp_match(translate(c."grade", '級學冊', '级学册'),
            '^(小学|初中|高中|小|初|高)?\s*([0-9]{1,2}|十[一二]?|[一二三四五六七八九])\s*(?:年级)?\s*'
            '(?:(?:[上下](?:册|学期)?|第[一二12]学期|全(?:一?册|一)?)|\(\s*(?:[上下](?:册|学期)?|第[一二12]学期|全(?:一?册|一)?)\s*\))?$'
        ) m
    ) f ON true
    LEFT JOIN LATERAL (
        SELECT n."number", CASE WHEN n."number" > 6 THEN 0 WHEN f."school" LIKE '初%' THEN 6 WHEN f."school" LIKE '高%' THEN 9 ELSE 0 END
            AS "before"
        FROM (SELECT CASE
            WHEN f."said" ~ '^[0-9]' THEN f."said"::int
            WHEN f."said" = '十一' THEN 11
            WHEN f."said" = '十二' THEN 12
            ELSE strpos('一二三四五六七八九十', f."said") END AS "number") n
    ) g ON true;
DELETE FROM "school_name" n USING "card" c
    WHERE c."tenant_id" = n."tenant_id" AND c."id" = n."id" AND (c."subject", c."grade") IS NOT DISTINCT FROM (n."subject", n."grade");
UPDATE "card" c SET "subject" = n."subject", "grade" = n."grade", "revision" = "revision" + 1, "updated_at" = now()
    FROM "school_name" n WHERE c."tenant_id" = n."tenant_id" AND c."id" = n."id";
INSERT INTO "index_dirty" AS d ("tenant_id", "card_id", "bulk")
    SELECT "tenant_id", "id", true FROM "school_name" ORDER BY "tenant_id", "id"
    ON CONFLICT ("tenant_id", "card_id") DO UPDATE
    SET "seq" = d."seq" + 1, "attempts" = 0, "next_at" = now(), "error" = NULL, "dead" = false;
