-- Routers with a lease on their holds. A lapsed one's holds are settled by whoever notices.
create table replicas (
  id text collate "C" primary key,
  -- Since when it has renewed without a gap: only such a router may judge others.
  in_contact_since timestamptz not null,
  renewed_at timestamptz not null,
  lapses_at timestamptz not null
) with (fillfactor = 50);

-- The most that an accepted generation can cost, and all that is needed to settle it after a crash.
create table holds (
  workspace_id text collate "C" not null,
  generation_id text collate "C" not null,
  key_id text collate "C" not null,
  replica_id text collate "C" not null,
  amount_micros bigint not null check (amount_micros >= 0),
  operation text not null,
  streamed boolean not null,
  model text not null,
  endpoint text not null,
  evidence_digest text,
  prompt_price_micros bigint not null,
  completion_price_micros bigint not null,
  -- The router's own count of the prompt.
  prompt_tokens bigint not null,
  -- Delivered so far, as of the last checkpoint.
  completion_tokens bigint not null default 0,
  -- When the request arrived, by the router's clock.
  created_at timestamptz not null,
  placed_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, generation_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index holds_replica on holds (replica_id);

-- One record per accepted request, never any content.
create table generations (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  key_id text collate "C" not null,
  operation text not null,
  streamed boolean not null,
  model text not null,
  endpoint text not null,
  evidence_digest text,
  status text not null check (status in ('ok', 'aborted')),
  finish_reason text,
  prompt_tokens bigint not null check (prompt_tokens >= 0),
  completion_tokens bigint not null check (completion_tokens >= 0),
  -- bounded: a backend's usage beyond what the request could use is billed at that bound.
  usage_source text not null check (usage_source in ('backend', 'counted', 'bounded')),
  -- The prices in force at admission: a later change of prices changes no record.
  prompt_price_micros bigint not null check (prompt_price_micros >= 0),
  completion_price_micros bigint not null check (completion_price_micros >= 0),
  cost_micros bigint not null check (cost_micros >= 0),
  latency_ms integer not null check (latency_ms >= 0),
  time_to_first_token_ms integer check (time_to_first_token_ms >= 0),
  -- The router that wrote this row: its own for a retried settlement, another's after a reaping.
  settled_by text not null,
  created_at timestamptz not null,
  settled_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, id)
);

-- For sums of a workspace over a time: `router usage`.
create index generations_time on generations (workspace_id, created_at);

-- The balance of a workspace is the sum of its rows, always.
create table ledger (
  workspace_id text collate "C" not null,
  -- 1, 2, 3 … within the workspace, without a gap: the order in which the balances came about.
  number bigint not null,
  id text collate "C" not null,
  kind text not null check (kind in ('generation', 'invitation', 'top_up', 'refund', 'adjustment')),
  amount_micros bigint not null,
  balance_after_micros bigint not null,
  description text not null,
  reference text,
  idempotency_key text collate "C" not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, number),
  unique (workspace_id, idempotency_key)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end
$$;

create trigger append_only before update or delete or truncate on ledger
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on generations
  for each statement execute function refuse_change();

-- Even where triggers are switched off for replication.
alter table ledger enable always trigger append_only;
alter table generations enable always trigger append_only;
