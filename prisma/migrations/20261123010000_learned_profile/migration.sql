-- What each tenant's notebook has taught about the weights of search, shared by the gateways on the database.
CREATE TABLE "learned_profile" (
    "tenant_id" TEXT NOT NULL,
    "claimed_until" TIMESTAMPTZ(3),
    "model" TEXT,
    "labelled_cards" INTEGER,
    "learned_at" TIMESTAMPTZ(3),
    "operations" JSONB,

    CONSTRAINT "learned_profile_pkey" PRIMARY KEY ("tenant_id"),
    CONSTRAINT "learned_profile_complete_check" CHECK (
        num_nulls("model", "labelled_cards", "learned_at", "operations") IN (0, 4)
    )
);

-- It is learned from all cards of the tenant, for those who see all of them. Gateways write it, and no viewer does.
GRANT SELECT ON "learned_profile" TO errata_viewer;
ALTER TABLE "learned_profile" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "learned_profile_of_staff" ON "learned_profile" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) IN ('teacher', 'admin')
);
