-- Numbers of judgements come from one sequence: they would tell each school how much the others judge. Clients get a random key instead.
-- Earlier judgements have none: clients know their numbers.
ALTER TABLE "golden_judgement" ADD COLUMN "key" UUID;
ALTER TABLE "golden_judgement" ALTER COLUMN "key" SET DEFAULT gen_random_uuid();
CREATE UNIQUE INDEX "golden_judgement_tenant_id_key_key" ON "golden_judgement" ("tenant_id", "key");
