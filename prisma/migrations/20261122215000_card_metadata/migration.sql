-- What an app stores with a card: [{"key": ..., "value": ...}, ...], by key.
ALTER TABLE "card" ADD COLUMN "metadata" JSONB NOT NULL DEFAULT '[]';
