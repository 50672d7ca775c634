-- Subjects and grades as schools in Hong Kong and Taiwan write them are stored under the names that filters are read as
-- (src/domain/school-names.ts): 中國語文 becomes chinese, 數學科 becomes math, 中四 and Form 4 become G10.

CREATE TEMP TABLE "school_name" ON COMMIT DROP AS
    SELECT c."tenant_id", c."id", coalesce(s."name", c."subject") AS "subject",
        CASE WHEN g."number" + g."before" BETWEEN 1 AND 12 THEN 'G' || (g."number" + g."before") ELSE c."grade" END AS "grade"
    FROM "card" c
    LEFT JOIN (VALUES
        ('数学', 'math'), ('奥数', 'math'), ('math', 'math'), ('maths', 'math'), ('mathematics', 'math'),
        ('语文', 'chinese'), ('中文', 'chinese'), ('中国语文', 'chinese'), ('chinese', 'chinese'),
        ('英语', 'english'), ('英文', 'english'), ('英国语文', 'english'), ('english', 'english'),
        ('物理', 'physics'), ('physics', 'physics'), ('化学', 'chemistry'), ('chemistry', 'chemistry'),
        ('生物', 'biology'), ('生物学', 'biology'), ('biology', 'biology'), ('历史', 'history'), ('history', 'history'),
        ('地理', 'geography'), ('geography', 'geography'),
        ('政治', 'politics'), ('道德与法治', 'politics'), ('道法', 'politics'), ('思想政治', 'politics'), ('politics', 'politics'),
        ('科学', 'science'), ('science', 'science')
    ) s ("spelled", "name") ON s."spelled" = regexp_replace(translate(c."subject", '數學奧語歷曆與國 ', '数学奥语历历与国'), '科$', '')
    LEFT JOIN LATERAL (
        SELECT coalesce(m[1], m[3], m[5]) AS "school", coalesce(m[2], m[4], m[6]) AS "said"
        FROM regexp_match(translate(c."grade", '級學冊國', '级学册国'),
            '^(?:(国小|国中|中学|国)\s*([0-9]{1,2}|十[一二]?|[一二三四五六七八九])\s*(?:年级)?'
            '|([小中])\s*([1-6一二三四五六])\s*级?'
            '|(primary|p|form|f|secondary|sec)\s*\.?\s*([1-6])$)'
            '\s*(?:(?:[上下](?:册|学期)?|第[一二12]学期|全(?:一?册|一)?)|\(\s*(?:[上下](?:册|学期)?|第[一二12]学期|全(?:一?册|一)?)\s*\))?$'
        ) m
    ) f ON true
    LEFT JOIN LATERAL (
        SELECT n."number", CASE WHEN n."number" > 6 OR f."school" IN ('国小', '小', 'primary', 'p') THEN 0 ELSE 6 END AS "before"
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
