-- The second wall between viewers stands around what is not a card, too: imports, golden sets, evaluations, search profiles and
-- the log of searches. As before, the owner of the tables is not held: the gateway itself goes on with imports that it was killed
-- at, and notes what was searched for.

GRANT SELECT, INSERT, UPDATE ON "import_job" TO errata_viewer;
GRANT SELECT, INSERT ON "import_row_error" TO errata_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON "golden_set", "golden_case", "search_profile", "evaluation" TO errata_viewer;
GRANT SELECT, INSERT, DELETE ON "golden_judgement" TO errata_viewer;
GRANT SELECT ON "search_log" TO errata_viewer;
GRANT USAGE ON SEQUENCE "golden_case_number_seq", "golden_judgement_id_seq" TO errata_viewer;

ALTER TABLE "import_job" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "import_row_error" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "golden_set" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "golden_case" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "golden_judgement" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "search_profile" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "evaluation" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "search_log" ENABLE ROW LEVEL SECURITY;

-- An import is seen as cards are, and is its owner's alone to change.
CREATE POLICY "import_job_seen" ON "import_job" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "import_job_made" ON "import_job" FOR INSERT TO errata_viewer WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND "owner_id" = (SELECT current_setting('errata.owner_id'))
);
CREATE POLICY "import_job_changed" ON "import_job" FOR UPDATE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND "owner_id" = (SELECT current_setting('errata.owner_id'))
);
CREATE POLICY "import_row_error_seen" ON "import_row_error" FOR SELECT TO errata_viewer USING (EXISTS (
    SELECT FROM "import_job" j WHERE j."tenant_id" = "import_row_error"."tenant_id" AND j."id" = "import_row_error"."job_id"
));
CREATE POLICY "import_row_error_made" ON "import_row_error" FOR INSERT TO errata_viewer WITH CHECK (EXISTS (
    SELECT FROM "import_job" j WHERE j."tenant_id" = "import_row_error"."tenant_id" AND j."id" = "import_row_error"."job_id"
    AND j."owner_id" = (SELECT current_setting('errata.owner_id'))
));

-- What the school measures its search by is its teachers' and administrators'.
CREATE POLICY "golden_set_of_staff" ON "golden_set" TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) IN ('teacher', 'admin')
);
CREATE POLICY "golden_case_of_staff" ON "golden_case" TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) IN ('teacher', 'admin')
);
CREATE POLICY "golden_judgement_of_staff" ON "golden_judgement" TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) IN ('teacher', 'admin')
);
CREATE POLICY "evaluation_of_staff" ON "evaluation" TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) IN ('teacher', 'admin')
);

-- Everybody in the tenant searches by its profiles.
CREATE POLICY "search_profile_seen" ON "search_profile" FOR SELECT TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
CREATE POLICY "search_profile_of_staff" ON "search_profile" TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) IN ('teacher', 'admin')
);

-- How many searches there were, and how long they took, is counted for everybody in the tenant.
CREATE POLICY "search_log_of_tenant" ON "search_log" FOR SELECT TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
