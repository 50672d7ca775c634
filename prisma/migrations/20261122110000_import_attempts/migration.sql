-- Attempts at an import that have not ended in order: its file took more than it may, or the gateway was killed meanwhile.
ALTER TABLE "import_job" ADD COLUMN "attempts" INTEGER NOT NULL DEFAULT 0;

-- An import can be cancelled: by its owner, who may change it anyway, and by admins, who may do nothing else to it.
ALTER TABLE "import_job" DROP CONSTRAINT "import_job_state_check";
ALTER TABLE "import_job" ADD CONSTRAINT "import_job_state_check"
    CHECK ("state" IN ('CHECKING', 'RUNNING', 'DONE', 'REFUSED', 'FAILED', 'CANCELLED'));
CREATE POLICY "import_job_cancelled" ON "import_job" FOR UPDATE TO errata_viewer USING (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) = 'admin' AND "state" IN ('CHECKING', 'RUNNING')
) WITH CHECK (
    "tenant_id" = (SELECT current_setting('errata.tenant_id'))
    AND (SELECT current_setting('errata.role')) = 'admin' AND "state" = 'CANCELLED'
);
