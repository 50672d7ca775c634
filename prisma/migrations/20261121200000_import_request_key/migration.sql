-- A key that comes with other rows or options is another import: what tells them apart. Files have a digest for a key already.
ALTER TABLE "import_job" ADD COLUMN "body_sha256" BYTEA;
ALTER TABLE "import_job" ADD CONSTRAINT "import_job_body_sha256_check" CHECK (octet_length("body_sha256") = 32);

-- The rows of one request are stored once for its key, also where two gateways hear of it. Of those that were stored twice before
-- the last one keeps the key: it is what was answered.
UPDATE "import_job" j SET "key" = j."key" || ' ' || j."id" WHERE j."format" = 'rows' AND j."state" = 'DONE' AND EXISTS (
    SELECT FROM "import_job" k WHERE k."tenant_id" = j."tenant_id" AND k."owner_id" = j."owner_id" AND k."key" = j."key"
    AND k."format" = 'rows' AND k."state" IN ('CHECKING', 'RUNNING', 'DONE')
    AND (k."created_at", k."id") > (j."created_at", j."id")
);
CREATE UNIQUE INDEX "import_job_rows_once_key" ON "import_job" ("tenant_id", "owner_id", "key")
    WHERE "format" = 'rows' AND "state" IN ('CHECKING', 'RUNNING', 'DONE');
