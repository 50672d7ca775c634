-- What the holder of a key may see. A key that was made before this knew no role: it gets the least.
ALTER TABLE "api_key" ADD COLUMN "role" TEXT NOT NULL DEFAULT 'student';
ALTER TABLE "api_key" ALTER COLUMN "role" DROP DEFAULT;
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_role_check" CHECK ("role" IN ('student', 'teacher', 'admin'));
