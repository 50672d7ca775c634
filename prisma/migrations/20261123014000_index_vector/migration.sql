-- Where the vectors of a generation are: in four collections of Chroma, or, of a small tenant, in "index_vector".
ALTER TABLE "index_generation" ADD COLUMN "in_chroma" BOOLEAN NOT NULL DEFAULT true;

-- The few that are not live: read after each batch of the indexer, of all tenants.
CREATE INDEX "index_generation_unsettled_idx" ON "index_generation" ("tenant_id", "number")
    WHERE "state" IN ('BUILDING', 'RETIRED');

CREATE TABLE "index_vector" (
    "tenant_id" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "perspective" TEXT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "passage" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "content_hash" TEXT NOT NULL,
    "vector" BYTEA NOT NULL,

    CONSTRAINT "index_vector_pkey" PRIMARY KEY ("tenant_id", "generation", "perspective", "card_id", "passage"),
    CONSTRAINT "index_vector_tenant_id_generation_fkey" FOREIGN KEY ("tenant_id", "generation")
        REFERENCES "index_generation" ("tenant_id", "number") ON DELETE CASCADE ON UPDATE RESTRICT
);

-- Read and written by the gateway itself; viewers have no right to it.
ALTER TABLE "index_vector" ENABLE ROW LEVEL SECURITY;
