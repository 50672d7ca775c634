-- What is older than SEARCH_LOG_DAYS is deleted, of all tenants: found by its age, without reading the log.
CREATE INDEX "search_log_at_idx" ON "search_log" ("at");
