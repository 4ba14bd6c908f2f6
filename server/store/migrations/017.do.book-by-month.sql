-- The functions that book, as they are since records and ledger lie in months: what a generation leaves in both has one
-- time, of this database's clock, and a workspace's rows stand in the order of their times, also where that clock is
-- set back. Each month's rows of a workspace are then one piece of its ledger, and a month that is over gets no more.

create or replace function admit_generations(
  p_replica text,
  p_overdraft_micros bigint,
  p_retried boolean,
  p_key_hashes text[],
  p_generations text[],
  p_operations text[],
  p_streamed boolean[],
  p_models text[],
  p_endpoints text[],
  p_evidence_digests text[],
  p_prompt_prices bigint[],
  p_completion_prices bigint[],
  p_holds bigint[],
  p_prompt_tokens bigint[],
  p_created_at timestamptz[],
  p_buckets_admit boolean[],
  p_requests_per_minute integer[],
  p_tokens_per_minute bigint[],
  p_workspace_requests_per_minute integer[],
  p_workspace_tokens_per_minute bigint[],
  p_deadlines timestamptz[]
) returns table (
  verdict text, workspace_id text, key_id text, requests_per_minute integer, tokens_per_minute bigint,
  workspace_requests_per_minute integer, workspace_tokens_per_minute bigint
)
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
  request record;
  judgement text;
  -- One element per workspace: what admission may count on, what is held, what this batch adds.
  workspace_ids text[];
  funds bigint[];
  held bigint[];
  placed bigint[];
  w integer;
  -- One element per key: what its spend limit leaves, null without one, and what this batch adds.
  key_ids text[] := '{}';
  key_workspaces text[] := '{}';
  key_allowances bigint[] := '{}';
  key_placed bigint[] := '{}';
  k integer;
  -- Of the requests of a batch that is tried again, those that have ended already.
  settled text[] := '{}';
  -- One element per request.
  judgements text[] := '{}';
  request_workspaces text[] := '{}';
  request_keys text[] := '{}';
  request_rates integer[] := '{}';
  token_rates bigint[] := '{}';
  workspace_request_rates integer[] := '{}';
  workspace_token_rates bigint[] := '{}';
