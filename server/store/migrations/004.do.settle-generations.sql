-- Ends a batch of generations in one statement: record, debit, balance, spend, and the hold removed.
--
-- A hold ends exactly once, and only together with its record: what has no hold any more changes nothing. Then the
-- record tells why: written by the same router it was a retried batch, by another it was a reaping.
-- It tells besides what each record says: a statement that was tried again may have been committed the first time,
-- with what was true then.
--
-- p_deadlines: by this database's clock, when the client of an answer will be told of an error if it is not settled; null
-- where nobody waits. What is late ends nothing and is told so (late). Asked twice: after the locks, and when all is
-- written, where one that has become late rolls back the batch, which its router tries again.
create function settle_generations(
  p_replica text,
  p_workspaces text[],
  p_generations text[],
  p_statuses text[],
  p_finish_reasons text[],
  p_prompt_tokens bigint[],
  p_completion_tokens bigint[],
  p_usage_sources text[],
  p_costs bigint[],
  p_latencies integer[],
  p_first_tokens integer[],
  p_deadlines timestamptz[]
) returns table (outcome text, status text)
language plpgsql
-- Batches are small and the tables are large: every join goes by index, whatever the statistics say.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  begun_at timestamptz;
begin
  -- The same lock in the same order as admission takes it; the statement below reads what it protects.
  perform from workspaces w where w.id = any (p_workspaces) order by w.id for no key update;
  begun_at := clock_timestamp();

  with ended as (
    delete from holds h
    using unnest(
      p_workspaces, p_generations, p_statuses, p_finish_reasons, p_prompt_tokens, p_completion_tokens,
      p_usage_sources, p_costs, p_latencies, p_first_tokens, p_deadlines
    ) as r (
      workspace_id, generation_id, status, finish_reason, prompt_tokens, completion_tokens,
      usage_source, cost, latency, first_token, deadline
    )
    where h.workspace_id = r.workspace_id and h.generation_id = r.generation_id
      and (r.deadline is null or r.deadline > begun_at)
    returning
      h.workspace_id, h.generation_id, h.key_id, h.amount_micros, h.operation, h.streamed, h.model, h.endpoint,
      h.evidence_digest, h.prompt_price_micros, h.completion_price_micros, h.created_at,
      r.status, r.finish_reason, r.prompt_tokens, r.completion_tokens, r.usage_source, r.cost, r.latency, r.first_token
  ),
  recorded as (
    insert into generations (
      workspace_id, id, key_id, operation, streamed, model, endpoint, evidence_digest, status, finish_reason,
      prompt_tokens, completion_tokens, usage_source, prompt_price_micros, completion_price_micros, cost_micros,
      latency_ms, time_to_first_token_ms, settled_by, created_at
    )
    select
      e.workspace_id, e.generation_id, e.key_id, e.operation, e.streamed, e.model, e.endpoint, e.evidence_digest,
      e.status, e.finish_reason, e.prompt_tokens, e.completion_tokens, e.usage_source, e.prompt_price_micros,
      e.completion_price_micros, e.cost, e.latency, e.first_token, p_replica, e.created_at
    from ended e
    on conflict do nothing
    returning workspace_id, id, key_id, model, cost_micros
  ),
  entered as (
    insert into ledger (
      workspace_id, number, id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key
    )
    select
      r.workspace_id,
      w.ledger_entries + row_number() over so_far,
      'led_' || substr(r.id, 5),
      'generation',
      -r.cost_micros,
      w.balance_micros - sum(r.cost_micros) over so_far,
      r.model,
      r.id,
      'generation:' || r.id
    from recorded r
    join workspaces w on w.id = r.workspace_id
    window so_far as (partition by r.workspace_id order by r.id)
  ),
  moved as (
    select e.workspace_id, e.key_id, e.amount_micros as held, 0::bigint as cost, 0 as entries from ended e
    union all
    select r.workspace_id, r.key_id, 0, r.cost_micros, 1 from recorded r
  ),
  moved_by_key as materialized (
    select
      m.workspace_id, m.key_id, sum(m.held)::bigint as held, sum(m.cost)::bigint as cost, sum(m.entries) as entries
    from moved m
    group by m.workspace_id, m.key_id
  ),
  moved_keys as (
    update api_keys k
    set spent_micros = k.spent_micros + m.cost, held_micros = k.held_micros - m.held
    from moved_by_key m
    where k.workspace_id = m.workspace_id and k.id = m.key_id
  )
  update workspaces w
  set balance_micros = w.balance_micros - m.cost,
    held_micros = w.held_micros - m.held,
    ledger_entries = w.ledger_entries + m.entries
  from (
    select
      m.workspace_id, sum(m.held)::bigint as held, sum(m.cost)::bigint as cost, sum(m.entries)::bigint as entries
    from moved_by_key m
    group by m.workspace_id
  ) m
  where w.id = m.workspace_id;

  if clock_timestamp() >= (select min(d.deadline) from unnest(p_deadlines) as d (deadline) where d.deadline > begun_at) then
    raise exception 'an answer of this batch has become late' using errcode = 'serialization_failure';
  end if;

  return query
    select
      case
        when g.settled_by = p_replica then 'settled'
        when g.id is null and r.deadline <= begun_at then 'late'
        else 'reaped'
      end,
      g.status
    from unnest(p_workspaces, p_generations, p_deadlines) with ordinality as r (workspace_id, id, deadline, position)
    left join generations g on g.workspace_id = r.workspace_id and g.id = r.id
    order by r.position;
end
$$;
