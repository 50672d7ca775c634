-- Card ids are compared byte by byte (COLLATE "C"): every server orders pages alike, whatever its locale.

CREATE TABLE "card" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "grade" TEXT,
    "difficulty" INTEGER NOT NULL,
    "question_text" TEXT NOT NULL,
    "student_solution_text" TEXT,
    "gold_solution_brief" TEXT,
    "quality_grade" TEXT,
    "source" TEXT,
    "notes" TEXT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "card_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "card_tenant_id_check" CHECK ("tenant_id" <> ''),
    CONSTRAINT "card_id_check" CHECK ("id" ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$'),
    CONSTRAINT "card_owner_id_check" CHECK ("owner_id" <> ''),
    CONSTRAINT "card_difficulty_check" CHECK ("difficulty" BETWEEN 1 AND 5),
    CONSTRAINT "card_revision_check" CHECK ("revision" >= 1),
    CONSTRAINT "card_quality_grade_check" CHECK ("quality_grade" IN ('EXCELLENT', 'GOOD', 'FAIR')),
    -- An absent text is null, never ''.
    CONSTRAINT "card_texts_check" CHECK (
        "subject" <> '' AND "grade" <> '' AND "question_text" <> '' AND "student_solution_text" <> ''
        AND "gold_solution_brief" <> '' AND "source" <> '' AND "notes" <> ''
    )
);

-- The order of pages: newest first, for a tenant and for one owner.
CREATE INDEX "card_tenant_id_created_at_id_idx" ON "card" ("tenant_id", "created_at" DESC, "id" DESC);
CREATE INDEX "card_tenant_id_owner_id_created_at_id_idx" ON "card" ("tenant_id", "owner_id", "created_at" DESC, "id" DESC);
-- One index a filter.
CREATE INDEX "card_tenant_id_grade_idx" ON "card" ("tenant_id", "grade");
CREATE INDEX "card_tenant_id_subject_idx" ON "card" ("tenant_id", "subject");
CREATE INDEX "card_tenant_id_difficulty_idx" ON "card" ("tenant_id", "difficulty");
CREATE INDEX "card_tenant_id_quality_grade_idx" ON "card" ("tenant_id", "quality_grade");
CREATE INDEX "card_tenant_id_occurred_at_idx" ON "card" ("tenant_id", "occurred_at");

CREATE TABLE "topic_tag" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "topic_tag_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "topic_tag_name_check" CHECK ("name" <> '')
);
CREATE UNIQUE INDEX "topic_tag_tenant_id_name_key" ON "topic_tag" ("tenant_id", "name");

CREATE TABLE "error_type" (
    "tenant_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "error_type_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "error_type_name_check" CHECK ("name" <> '')
);
CREATE UNIQUE INDEX "error_type_tenant_id_name_key" ON "error_type" ("tenant_id", "name");

