-- Admission as it is, with less to get ready for each statement: each request is told as soon as it is judged, holds are looked
-- for only where a batch is tried again, and the workspaces of the keys are found before the statement that locks them begins.

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
  -- Of the requests of a batch that is tried again, those whose hold stands already, and those that have ended.
  standing text[] := '{}';
  settled text[] := '{}';
  -- One element per request: whose hold is to be placed for it, and null where there is none.
  hold_workspaces text[] := '{}';
  hold_keys text[] := '{}';
begin
  select array_agg(locked.id), array_agg(locked.balance_micros + p_overdraft_micros), array_agg(locked.held_micros)
    into workspace_ids, funds, held
    from (
      select w.id, w.balance_micros, w.held_micros
      from workspaces w
      where w.id = any (array(
        select d.workspace_id
        from unnest(p_key_hashes) as hash
        join key_directory d on d.key_hash = decode(hash, 'hex')
      ))
      order by w.id
      for no key update
    ) locked;
  begun_at := clock_timestamp();
  placed := array_fill(0::bigint, array[coalesce(cardinality(workspace_ids), 0)]);

  -- A statement of its own: one that names the records locks every month of them, whether it reads them or not.
  if p_retried then
    select coalesce(array_agg(h.generation_id), '{}') into standing
    from unnest(p_key_hashes, p_generations) as r (key_hash, generation_id)
    join key_directory d on d.key_hash = decode(r.key_hash, 'hex')
    join holds h on h.workspace_id = d.workspace_id and h.generation_id = r.generation_id;
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
        when d.key_id is null or d.workspace_id <> all (coalesce(workspace_ids, '{}')) then 'invalid_api_key'
        when r.generation_id = any (standing) then 'held'
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
    verdict := request.known;
    if verdict is null then
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
        verdict := case when funds[w] > 0 then 'credit_held' else 'insufficient_credits' end;
      elsif key_allowances[k] <= key_placed[k] then
        verdict := 'key_spend_limit_reached';
      elsif request.buckets_admit is null or not request.limits_hold then
        verdict := 'limits_changed';
      elsif not request.buckets_admit then
        -- Told last: it mends itself, and what stands above does not.
        verdict := 'rate_limit_exceeded';
      else
        verdict := 'admitted';
        placed[w] := placed[w] + request.hold;
        key_placed[k] := key_placed[k] + request.hold;
      end if;
    end if;
    hold_workspaces := array_append(hold_workspaces, case verdict when 'admitted' then request.workspace_id end);
    hold_keys := array_append(hold_keys, request.key_id);
    if verdict = 'held' then
      verdict := 'admitted';
    end if;
    workspace_id := request.workspace_id;
    key_id := request.key_id;
    requests_per_minute := request.requests_per_minute;
    tokens_per_minute := request.tokens_per_minute;
    workspace_requests_per_minute := request.workspace_requests_per_minute;
    workspace_tokens_per_minute := request.workspace_tokens_per_minute;
    return next;
  end loop;

  insert into holds (
    workspace_id, generation_id, key_id, replica_id, amount_micros, operation, streamed, model, endpoint,
    evidence_digest, prompt_price_micros, completion_price_micros, prompt_tokens, created_at
  )
  select
    r.workspace_id, r.generation_id, r.key_id, p_replica, r.hold, r.operation, r.streamed, r.model, r.endpoint,
    r.evidence_digest, r.prompt_price, r.completion_price, r.prompt_tokens, r.created_at
  from unnest(
    hold_workspaces, hold_keys, p_generations, p_operations, p_streamed, p_models, p_endpoints,
    p_evidence_digests, p_prompt_prices, p_completion_prices, p_holds, p_prompt_tokens, p_created_at
  ) as r (
    workspace_id, key_id, generation_id, operation, streamed, model, endpoint,
    evidence_digest, prompt_price, completion_price, hold, prompt_tokens, created_at
  )
  where r.workspace_id is not null;

  update workspaces w set held_micros = w.held_micros + p.held
    from unnest(workspace_ids, placed) as p (id, held)
    where w.id = p.id and p.held > 0;

  update api_keys k set held_micros = k.held_micros + p.held
    from unnest(key_workspaces, key_ids, key_placed) as p (workspace_id, id, held)
    where k.workspace_id = p.workspace_id and k.id = p.id and p.held > 0;

  if clock_timestamp() >= (select min(d.deadline) from unnest(p_deadlines) as d (deadline) where d.deadline > begun_at) then
    raise exception 'a request of this batch has become late' using errcode = 'serialization_failure';
  end if;
end
$$;
