-- The attempts at a card that is merged into another one become attempts at that one. Who may change a card may move the attempts at
-- it that they see, to a card that they may change; of an attempt nothing else is ever changed.
GRANT UPDATE ("card_id", "review_of") ON "attempt" TO errata_viewer;
CREATE POLICY "attempt_moved" ON "attempt" FOR UPDATE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND EXISTS (
        SELECT FROM "card" c WHERE c."tenant_id" = "attempt"."tenant_id" AND c."id" IN ("attempt"."card_id", "attempt"."review_of")
        AND ((SELECT current_setting('errata.role')) = 'admin' OR c."owner_id" = (SELECT current_setting('errata.owner_id')))
    )
);

-- Teachers derive the review states of students at their own cards anew.
CREATE POLICY "card_review_made_of_own_card" ON "card_review" FOR INSERT TO errata_viewer WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) = 'teacher'
    AND EXISTS (
        SELECT FROM "card" c WHERE c."tenant_id" = "card_review"."tenant_id" AND c."id" = "card_review"."card_id"
        AND c."owner_id" = (SELECT current_setting('errata.owner_id'))
    )
);
CREATE POLICY "card_review_deleted_of_own_card" ON "card_review" FOR DELETE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) = 'teacher'
    AND EXISTS (
        SELECT FROM "card" c WHERE c."tenant_id" = "card_review"."tenant_id" AND c."id" = "card_review"."card_id"
        AND c."owner_id" = (SELECT current_setting('errata.owner_id'))
    )
);