-- The primary keys serve the filters (label first), the unique indexes the cards' own lists (in order).
CREATE TABLE "card_topic_tag" (
    "tenant_id" TEXT NOT NULL,
    "topic_tag_id" BIGINT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "card_topic_tag_pkey" PRIMARY KEY ("tenant_id", "topic_tag_id", "card_id"),
    CONSTRAINT "card_topic_tag_position_check" CHECK ("position" >= 1),
    CONSTRAINT "card_topic_tag_tenant_id_card_id_fkey" FOREIGN KEY ("tenant_id", "card_id")
        REFERENCES "card" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT "card_topic_tag_tenant_id_topic_tag_id_fkey" FOREIGN KEY ("tenant_id", "topic_tag_id")
        REFERENCES "topic_tag" ("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT
);
CREATE UNIQUE INDEX "card_topic_tag_tenant_id_card_id_position_key" ON "card_topic_tag" ("tenant_id", "card_id", "position");

CREATE TABLE "card_error_type" (
    "tenant_id" TEXT NOT NULL,
    "error_type_id" BIGINT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "card_error_type_pkey" PRIMARY KEY ("tenant_id", "error_type_id", "card_id"),
    CONSTRAINT "card_error_type_position_check" CHECK ("position" >= 1),
    CONSTRAINT "card_error_type_tenant_id_card_id_fkey" FOREIGN KEY ("tenant_id", "card_id")
        REFERENCES "card" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT "card_error_type_tenant_id_error_type_id_fkey" FOREIGN KEY ("tenant_id", "error_type_id")
        REFERENCES "error_type" ("tenant_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT
);
CREATE UNIQUE INDEX "card_error_type_tenant_id_card_id_position_key" ON "card_error_type" ("tenant_id", "card_id", "position");

CREATE TABLE "card_occurrence" (
    "tenant_id" TEXT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "wrong_solution" TEXT,
    "error_types" TEXT[] NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "card_occurrence_pkey" PRIMARY KEY ("tenant_id", "card_id", "number"),
    CONSTRAINT "card_occurrence_number_check" CHECK ("number" >= 1),
    CONSTRAINT "card_occurrence_tenant_id_card_id_fkey" FOREIGN KEY ("tenant_id", "card_id")
        REFERENCES "card" ("tenant_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT
);

-- The outbox has no foreign key: a row outlives its card, so that the index can forget a deleted one.
CREATE TABLE "index_dirty" (
    "tenant_id" TEXT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "seq" BIGINT NOT NULL DEFAULT 1,
    "bulk" BOOLEAN NOT NULL DEFAULT false,
    "lease" TIMESTAMPTZ(3),
    "token" UUID,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "error" TEXT,
    "dead" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "index_dirty_pkey" PRIMARY KEY ("tenant_id", "card_id"),
    CONSTRAINT "index_dirty_claim_check" CHECK (("lease" IS NULL) = ("token" IS NULL)),
    CONSTRAINT "index_dirty_attempts_check" CHECK ("attempts" >= 0)
);
CREATE INDEX "index_dirty_due_idx" ON "index_dirty" ("bulk", "next_at") WHERE NOT "dead";

CREATE TABLE "index_generation" (
    "tenant_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "model_key" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "switched_at" TIMESTAMPTZ(3),

    CONSTRAINT "index_generation_pkey" PRIMARY KEY ("tenant_id", "number"),
    CONSTRAINT "index_generation_number_check" CHECK ("number" >= 1),
    CONSTRAINT "index_generation_state_check" CHECK ("state" IN ('BUILDING', 'LIVE', 'RETIRED', 'DROPPED'))
);
CREATE UNIQUE INDEX "index_generation_one_live_key" ON "index_generation" ("tenant_id") WHERE "state" = 'LIVE';
CREATE UNIQUE INDEX "index_generation_one_building_key" ON "index_generation" ("tenant_id") WHERE "state" = 'BUILDING';

-- No foreign key to card: the row tells which records of a deleted card the index still has to forget.
CREATE TABLE "card_index" (
    "tenant_id" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "revision" INTEGER NOT NULL,
    "indexed_at" TIMESTAMPTZ(3) NOT NULL,
    "question_hashes" TEXT[] NOT NULL,
    "solution_hashes" TEXT[] NOT NULL,
    "concept_hashes" TEXT[] NOT NULL,
    "error_hashes" TEXT[] NOT NULL,

    CONSTRAINT "card_index_pkey" PRIMARY KEY ("tenant_id", "generation", "card_id"),
    CONSTRAINT "card_index_revision_check" CHECK ("revision" >= 1),
    CONSTRAINT "card_index_tenant_id_generation_fkey" FOREIGN KEY ("tenant_id", "generation")
        REFERENCES "index_generation" ("tenant_id", "number") ON DELETE CASCADE ON UPDATE RESTRICT
);

CREATE TABLE "installation" (
    "only" BOOLEAN NOT NULL DEFAULT true,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("only"),
    CONSTRAINT "installation_only_check" CHECK ("only")
);
CREATE UNIQUE INDEX "installation_id_key" ON "installation" ("id");
INSERT INTO "installation" DEFAULT VALUES;

CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "secret_sha256" BYTEA NOT NULL,
    "scopes" TEXT[] NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_key_secret_sha256_check" CHECK (octet_length("secret_sha256") = 32)
);
CREATE INDEX "api_key_tenant_id_idx" ON "api_key" ("tenant_id");

CREATE TABLE "idempotency_key" (
    "tenant_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_sha256" BYTEA NOT NULL,
    "response" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("tenant_id", "key"),
    CONSTRAINT "idempotency_key_body_sha256_check" CHECK (octet_length("body_sha256") = 32)
);
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key" ("created_at");
