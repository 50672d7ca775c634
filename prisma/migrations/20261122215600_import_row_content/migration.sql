-- What a row that failed says, shortened, so that its owner recognises it.
ALTER TABLE "import_row_error" ADD COLUMN "content" TEXT;
