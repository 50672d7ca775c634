-- Search settings are learned again: they may have a fusion, which is not learned any more, and were chosen with other scores of
-- the label lanes.

DELETE FROM "learned_profile";
