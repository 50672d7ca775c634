-- Which process has claimed a card: one that starts in the data directory of a killed one gives back its claims.
ALTER TABLE "index_dirty" ADD COLUMN "holder" TEXT;
