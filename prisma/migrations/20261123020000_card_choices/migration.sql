-- The choices of a multiple-choice question, in order; empty for other questions.
ALTER TABLE "card" ADD COLUMN "choices" TEXT[] NOT NULL DEFAULT '{}';
