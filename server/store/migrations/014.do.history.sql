-- What people look at of a workspace: its request log, sorted and filtered as they like, and what it has used over time.
-- Within an index equal values stand by time, which leaves few that an id has to tell apart.

-- Tokens in ten seconds, from the first token to the end; -1 where there is nothing to divide by.
create function speed(completion_tokens bigint, latency_ms integer, time_to_first_token_ms integer) returns bigint
language sql immutable parallel safe
return case
  when completion_tokens = 0 or latency_ms <= coalesce(time_to_first_token_ms, 0) then -1
  else round(completion_tokens * 10000.0 / (latency_ms - coalesce(time_to_first_token_ms, 0)))::bigint
end;

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

-- The rows of a ledger that tell of money, among all those that tell of single requests.
create index ledger_funds on ledger (workspace_id, number) where kind <> 'generation';

-- Sums over the requests that arrived in an hour or a day (UTC), as generation_records has them.
create table usage_totals (
  workspace_id text collate "C" not null,
  grain text collate "C" not null check (grain in ('hour', 'day')),
  begins_at timestamptz not null,
  key_id text collate "C" not null,
  model text not null,
  requests bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cost_micros bigint not null,
  primary key (workspace_id, grain, begins_at, key_id, model)
) with (fillfactor = 50);

-- A trigger and no part of settle_generations: a statement of an older router that stood before the locks of this
-- migration goes on in the old body of that function, and would be missing in the sums.
create function add_to_usage() returns trigger language plpgsql as $$
begin
  insert into usage_totals as u (
    workspace_id, grain, begins_at, key_id, model, requests, prompt_tokens, completion_tokens, cost_micros
  )
  select
    g.workspace_id, t.grain, date_trunc(t.grain, g.created_at, 'UTC'), g.key_id, g.model,
    count(*), sum(g.prompt_tokens)::bigint, sum(g.completion_tokens)::bigint, sum(g.cost_micros)::bigint
  from fresh g cross join (values ('hour'), ('day')) t (grain)
  group by 1, 2, 3, 4, 5
  on conflict (workspace_id, grain, begins_at, key_id, model) do update set
    requests = u.requests + excluded.requests,
    prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens,
    cost_micros = u.cost_micros + excluded.cost_micros;
  return null;
end
$$;

create trigger add_to_usage after insert on generations
  referencing new table as fresh for each statement execute function add_to_usage();
alter table generations enable always trigger add_to_usage;

-- What a correction takes back.
create function correct_usage() returns trigger language plpgsql as $$
begin
  update usage_totals u set
    completion_tokens = u.completion_tokens - c.completion_tokens,
    cost_micros = u.cost_micros - c.cost_micros
  from (
    select
      g.workspace_id, t.grain, date_trunc(t.grain, g.created_at, 'UTC') as begins_at, g.key_id, g.model,
      sum(g.completion_tokens - f.completion_tokens)::bigint as completion_tokens,
      sum(g.cost_micros - f.cost_micros)::bigint as cost_micros
    from fresh f
    join generations g on g.workspace_id = f.workspace_id and g.id = f.id
    cross join (values ('hour'), ('day')) t (grain)
    group by 1, 2, 3, 4, 5
  ) c
  where u.workspace_id = c.workspace_id and u.grain = c.grain and u.begins_at = c.begins_at
    and u.key_id = c.key_id and u.model = c.model;
  return null;
end
$$;

create trigger correct_usage after insert on withheld_generations
  referencing new table as fresh for each statement execute function correct_usage();
alter table withheld_generations enable always trigger correct_usage;

-- The triggers hold off every writer until here is committed: what stands there now is all that they have not seen.
insert into usage_totals (
  workspace_id, grain, begins_at, key_id, model, requests, prompt_tokens, completion_tokens, cost_micros
)
select
  g.workspace_id, t.grain, date_trunc(t.grain, g.created_at, 'UTC'), g.key_id, g.model,
  count(*), sum(g.prompt_tokens)::bigint, sum(g.completion_tokens)::bigint, sum(g.cost_micros)::bigint
from generation_records g cross join (values ('hour'), ('day')) t (grain)
group by 1, 2, 3, 4, 5;

-- Of each deployment of an own endpoint the newest bundle, as it was received: what a record's digest stands for.
create table published_bundles (
  endpoint text collate "C" not null,
  digest text collate "C" not null,
  bytes bytea not null,
  issued_at timestamptz not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  primary key (endpoint, digest)
);
