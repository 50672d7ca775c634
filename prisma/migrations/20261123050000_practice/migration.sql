-- FSRS parameters fitted to the attempts of one student, and how they did on attempts that were held out.
CREATE TABLE "fitted_schedule" (
    "tenant_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "weights" DOUBLE PRECISION[] NOT NULL CHECK (cardinality("weights") = 21),
    "is_used" BOOLEAN NOT NULL,
    "reviews" INTEGER NOT NULL,
    "held_out_reviews" INTEGER NOT NULL,
    "default_log_loss" DOUBLE PRECISION NOT NULL,
    "log_loss" DOUBLE PRECISION NOT NULL,
    "fitted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),

    CONSTRAINT "fitted_schedule_pkey" PRIMARY KEY ("tenant_id", "owner_id"),
    -- Parameters that are no better than the defaults are never used.
    CONSTRAINT "fitted_schedule_better_check" CHECK (NOT "is_used" OR "log_loss" < "default_log_loss")
);

-- Gateways write it, and no viewer does.
GRANT SELECT ON "fitted_schedule" TO errata_viewer;
ALTER TABLE "fitted_schedule" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "fitted_schedule_seen" ON "fitted_schedule" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
