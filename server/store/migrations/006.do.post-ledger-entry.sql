-- Writes a ledger row that is no generation's: a top-up, an adjustment, a refund, an invitation's grant.
-- The same idempotency key again changes nothing and answers with the row that is there.
create function post_ledger_entry(
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
begin
  perform from workspaces w where w.id = p_workspace for no key update;

  return query
    select l.id, l.amount_micros, l.balance_after_micros, true from ledger l
    where l.workspace_id = p_workspace and l.idempotency_key = p_idempotency_key;
  if found then
    return;
  end if;

  return query
  with moved as (
    update workspaces w
    set balance_micros = w.balance_micros + p_amount_micros, ledger_entries = w.ledger_entries + 1
    where w.id = p_workspace
    returning w.balance_micros, w.ledger_entries
  )
  insert into ledger (
    workspace_id, number, id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key
  )
  select
    p_workspace, m.ledger_entries, p_id, p_kind, p_amount_micros, m.balance_micros, p_description, p_reference,
    p_idempotency_key
  from moved m
  returning id, amount_micros, balance_after_micros, false;
end
$$;
