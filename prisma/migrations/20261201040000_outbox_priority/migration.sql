-- Imported cards are indexed before those of a rebuild. Which of the two a row of bulk work is was not recorded: all become those of a rebuild.
ALTER TABLE "index_dirty" RENAME COLUMN "bulk" TO "priority";
ALTER TABLE "index_dirty" ALTER COLUMN "priority" DROP DEFAULT,
    ALTER COLUMN "priority" TYPE SMALLINT USING CASE WHEN "priority" THEN 2 ELSE 0 END,
    ALTER COLUMN "priority" SET DEFAULT 0;
