-- A request's key is its sender's own: another's is neither found nor in the way. No version before this one wrote a row.
ALTER TABLE "idempotency_key" ADD COLUMN "owner_id" TEXT NOT NULL;
ALTER TABLE "idempotency_key" DROP CONSTRAINT "idempotency_key_pkey";
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("tenant_id", "owner_id", "key");

GRANT SELECT, INSERT, UPDATE, DELETE ON "idempotency_key" TO errata_viewer;
ALTER TABLE "idempotency_key" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "idempotency_key_of_owner" ON "idempotency_key" TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND "owner_id" = (SELECT current_setting('errata.owner_id'))
);
