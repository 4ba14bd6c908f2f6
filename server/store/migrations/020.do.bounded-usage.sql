-- A backend's usage beyond what the request could use is billed at that bound, and its record says so.
alter table generations drop constraint generations_usage_source_check;
-- Every row that stands has passed a stricter check: none need be read again, however many there are.
alter table generations add constraint generations_usage_source_check
  check (usage_source in ('backend', 'counted', 'bounded')) not valid;
