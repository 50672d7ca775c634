-- Attempts at cards: an append-only log of each student, and the review state that is derived from it.
CREATE TABLE "attempt" (
    "tenant_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "card_id" TEXT NOT NULL,
    "review_of" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "correct" BOOLEAN NOT NULL,
    "hints" INTEGER NOT NULL DEFAULT 0 CHECK ("hints" >= 0),
    "duration_ms" INTEGER CHECK ("duration_ms" >= 0),
    "changed_answer" BOOLEAN NOT NULL DEFAULT false,
    "answer" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "attempt_pkey" PRIMARY KEY ("tenant_id", "owner_id", "key"),
    CONSTRAINT "attempt_card_fkey" FOREIGN KEY ("tenant_id", "card_id") REFERENCES "card" ("tenant_id", "id")
        ON DELETE CASCADE ON UPDATE RESTRICT
);
CREATE INDEX "attempt_owner_at_idx" ON "attempt" ("tenant_id", "owner_id", "at");
CREATE INDEX "attempt_card_idx" ON "attempt" ("tenant_id", "card_id", "owner_id", "at");
CREATE INDEX "attempt_review_of_idx" ON "attempt" ("tenant_id", "review_of", "owner_id") WHERE "review_of" IS NOT NULL;

CREATE TABLE "card_review" (
    "tenant_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "card_id" TEXT NOT NULL,
    "due" TIMESTAMPTZ(3) NOT NULL,
    "stability" DOUBLE PRECISION NOT NULL,
    "difficulty" DOUBLE PRECISION NOT NULL,
    "scheduled_days" INTEGER NOT NULL,
    "learning_steps" INTEGER NOT NULL,
    "reps" INTEGER NOT NULL,
    "lapses" INTEGER NOT NULL,
    "state" TEXT NOT NULL CHECK ("state" IN ('NEW', 'LEARNING', 'REVIEW', 'RELEARNING')),
    "last_review" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "card_review_pkey" PRIMARY KEY ("tenant_id", "owner_id", "card_id"),
    CONSTRAINT "card_review_card_fkey" FOREIGN KEY ("tenant_id", "card_id") REFERENCES "card" ("tenant_id", "id")
        ON DELETE CASCADE ON UPDATE RESTRICT
);
CREATE INDEX "card_review_due_idx" ON "card_review" ("tenant_id", "owner_id", "due", "card_id");
CREATE INDEX "card_review_card_idx" ON "card_review" ("tenant_id", "card_id");

CREATE TABLE "practice_settings" (
    "tenant_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "desired_retention" DOUBLE PRECISION NOT NULL CHECK ("desired_retention" BETWEEN 0.7 AND 0.97),
    "daily_limit" INTEGER NOT NULL CHECK ("daily_limit" BETWEEN 1 AND 500),
    "new_per_day" INTEGER NOT NULL CHECK ("new_per_day" BETWEEN 0 AND 500),
    "time_zone" TEXT NOT NULL,
    CONSTRAINT "practice_settings_pkey" PRIMARY KEY ("tenant_id", "owner_id")
);

CREATE TABLE "student_group" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "owners" TEXT[] NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "student_group_pkey" PRIMARY KEY ("tenant_id", "name")
);

-- Nobody changes or deletes an attempt: it goes with its card.
GRANT SELECT, INSERT ON "attempt" TO errata_viewer;
GRANT SELECT, INSERT, DELETE ON "card_review" TO errata_viewer;
GRANT SELECT, INSERT, UPDATE ON "practice_settings" TO errata_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON "student_group" TO errata_viewer;

ALTER TABLE "attempt" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "card_review" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "practice_settings" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "student_group" ENABLE ROW LEVEL SECURITY;

-- Students see their own, teachers and admins the tenant's. Everybody records their own attempts, at cards that they may see;
-- admins also those of others.
CREATE POLICY "attempt_seen" ON "attempt" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "attempt_made" ON "attempt" FOR INSERT TO errata_viewer WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
    AND EXISTS (SELECT FROM "card" c WHERE c."tenant_id" = "attempt"."tenant_id" AND c."id" = "attempt"."card_id")
);

CREATE POLICY "card_review_seen" ON "card_review" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "card_review_made" ON "card_review" FOR INSERT TO errata_viewer WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "card_review_deleted" ON "card_review" FOR DELETE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) = 'admin' OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);

CREATE POLICY "practice_settings_seen" ON "practice_settings" FOR SELECT TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND ((SELECT current_setting('errata.role')) IN ('teacher', 'admin')
        OR "owner_id" = (SELECT current_setting('errata.owner_id')))
);
CREATE POLICY "practice_settings_made" ON "practice_settings" FOR INSERT TO errata_viewer WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND "owner_id" = (SELECT current_setting('errata.owner_id'))
);
CREATE POLICY "practice_settings_changed" ON "practice_settings" FOR UPDATE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND "owner_id" = (SELECT current_setting('errata.owner_id'))
);

CREATE POLICY "student_group_of_staff" ON "student_group" TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) IN ('teacher', 'admin')
);
