-- Records and ledger in months (UTC), by when they were booked. A month that is over can be exported, taken out of the
-- tables and dropped (server/retention/); what has to stay so that the books can still be checked is carried forward.
--
-- What stands already becomes the first month, as it is, with its indexes: it is read twice, for its newest row and for
-- the bounds of the month, and nothing is rewritten. Neither admission nor settlement goes on meanwhile.

-- When a workspace's last row was booked. First of all, so that whatever is being booked ends before the tables change.
alter table workspaces add column last_entry_at timestamptz;

-- Every month that was ever begun, the oldest first.
create table book_months (
  -- 2026-11; the first one holds all that is older, too.
  month text collate "C" primary key check (month ~ '^\d{4}-\d{2}$'),
  begins_at timestamptz not null unique,
  ends_at timestamptz not null unique check (ends_at > begins_at),
  -- Of the last export: what it holds, and the SHA-256 of its manifest. A month that has changed since has another one.
  exported_at timestamptz,
  manifest_sha256 text collate "C" check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
  ledger_rows bigint,
  generations bigint,
  corrections bigint,
  amount_micros numeric,
  detached_at timestamptz,
  dropped_at timestamptz,
  check ((exported_at is null) = (manifest_sha256 is null)),
  check (
    manifest_sha256 is null
    or (ledger_rows is not null and generations is not null and corrections is not null and amount_micros is not null)
  ),
  check (detached_at is null or exported_at is not null),
  check (dropped_at is null or detached_at is not null)
);

-- Where each workspace's ledger stood at the end of the last month that was detached.
create table carried_balances (
  workspace_id text collate "C" primary key,
  number bigint not null check (number > 0),
  balance_micros bigint not null
);

-- The part of usage_totals whose records were detached.
create table carried_usage (like usage_totals including all);

-- Ledger rows of detached months that are no generation's: their idempotency keys are good for ever.
create table carried_entries (
  like ledger including constraints,
  primary key (workspace_id, idempotency_key)
);

create trigger append_only before update or delete or truncate on carried_entries
  for each statement execute function refuse_change();
alter table carried_entries enable always trigger append_only;

-- The month of a time as its tables are called.
create function month_suffix(ends_at timestamptz) returns text language sql immutable parallel safe
return to_char((ends_at - interval '1 day') at time zone 'UTC', 'YYYY_MM');

create function next_month(beginning timestamptz) returns timestamptz language sql immutable parallel safe
return (date_trunc('month', beginning at time zone 'UTC') + interval '1 month') at time zone 'UTC';

-- What every month's tables have and a partitioned one cannot: keys without the time. Between months the hold and the
-- workspace's lock keep them unique, as ledger verify proves.
create function guard_month(records text, entries text) returns void language plpgsql as $$
begin
  execute format('alter table %I add primary key (workspace_id, id)', records);
  execute format('alter table %I add primary key (workspace_id, number)', entries);
  execute format('alter table %I add unique (workspace_id, idempotency_key)', entries);
  perform forbid_change(records), forbid_change(entries);
end
$$;

-- A trigger of the partitioned table does not fire for what names a partition.
create function forbid_change(name text) returns void language plpgsql as $$
begin
  execute format(
    'create trigger append_only before update or delete or truncate on %I for each statement execute function refuse_change()',
    name
  );
  execute format('alter table %I enable always trigger append_only', name);
end
$$;

do $$
declare
  newest timestamptz := (
    select greatest(clock_timestamp(), (select max(settled_at) from generations), (select max(created_at) from ledger))
  );
  ends_at timestamptz := next_month(newest);
  records text := 'generations_' || month_suffix(ends_at);
  entries text := 'ledger_' || month_suffix(ends_at);
  index record;
begin
  execute format('alter table generations rename to %I', records);
  execute format('alter table ledger rename to %I', entries);
  for index in
    select indexname as name, tablename from pg_indexes where schemaname = current_schema() and tablename in (records, entries)
  loop
    execute format(
      'alter index %I rename to %I', index.name,
      case index.tablename when records then regexp_replace(index.name, '^generations', records)
        else regexp_replace(index.name, '^ledger', entries) end
    );
  end loop;
  execute format('drop trigger add_to_usage on %I', records);

  execute format(
    'create table generations (like %I including defaults including constraints) partition by range (settled_at)', records
  );
  execute format(
    'create table ledger (like %I including defaults including constraints) partition by range (created_at)', entries
  );

  create index generations_time on generations (workspace_id, created_at);
  create index generations_model on generations (workspace_id, model, created_at);
  create index generations_key on generations (workspace_id, key_id, created_at);
  create index generations_aborted on generations (workspace_id, created_at) where status = 'aborted';
  create index generations_prompt on generations (workspace_id, prompt_tokens, created_at);
  create index generations_completion on generations (workspace_id, completion_tokens, created_at);
  create index generations_cost on generations (workspace_id, cost_micros, created_at);
  create index generations_speed on generations (
    workspace_id, speed(completion_tokens, latency_ms, time_to_first_token_ms), created_at
  );
  create index generations_first_token on generations (workspace_id, coalesce(time_to_first_token_ms, -1), created_at);
  create index ledger_funds on ledger (workspace_id, number) where kind <> 'generation';

  -- Their indexes are the ones above: none is built.
  execute format('alter table generations attach partition %I for values from (minvalue) to (%L)', records, ends_at);
  execute format('alter table ledger attach partition %I for values from (minvalue) to (%L)', entries, ends_at);
  insert into book_months (month, begins_at, ends_at)
    values (replace(month_suffix(ends_at), '_', '-'), '-infinity', ends_at);
