-- Every unique constraint of a workspace's tables contains workspace_id, so that they can be partitioned by it.

create table workspaces (
  id text collate "C" primary key,
  name text not null,
  -- Moved in the transaction that writes the row they sum up: the ledger, and the holds.
  -- Within what a JSON integer holds exactly, or no program could read it.
  balance_micros bigint not null default 0
    constraint balance_is_safe check (balance_micros between -9007199254740991 and 9007199254740991),
  held_micros bigint not null default 0 check (held_micros >= 0),
  -- How many ledger rows there are: the number of the last one.
  ledger_entries bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- Of its own; null: the deployment's default.
  requests_per_minute integer check (requests_per_minute > 0),
  tokens_per_minute bigint check (tokens_per_minute > 0 and tokens_per_minute < 9007199254740992)
) with (fillfactor = 20);

create table api_keys (
  workspace_id text collate "C" not null references workspaces,
  id text collate "C" not null,
  name text not null check (char_length(name) between 1 and 64),
  -- The first characters, for display.
  prefix text not null,
  -- Null: every model.
  model_scope text[] check (cardinality(model_scope) > 0),
  requests_per_minute integer check (requests_per_minute > 0),
  -- A router counts in whole numbers that are exact below 2^53.
  tokens_per_minute bigint check (tokens_per_minute > 0) check (tokens_per_minute < 9007199254740992),
  spend_limit_micros bigint check (spend_limit_micros >= 0),
  spent_micros bigint not null default 0,
  held_micros bigint not null default 0 check (held_micros >= 0),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id)
) with (fillfactor = 20);

-- For the operator, who names a key by its id alone.
create index api_keys_id on api_keys (id);

-- Where the key with a given SHA-256 is: the one look-up that does not know its workspace yet.
create table key_directory (
  key_hash bytea primary key check (octet_length(key_hash) = 32),
  workspace_id text collate "C" not null,
  key_id text collate "C" not null,
  foreign key (workspace_id, key_id) references api_keys (workspace_id, id)
);

-- What a key is at this moment, by the database's clock; never stored.
create function key_state(revoked_at timestamptz, expires_at timestamptz) returns text
language sql volatile parallel safe
return case
  when revoked_at is not null then 'revoked'
  when expires_at <= clock_timestamp() then 'expired'
  else 'active'
end;
