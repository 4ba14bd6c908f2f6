-- A month's rows are alike, and whoever books finds theirs by key whatever the statistics say. These are taken anew when a
-- month has doubled, in place of with each tenth that it has grown by: where a young month grows quickly, that was a
-- twelfth of all that the database did (docs/performance.md).
create function analyze_doubled(month regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s set (autovacuum_analyze_scale_factor = 1)', month);
end
$$;

create or replace function guard_month(records text, entries text) returns void language plpgsql as $$
begin
  execute format('alter table %I add primary key (workspace_id, id)', records);
  execute format('alter table %I add primary key (workspace_id, number)', entries);
  execute format('alter table %I add unique (workspace_id, idempotency_key)', entries);
  perform forbid_change(records), forbid_change(entries);
  perform analyze_doubled(quote_ident(records)::regclass), analyze_doubled(quote_ident(entries)::regclass);
end
$$;

-- Nobody who reads or books waits behind this lock, but it waits for an autovacuum, which makes way after a second.
do $$
declare
  usual text := current_setting('lock_timeout');
begin
  perform set_config('lock_timeout', '5s', true);
  perform analyze_doubled(inhrelid) from pg_inherits where inhparent in ('generations'::regclass, 'ledger'::regclass);
  perform set_config('lock_timeout', usual, true);
end
$$;