end
$$;

-- What belongs to no month that was begun lies here, and is not lost. Routers say so.
create function begin_astray() returns void language plpgsql as $$
begin
  create table generations_astray partition of generations default;
  create table ledger_astray partition of ledger default;
  perform guard_month('generations_astray', 'ledger_astray');
end
$$;

select begin_astray();

select forbid_change('generations'), forbid_change('ledger');

create trigger add_to_usage after insert on generations
  referencing new table as fresh for each statement execute function add_to_usage();
alter table generations enable always trigger add_to_usage;

create or replace view generation_records as
select
  g.workspace_id, g.id, g.key_id, g.operation, g.streamed, g.model, g.endpoint, g.evidence_digest,
  case when w.id is null then g.status else 'aborted' end as status,
  g.finish_reason, g.prompt_tokens,
  coalesce(w.completion_tokens, g.completion_tokens) as completion_tokens,
  g.usage_source, g.prompt_price_micros, g.completion_price_micros,
  coalesce(w.cost_micros, g.cost_micros) as cost_micros,
  g.cost_micros - coalesce(w.cost_micros, g.cost_micros) as refunded_micros,
  g.latency_ms, g.time_to_first_token_ms, g.settled_by, g.created_at, g.settled_at
from generations g
left join withheld_generations w on w.workspace_id = g.workspace_id and w.id = g.id;

-- Begins the month after the last one that was begun. Where something lies astray that belongs behind it, its tables
-- become the month, up to the last one that they reach into: no row is moved.
create function begin_month() returns void language plpgsql as $$
declare
  begins timestamptz := (select max(ends_at) from book_months);
  strayed timestamptz := (
    select max(at) from (
      select max(settled_at) as at from generations_astray union all select max(created_at) from ledger_astray
    ) t
  );
  ends timestamptz := next_month(greatest(begins, strayed));
  records text := 'generations_' || month_suffix(ends);
  entries text := 'ledger_' || month_suffix(ends);
begin
  if strayed >= begins then
    alter table generations detach partition generations_astray;
    alter table ledger detach partition ledger_astray;
    execute format('alter table generations_astray rename to %I', records);
    execute format('alter table ledger_astray rename to %I', entries);
    perform begin_astray();
  else
    execute format('create table %I (like generations including defaults including constraints)', records);
    execute format('create table %I (like ledger including defaults including constraints)', entries);
    perform guard_month(records, entries);
  end if;
  execute format('alter table generations attach partition %I for values from (%L) to (%L)', records, begins, ends);
  execute format('alter table ledger attach partition %I for values from (%L) to (%L)', entries, begins, ends);
  insert into book_months (month, begins_at, ends_at) values (replace(month_suffix(ends), '_', '-'), begins, ends);
end
$$;

-- Has all months begun that are needed until so many are ahead of this one; several routers may ask at once. A clock
-- that is years ahead makes only so many tables.
create function begin_months(p_ahead integer) returns integer language plpgsql as $$
declare
  needed timestamptz := next_month(clock_timestamp()) + p_ahead * interval '1 month';
  made integer := 0;
begin
  perform pg_advisory_xact_lock(7205759403792794);
  while made < 24 and (select max(ends_at) from book_months) < needed loop
    perform begin_month();
    made := made + 1;
  end loop;
  return made;
end
$$;

select begin_months(3);

alter table audit drop constraint audit_act_check;
alter table audit add constraint audit_act_check check (act in (
  'upstream_registered', 'upstream_disabled', 'upstream_enabled', 'upstream_attested',
  'deployment_pinned', 'deployment_unpinned', 'invitation_issued', 'invitation_withdrawn',
  'workspace_credited', 'workspace_limited', 'workspace_created', 'key_created', 'key_updated', 'key_revoked',
  'month_exported', 'month_detached', 'month_dropped'
));
