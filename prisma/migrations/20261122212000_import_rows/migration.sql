-- What became of each row of a request: [outcome, card id] in order; null for files, and for imports of earlier versions.
ALTER TABLE "import_job" ADD COLUMN "row_outcomes" JSONB;
