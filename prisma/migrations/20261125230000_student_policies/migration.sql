-- Rules that only the gateway's code enforced so far: students create labels, and change none; they read no log of searches; and
-- nobody writes to the change feed of the index but for a card that the same transaction deletes.

-- Label changes run with the role of an admin of the tenant. A label that a card brings has no aliases and no parent.
CREATE POLICY "topic_tag_made" ON "topic_tag" AS RESTRICTIVE FOR INSERT TO errata_viewer WITH CHECK (
    (SELECT current_setting('errata.role')) = 'admin'
    OR ("aliases" = '{}' AND "alias_keys" = '{}' AND "parent_id" IS NULL)
);
CREATE POLICY "error_type_made" ON "error_type" AS RESTRICTIVE FOR INSERT TO errata_viewer WITH CHECK (
    (SELECT current_setting('errata.role')) = 'admin'
    OR ("aliases" = '{}' AND "alias_keys" = '{}' AND "parent_id" IS NULL)
);

-- A trigger, not a policy: the insert of a label that another transaction has just inserted is an update without effect, which
-- students need, and a policy cannot compare a row with what it was.
CREATE FUNCTION "refuse_label_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'permission denied: only an admin may change a label';
END $$;
REVOKE EXECUTE ON FUNCTION "refuse_label_change"() FROM PUBLIC;
CREATE TRIGGER "topic_tag_changed" BEFORE UPDATE ON "topic_tag" FOR EACH ROW
    WHEN (OLD.* IS DISTINCT FROM NEW.* AND current_user = 'errata_viewer'
        AND current_setting('errata.role', true) IS DISTINCT FROM 'admin')
    EXECUTE FUNCTION "refuse_label_change"();
CREATE TRIGGER "error_type_changed" BEFORE UPDATE ON "error_type" FOR EACH ROW
    WHEN (OLD.* IS DISTINCT FROM NEW.* AND current_user = 'errata_viewer'
        AND current_setting('errata.role', true) IS DISTINCT FROM 'admin')
    EXECUTE FUNCTION "refuse_label_change"();

-- Its rows have the texts of searches.
CREATE POLICY "search_log_of_staff" ON "search_log" AS RESTRICTIVE FOR SELECT TO errata_viewer
    USING ((SELECT current_setting('errata.role')) IN ('teacher', 'admin'));

-- The trigger "card_recorded" has written to card_change who deleted which card. A viewer sees there what they may see of cards.
CREATE POLICY "index_change_of_deletion" ON "index_change" AS RESTRICTIVE FOR INSERT TO errata_viewer WITH CHECK (EXISTS (
    SELECT FROM "card_change" c WHERE c."tenant_id" = "index_change"."tenant_id" AND c."card_id" = "index_change"."card_id"
    AND c."deleted" AND c."transaction" = pg_current_xact_id()::text::bigint
));
CREATE POLICY "index_change_of_repeated_deletion" ON "index_change" AS RESTRICTIVE FOR UPDATE TO errata_viewer USING (EXISTS (
    SELECT FROM "card_change" c WHERE c."tenant_id" = "index_change"."tenant_id" AND c."card_id" = "index_change"."card_id"
    AND c."deleted" AND c."transaction" = pg_current_xact_id()::text::bigint
));
