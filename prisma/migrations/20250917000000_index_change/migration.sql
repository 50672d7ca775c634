-- Which cards' index has changed, and in which transaction, so that every gateway can follow what the others have indexed. One
-- row a card: a card that changes again moves to its newest transaction.
CREATE TABLE "index_change" (
    "tenant_id" TEXT NOT NULL,
    "card_id" TEXT COLLATE "C" NOT NULL,
    "transaction" BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_revision" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "index_change_pkey" PRIMARY KEY ("tenant_id", "card_id")
);
CREATE INDEX "index_change_transaction_idx" ON "index_change"("transaction");

-- Whoever deletes a card leaves its revision behind, and whoever creates one with the same id goes on from there.
GRANT SELECT, INSERT, UPDATE ON "index_change" TO errata_viewer;
ALTER TABLE "index_change" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "index_change_of_tenant" ON "index_change" TO errata_viewer
    USING ("tenant_id" = (SELECT current_setting('errata.tenant_id')));
