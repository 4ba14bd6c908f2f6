-- Codes that bring credit to new accounts, and who has used them.
create table invitations (
  id text collate "C" primary key,
  -- Without separators, in capitals.
  code text collate "C" not null unique check (code ~ '^[2-9A-HJKMNP-TV-Z]{12}$'),
  grant_micros bigint not null check (grant_micros >= 0),
  description text not null,
  max_redemptions integer not null check (max_redemptions > 0),
  redemptions integer not null default 0 check (redemptions between 0 and max_redemptions),
  expires_at timestamptz,
  withdrawn_at timestamptz,
  -- For the operator alone.
  note text,
  created_at timestamptz not null default clock_timestamp()
);

-- One grant for each account, ever: its id is the key.
create table invitation_grants (
  account_id text collate "C" primary key,
  invitation_id text collate "C" not null references invitations,
  workspace_id text collate "C" not null references workspaces,
  ledger_id text collate "C" not null,
  created_at timestamptz not null default clock_timestamp()
);

-- Whether a code can be redeemed at this moment, by the database's clock; never stored.
create function invitation_is_open(
  redemptions integer, max_redemptions integer, expires_at timestamptz, withdrawn_at timestamptz
) returns boolean
language sql volatile parallel safe
return redemptions < max_redemptions and withdrawn_at is null and (expires_at is null or expires_at > clock_timestamp());
