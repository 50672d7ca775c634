-- What search should answer, how it is set, how it did, and what it was asked.

CREATE TABLE "golden_set" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "description" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "golden_set_pkey" PRIMARY KEY ("tenant_id", "name"),
    CONSTRAINT "golden_set_name_check" CHECK ("name" <> '')
);

-- No foreign key to card: a case outlives the cards that it speaks of, and an evaluation says which ones are gone.
CREATE TABLE "golden_case" (
    "tenant_id" TEXT NOT NULL,
    "set_name" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    -- The order of the cases in their set.
    "number" BIGSERIAL NOT NULL,
    "operation" TEXT NOT NULL,
    "query_text" TEXT,
    "query_card_id" TEXT,
    "filter" JSONB NOT NULL,
    "perspective" TEXT,
    "reason" TEXT,
    -- Made by judging hits: it goes with its last judgement.
    "judged" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "golden_case_pkey" PRIMARY KEY ("tenant_id", "set_name", "id"),
    CONSTRAINT "golden_case_subject_check" CHECK (("query_text" IS NULL) <> ("query_card_id" IS NULL)),
    CONSTRAINT "golden_case_operation_check" CHECK (
        "operation" IN ('similarQuestions', 'bySolution', 'byConcept', 'byError', 'hybridSearch')
    ),
    CONSTRAINT "golden_case_perspective_check" CHECK (
        "perspective" IN ('question', 'solution', 'concept', 'error')
    ),
    CONSTRAINT "golden_case_tenant_id_set_name_fkey" FOREIGN KEY ("tenant_id", "set_name")
        REFERENCES "golden_set" ("tenant_id", "name") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "golden_case_tenant_id_set_name_number_key" ON "golden_case" ("tenant_id", "set_name", "number");

-- What was said of a card last counts; undoing it lets the one before it count again.
CREATE TABLE "golden_judgement" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "set_name" TEXT COLLATE "C" NOT NULL,
    "case_id" TEXT COLLATE "C" NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "grade" INTEGER NOT NULL,
    -- As a person said it of a hit; null where it was written into the case.
    "relevance" TEXT,
    "reason" TEXT,
    "judged_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "golden_judgement_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "golden_judgement_grade_check" CHECK ("grade" BETWEEN 0 AND 10),
    CONSTRAINT "golden_judgement_relevance_check" CHECK (
        "relevance" IN ('SAME_MISTAKE', 'RELATED', 'NOT_THE_SAME', 'WRONG_LABEL')
    ),
    CONSTRAINT "golden_judgement_tenant_id_set_name_case_id_fkey" FOREIGN KEY ("tenant_id", "set_name", "case_id")
        REFERENCES "golden_case" ("tenant_id", "set_name", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "golden_judgement_tenant_id_set_name_case_id_card_id_id_idx"
    ON "golden_judgement" ("tenant_id", "set_name", "case_id", "card_id", "id");

CREATE TABLE "search_profile" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "description" TEXT,
    "settings" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "search_profile_pkey" PRIMARY KEY ("tenant_id", "name"),
    CONSTRAINT "search_profile_name_check" CHECK ("name" <> '')
);

-- A job and what came of it. One that nobody has heard of for a minute has died with its gateway.
CREATE TABLE "evaluation" (
    "tenant_id" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "set_name" TEXT NOT NULL,
    "profile_name" TEXT NOT NULL,
    "against_name" TEXT,
    "k" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'RUNNING',
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL,
    "report" JSONB,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "evaluation_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "evaluation_state_check" CHECK ("state" IN ('RUNNING', 'DONE', 'FAILED')),
    CONSTRAINT "evaluation_report_check" CHECK (("state" = 'DONE') = ("report" IS NOT NULL))
);
CREATE INDEX "evaluation_tenant_id_created_at_idx" ON "evaluation" ("tenant_id", "created_at" DESC);

-- Written where the operator has turned it on; query_text only where that was allowed as well.
CREATE TABLE "search_log" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "operation" TEXT NOT NULL,
    "query_hash" BYTEA NOT NULL,
    "query_text" TEXT,
    -- Null where the search ended without an answer.
    "filter_plan" TEXT,
    "lanes" TEXT[] NOT NULL,
    "hit_ids" TEXT[] NOT NULL,
    "degraded" TEXT[] NOT NULL,
    -- The code of the error that it ended with.
    "error" TEXT,
    "took_ms" DOUBLE PRECISION NOT NULL,
    -- [{stage, tookMs}], in the order of the stages.
    "stages" JSONB NOT NULL,

    CONSTRAINT "search_log_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "search_log_query_hash_check" CHECK (octet_length("query_hash") = 16),
    CONSTRAINT "search_log_took_ms_check" CHECK ("took_ms" >= 0),
    CONSTRAINT "search_log_filter_plan_check" CHECK ("filter_plan" IN ('none', 'exact', 'overfetch')),
    CONSTRAINT "search_log_error_check" CHECK (("error" IS NULL) = ("filter_plan" IS NOT NULL))
);
CREATE INDEX "search_log_tenant_id_at_idx" ON "search_log" ("tenant_id", "at");
