-- A second wall between viewers: what is read or changed on behalf of a viewer runs as the role errata_viewer, which sees of
-- each table what these policies say, whatever the statement says. The owner of the tables, as which the gateway keeps the
-- index, is not held by them.

-- Roles are the server's, not the database's: another installation on it may have made this one already.
DO $$
DECLARE may BOOLEAN;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'errata_viewer') THEN
        BEGIN
            CREATE ROLE errata_viewer NOLOGIN;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'this user may not make roles: let an administrator run "CREATE ROLE errata_viewer NOLOGIN; GRANT errata_viewer TO %"', current_user;
        END;
    END IF;
    -- From version 16 on a role that made another may not act as it unless it says so.
    IF current_setting('server_version_num')::int >= 160000 THEN
        may := pg_has_role(current_user, 'errata_viewer', 'SET');
    ELSE
        may := pg_has_role(current_user, 'errata_viewer', 'MEMBER');
    END IF;
    IF NOT may THEN
        EXECUTE format('GRANT errata_viewer TO %I', current_user);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO errata_viewer', current_schema());
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON "card" TO errata_viewer;
GRANT SELECT, INSERT, DELETE ON "card_topic_tag", "card_error_type" TO errata_viewer;
GRANT SELECT, INSERT, UPDATE ON "card_occurrence", "topic_tag", "error_type", "index_dirty" TO errata_viewer;
GRANT SELECT ON "index_generation", "card_index" TO errata_viewer;
GRANT USAGE ON SEQUENCE "topic_tag_id_seq", "error_type_id_seq" TO errata_viewer;

ALTER TABLE "card" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "card_topic_tag" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "card_error_type" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "card_occurrence" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "topic_tag" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "error_type" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "index_dirty" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "index_generation" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "card_index" ENABLE ROW LEVEL SECURITY;

-- Each setting in a SELECT of its own is read once a statement, not once a row.
-- A student sees their own cards, teachers and admins see the tenant's; students and teachers change their own, admins all.
CREATE POLICY "card_seen" ON "card" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "card_made" ON "card" FOR INSERT TO errata_viewer WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "card_changed" ON "card" FOR UPDATE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "card_deleted" ON "card" FOR DELETE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);

-- What stands beside a card is read with the tenant's, and changed with the card. Which wrong answers there were is the card's own.
CREATE POLICY "card_topic_tag_seen" ON "card_topic_tag" FOR SELECT TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
CREATE POLICY "card_topic_tag_made" ON "card_topic_tag" FOR INSERT TO errata_viewer WITH CHECK (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_topic_tag"."tenant_id" AND c."id" = "card_topic_tag"."card_id"
    AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
));
CREATE POLICY "card_topic_tag_deleted" ON "card_topic_tag" FOR DELETE TO errata_viewer USING (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_topic_tag"."tenant_id" AND c."id" = "card_topic_tag"."card_id"
    AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
));
CREATE POLICY "card_error_type_seen" ON "card_error_type" FOR SELECT TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
CREATE POLICY "card_error_type_made" ON "card_error_type" FOR INSERT TO errata_viewer WITH CHECK (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_error_type"."tenant_id" AND c."id" = "card_error_type"."card_id"
    AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
));
CREATE POLICY "card_error_type_deleted" ON "card_error_type" FOR DELETE TO errata_viewer USING (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_error_type"."tenant_id" AND c."id" = "card_error_type"."card_id"
    AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
));
CREATE POLICY "card_occurrence_seen" ON "card_occurrence" FOR SELECT TO errata_viewer USING (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_occurrence"."tenant_id" AND c."id" = "card_occurrence"."card_id"
));
CREATE POLICY "card_occurrence_made" ON "card_occurrence" FOR INSERT TO errata_viewer WITH CHECK (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_occurrence"."tenant_id" AND c."id" = "card_occurrence"."card_id"
    AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
));
CREATE POLICY "card_occurrence_changed" ON "card_occurrence" FOR UPDATE TO errata_viewer USING (EXISTS (
    SELECT FROM "card" c WHERE c."tenant_id" = "card_occurrence"."tenant_id" AND c."id" = "card_occurrence"."card_id"
    AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
));

CREATE POLICY "topic_tag_of_tenant" ON "topic_tag" TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
CREATE POLICY "error_type_of_tenant" ON "error_type" TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
CREATE POLICY "index_dirty_of_tenant" ON "index_dirty" TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
CREATE POLICY "index_generation_of_tenant" ON "index_generation" TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
CREATE POLICY "card_index_of_tenant" ON "card_index" TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
