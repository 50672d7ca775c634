-- What doubles of a question are found by. Null until the gateway has computed it: only it knows how questions are compared.
ALTER TABLE "card" ADD COLUMN "question_key" TEXT, ADD COLUMN "question_bands" INTEGER[] NOT NULL DEFAULT '{}';
-- The same question of the same owner.
CREATE INDEX "card_tenant_id_owner_id_question_key_idx" ON "card" ("tenant_id", "owner_id", "question_key");
-- Questions that share a band may be nearly alike. Without fastupdate: a pending list would be read by every look-up of an import.
CREATE INDEX "card_question_bands_idx" ON "card" USING GIN ("question_bands") WITH (fastupdate = off);
CREATE INDEX "card_without_prints_idx" ON "card" ("tenant_id", "id") WHERE "question_key" IS NULL;

-- origin: which row of a file made the occurrence, so that the same row makes it once. merged_id: the id that the card or row
-- had that became this occurrence. merged: what that card or row said and this card does not.
ALTER TABLE "card_occurrence" ADD COLUMN "origin" TEXT, ADD COLUMN "merged_id" TEXT, ADD COLUMN "merged" JSONB;
CREATE UNIQUE INDEX "card_occurrence_tenant_id_origin_key" ON "card_occurrence" ("tenant_id", "origin");
CREATE INDEX "card_occurrence_merged_id_idx" ON "card_occurrence" ("tenant_id", "merged_id") WHERE "merged_id" IS NOT NULL;

CREATE TABLE "import_job" (
    "tenant_id" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "owner_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "options" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "problem" TEXT,
    "notices" TEXT[] NOT NULL,
    "total" INTEGER,
    "read" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "merged" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "import_job_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "import_job_format_check" CHECK ("format" IN ('xlsx', 'csv', 'json', 'jsonl', 'rows')),
    CONSTRAINT "import_job_state_check" CHECK ("state" IN ('CHECKING', 'RUNNING', 'DONE', 'REFUSED', 'FAILED')),
    CONSTRAINT "import_job_finished_check" CHECK (("finished_at" IS NULL) = ("state" IN ('CHECKING', 'RUNNING'))),
    -- Every row that was read has come to something.
    CONSTRAINT "import_job_read_check" CHECK ("read" = "created" + "updated" + "merged" + "skipped" + "failed")
);
-- The same file twice at once is one import.
CREATE UNIQUE INDEX "import_job_under_way_key" ON "import_job" ("tenant_id", "owner_id", "key")
    WHERE "state" IN ('CHECKING', 'RUNNING');
CREATE INDEX "import_job_tenant_id_owner_id_key_idx" ON "import_job" ("tenant_id", "owner_id", "key");

CREATE TABLE "import_row_error" (
    "tenant_id" TEXT NOT NULL,
    "job_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "failed" BOOLEAN NOT NULL,
    "sheet" TEXT,
    "row" INTEGER NOT NULL,
    "column_name" TEXT,
    "reason" TEXT NOT NULL,

    CONSTRAINT "import_row_error_pkey" PRIMARY KEY ("tenant_id", "job_id", "number"),
    CONSTRAINT "import_row_error_tenant_id_job_id_fkey" FOREIGN KEY ("tenant_id", "job_id")
        REFERENCES "import_job" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT
);
