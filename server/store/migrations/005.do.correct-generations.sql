-- What stands in a record although its client was told of an error: the statement that wrote it was under way when the
-- database fell silent, and was committed when nobody waited for it any more. The record stays as it is, append-only;
-- its correction stands beside it, and the difference is refunded.
create table withheld_generations (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  -- What was delivered after all.
  completion_tokens bigint not null check (completion_tokens >= 0),
  cost_micros bigint not null check (cost_micros >= 0),
  corrected_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, id)
);

create trigger append_only before update or delete or truncate on withheld_generations
  for each statement execute function refuse_change();
alter table withheld_generations enable always trigger append_only;

-- The records as they are to be read.
create view generation_records as
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

-- Corrects records that say "ok" of answers that were withheld, each once, and refunds what they cost too much.
create function correct_generations(
  p_workspaces text[],
  p_generations text[],
  p_completion_tokens bigint[],
  p_costs bigint[],
  p_ledger_ids text[]
) returns void
language plpgsql
as $$
#variable_conflict use_column
begin
  perform from workspaces w where w.id = any (p_workspaces) order by w.id for no key update;

  with corrected as (
    insert into withheld_generations (workspace_id, id, completion_tokens, cost_micros)
    select g.workspace_id, g.id, r.completion_tokens, r.cost
    from unnest(p_workspaces, p_generations, p_completion_tokens, p_costs)
      as r (workspace_id, id, completion_tokens, cost)
    join generations g on g.workspace_id = r.workspace_id and g.id = r.id and g.status = 'ok'
    on conflict do nothing
    returning workspace_id, id, cost_micros
  ),
  refunded as materialized (
    select c.workspace_id, c.id, g.key_id, g.model, g.cost_micros - c.cost_micros as amount, r.ledger_id
    from corrected c
    join unnest(p_workspaces, p_generations, p_ledger_ids) as r (workspace_id, id, ledger_id)
      on r.workspace_id = c.workspace_id and r.id = c.id
    join generations g on g.workspace_id = c.workspace_id and g.id = c.id
    where g.cost_micros > c.cost_micros
  ),
  entered as (
    insert into ledger (
      workspace_id, number, id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key
    )
    select
      r.workspace_id,
      w.ledger_entries + row_number() over so_far,
      r.ledger_id,
      'refund',
      r.amount,
      w.balance_micros + sum(r.amount) over so_far,
      r.model,
      r.id,
      'withheld:' || r.id
    from refunded r
    join workspaces w on w.id = r.workspace_id
    window so_far as (partition by r.workspace_id order by r.id)
  ),
  moved_keys as (
    update api_keys k set spent_micros = k.spent_micros - m.amount
    from (
      select r.workspace_id, r.key_id, sum(r.amount)::bigint as amount from refunded r group by 1, 2
    ) m
    where k.workspace_id = m.workspace_id and k.id = m.key_id
  )
  update workspaces w
  set balance_micros = w.balance_micros + m.amount, ledger_entries = w.ledger_entries + m.entries
  from (
    select r.workspace_id, sum(r.amount)::bigint as amount, count(*) as entries from refunded r group by 1
  ) m
  where w.id = m.workspace_id;
end
$$;