begin
  select array_agg(locked.id), array_agg(locked.balance_micros + p_overdraft_micros), array_agg(locked.held_micros)
    into workspace_ids, funds, held
    from (
      select w.id, w.balance_micros, w.held_micros
      from workspaces w
      where w.id in (
        select d.workspace_id
        from unnest(p_key_hashes) as hash
        join key_directory d on d.key_hash = decode(hash, 'hex')
      )
      order by w.id
      for no key update
    ) locked;
  begun_at := clock_timestamp();
  placed := array_fill(0::bigint, array[coalesce(cardinality(workspace_ids), 0)]);

  -- A statement of its own: one that names the records locks every month of them, whether it reads them or not.
  if p_retried then
    select coalesce(array_agg(g.id), '{}') into settled
    from unnest(p_key_hashes, p_generations) as r (key_hash, generation_id)
    join key_directory d on d.key_hash = decode(r.key_hash, 'hex')
    join generations g on g.workspace_id = d.workspace_id and g.id = r.generation_id;
  end if;

  for request in
    select
      d.workspace_id,
      d.key_id,
      r.hold,
      k.spend_limit_micros - k.spent_micros - k.held_micros as allowance,
      k.requests_per_minute,
      k.tokens_per_minute,
      w.requests_per_minute as workspace_requests_per_minute,
      w.tokens_per_minute as workspace_tokens_per_minute,
      r.buckets_admit,
      (k.requests_per_minute, k.tokens_per_minute, w.requests_per_minute, w.tokens_per_minute)
        is not distinct from (
          r.requests_per_minute, r.tokens_per_minute, r.workspace_requests_per_minute, r.workspace_tokens_per_minute
        ) as limits_hold,
      case
        when d.key_id is null then 'invalid_api_key'
        when p_retried and exists (
          select from holds h where h.workspace_id = d.workspace_id and h.generation_id = r.generation_id
        ) then 'held'
        when r.generation_id = any (settled) then 'settled'
        when r.deadline <= begun_at then 'late'
        when key_state(k.revoked_at, k.expires_at) = 'revoked' then 'api_key_revoked'
        when key_state(k.revoked_at, k.expires_at) = 'expired' then 'api_key_expired'
        when r.model <> all (k.model_scope) then 'model_not_in_key_scope'
      end as known
    from unnest(
      p_key_hashes, p_generations, p_models, p_holds, p_buckets_admit, p_requests_per_minute, p_tokens_per_minute,
      p_workspace_requests_per_minute, p_workspace_tokens_per_minute, p_deadlines
    ) with ordinality as r (
      key_hash, generation_id, model, hold, buckets_admit, requests_per_minute, tokens_per_minute,
      workspace_requests_per_minute, workspace_tokens_per_minute, deadline, position
    )
    left join key_directory d on d.key_hash = decode(r.key_hash, 'hex')
    left join api_keys k on k.workspace_id = d.workspace_id and k.id = d.key_id
    left join workspaces w on w.id = d.workspace_id
    order by r.position
  loop
    judgement := request.known;
    if judgement is null then
      w := array_position(workspace_ids, request.workspace_id);
      k := array_position(key_ids, request.key_id);
      if k is null then
        k := cardinality(key_ids) + 1;
        key_ids[k] := request.key_id;
        key_workspaces[k] := request.workspace_id;
        key_allowances[k] := request.allowance;
        key_placed[k] := 0;
      end if;
      -- What costs nothing needs no credit.
      if request.hold > 0 and funds[w] <= held[w] + placed[w] then
        judgement := case when funds[w] > 0 then 'credit_held' else 'insufficient_credits' end;
      elsif key_allowances[k] <= key_placed[k] then
        judgement := 'key_spend_limit_reached';
      elsif request.buckets_admit is null or not request.limits_hold then
        judgement := 'limits_changed';
      elsif not request.buckets_admit then
        -- Told last: it mends itself, and what stands above does not.
        judgement := 'rate_limit_exceeded';
      else
        judgement := 'admitted';
        placed[w] := placed[w] + request.hold;
        key_placed[k] := key_placed[k] + request.hold;
      end if;
    end if;
    judgements := array_append(judgements, judgement);
    request_workspaces := array_append(request_workspaces, request.workspace_id);
    request_keys := array_append(request_keys, request.key_id);
    request_rates := array_append(request_rates, request.requests_per_minute);
    token_rates := array_append(token_rates, request.tokens_per_minute);
    workspace_request_rates := array_append(workspace_request_rates, request.workspace_requests_per_minute);
    workspace_token_rates := array_append(workspace_token_rates, request.workspace_tokens_per_minute);
  end loop;

  insert into holds (
    workspace_id, generation_id, key_id, replica_id, amount_micros, operation, streamed, model, endpoint,
    evidence_digest, prompt_price_micros, completion_price_micros, prompt_tokens, created_at
  )
  select
    r.workspace_id, r.generation_id, r.key_id, p_replica, r.hold, r.operation, r.streamed, r.model, r.endpoint,
    r.evidence_digest, r.prompt_price, r.completion_price, r.prompt_tokens, r.created_at
  from unnest(
    judgements, request_workspaces, request_keys, p_generations, p_operations, p_streamed, p_models, p_endpoints,
    p_evidence_digests, p_prompt_prices, p_completion_prices, p_holds, p_prompt_tokens, p_created_at
  ) as r (
    judgement, workspace_id, key_id, generation_id, operation, streamed, model, endpoint,
    evidence_digest, prompt_price, completion_price, hold, prompt_tokens, created_at
  )
  where r.judgement = 'admitted';

  update workspaces w set held_micros = w.held_micros + p.held
    from unnest(workspace_ids, placed) as p (id, held)
    where w.id = p.id and p.held > 0;

  update api_keys k set held_micros = k.held_micros + p.held
    from unnest(key_workspaces, key_ids, key_placed) as p (workspace_id, id, held)
    where k.workspace_id = p.workspace_id and k.id = p.id and p.held > 0;

  if clock_timestamp() >= (select min(d.deadline) from unnest(p_deadlines) as d (deadline) where d.deadline > begun_at) then
    raise exception 'a request of this batch has become late' using errcode = 'serialization_failure';
  end if;

  return query
    select
      case r.judgement when 'held' then 'admitted' else r.judgement end,
      r.workspace_id, r.key_id, r.request_rate, r.token_rate, r.workspace_request_rate, r.workspace_token_rate
    from unnest(
      judgements, request_workspaces, request_keys, request_rates, token_rates, workspace_request_rates,
      workspace_token_rates
    ) as r (
      judgement, workspace_id, key_id, request_rate, token_rate, workspace_request_rate, workspace_token_rate
    );
end
$$;

