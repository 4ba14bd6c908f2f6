-- Grants what a code is good for to an account that has had no grant yet: the use counted, the grant remembered, the
-- ledger row written and the balance moved, or none of it. A code that is no good answers no row.
--
-- The invitation's row is locked first and its state read under that lock, so that a code is never used more often
-- than it may be. The account's earlier grant by the same code is answered again: the caller's answer may have been lost.
create function redeem_invitation(p_code text, p_account text, p_workspace text, p_ledger_id text)
returns table (invitation_id text, grant_micros bigint, ledger_id text, repeated boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  invitation invitations%rowtype;
begin
  select i.* into invitation from invitations i where i.code = p_code for no key update;
  if not found then
    return;
  end if;

  return query
    select g.invitation_id, invitation.grant_micros, g.ledger_id, true from invitation_grants g
    where g.account_id = p_account and g.invitation_id = invitation.id;
  if found or not invitation_is_open(
    invitation.redemptions, invitation.max_redemptions, invitation.expires_at, invitation.withdrawn_at
  ) then
    return;
  end if;

  insert into invitation_grants (account_id, invitation_id, workspace_id, ledger_id)
    values (p_account, invitation.id, p_workspace, p_ledger_id)
    on conflict do nothing;
  if not found then
    return;
  end if;

  update invitations i set redemptions = i.redemptions + 1 where i.id = invitation.id;
  perform from post_ledger_entry(
    p_workspace, p_ledger_id, 'invitation', invitation.grant_micros, 'Invitation credit', invitation.id,
    'invitation:' || invitation.id || ':' || p_account
  );
  return query select invitation.id, invitation.grant_micros, p_ledger_id, false;
end
$$;