create or replace function settle_generations(
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
  last_at timestamptz;
  recordings bigint;
begin
  -- The same lock in the same order as admission takes it; the statement below reads what it protects.
  select max(locked.last_entry_at) into last_at
    from (
      select w.last_entry_at from workspaces w where w.id = any (p_workspaces) order by w.id for no key update
    ) locked;
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
      latency_ms, time_to_first_token_ms, settled_by, created_at, settled_at
    )
    select
      e.workspace_id, e.generation_id, e.key_id, e.operation, e.streamed, e.model, e.endpoint, e.evidence_digest,
      e.status, e.finish_reason, e.prompt_tokens, e.completion_tokens, e.usage_source, e.prompt_price_micros,
      e.completion_price_micros, e.cost, e.latency, e.first_token, p_replica, e.created_at,
      -- The ledger row's time; the look-up is made only where a clock was set back.
      coalesce(
        (
          select greatest(begun_at, w.last_entry_at) from workspaces w
          where w.id = e.workspace_id and last_at > begun_at
        ),
        begun_at
      )
    from ended e
    on conflict do nothing
    returning workspace_id, id, key_id, model, cost_micros
  ),
  entered as (
    insert into ledger (
      workspace_id, number, id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key,
      created_at
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
      'generation:' || r.id,
      greatest(begun_at, w.last_entry_at)
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
  ),
  moved_workspaces as (
    update workspaces w
    set balance_micros = w.balance_micros - m.cost,
      held_micros = w.held_micros - m.held,
      ledger_entries = w.ledger_entries + m.entries,
      last_entry_at = case when m.entries > 0 then greatest(begun_at, w.last_entry_at) else w.last_entry_at end
    from (
      select
        m.workspace_id, sum(m.held)::bigint as held, sum(m.cost)::bigint as cost, sum(m.entries)::bigint as entries
      from moved_by_key m
      group by m.workspace_id
    ) m
    where w.id = m.workspace_id
  )
  select count(*) into recordings from recorded;

  if clock_timestamp() >= (select min(d.deadline) from unnest(p_deadlines) as d (deadline) where d.deadline > begun_at) then
    raise exception 'an answer of this batch has become late' using errcode = 'serialization_failure';
  end if;

  -- As a rule every record is this statement's own, and no month has to be looked through for it.
  if recordings = cardinality(p_generations) then
    return query
      select 'settled', r.status from unnest(p_statuses) with ordinality as r (status, position) order by r.position;
    return;
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

create or replace function correct_generations(
  p_workspaces text[],
  p_generations text[],
  p_completion_tokens bigint[],
  p_costs bigint[],
  p_ledger_ids text[]
) returns void
language plpgsql
as $$
#variable_conflict use_column
declare
  begun_at timestamptz;
begin
  perform from workspaces w where w.id = any (p_workspaces) order by w.id for no key update;
  begun_at := clock_timestamp();

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
      workspace_id, number, id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key,
      created_at
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
      'withheld:' || r.id,
      greatest(begun_at, w.last_entry_at)
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
  set balance_micros = w.balance_micros + m.amount, ledger_entries = w.ledger_entries + m.entries,
    last_entry_at = greatest(begun_at, w.last_entry_at)
  from (
    select r.workspace_id, sum(r.amount)::bigint as amount, count(*) as entries from refunded r group by 1
  ) m
  where w.id = m.workspace_id;
end
$$;

create or replace function post_ledger_entry(
  p_workspace text,
  p_id text,
  p_kind text,
  p_amount_micros bigint,
  p_description text,
  p_reference text,
  p_idempotency_key text
) returns table (id text, amount_micros bigint, balance_after_micros bigint, repeated boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  begun_at timestamptz;
begin
  perform from workspaces w where w.id = p_workspace for no key update;
  begun_at := clock_timestamp();

  return query
    select l.id, l.amount_micros, l.balance_after_micros, true from ledger l
    where l.workspace_id = p_workspace and l.idempotency_key = p_idempotency_key
    union all
    select c.id, c.amount_micros, c.balance_after_micros, true from carried_entries c
    where c.workspace_id = p_workspace and c.idempotency_key = p_idempotency_key;
  if found then
    return;
  end if;

  return query
  with moved as (
    update workspaces w
    set balance_micros = w.balance_micros + p_amount_micros, ledger_entries = w.ledger_entries + 1,
      last_entry_at = greatest(begun_at, w.last_entry_at)
    where w.id = p_workspace
    returning w.balance_micros, w.ledger_entries, w.last_entry_at
  )
  insert into ledger (
    workspace_id, number, id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key,
    created_at
  )
  select
    p_workspace, m.ledger_entries, p_id, p_kind, p_amount_micros, m.balance_micros, p_description, p_reference,
    p_idempotency_key, m.last_entry_at
  from moved m
  returning id, amount_micros, balance_after_micros, false;
end
$$;
