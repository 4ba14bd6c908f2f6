-- Accounts, and how somebody signs in to one. Whatever ends in _hash is an HMAC under the deployment's secret
-- (server/console/digests.ts): who reads these tables can neither sign in nor learn who has asked for a code.

-- Who has signed in once: an account for each address, with a workspace of its own.
create table accounts (
  id text collate "C" primary key,
  -- As addresses are compared (server/console/email-address.ts).
  email text collate "C" not null unique check (octet_length(email) between 3 and 254),
  -- Deferred: of two who create the same account at once, one is told so before it has made a workspace.
  workspace_id text collate "C" not null unique references workspaces deferrable initially deferred,
  created_at timestamptz not null default clock_timestamp()
);

-- The newest code of each browser that has asked for one.
create table sign_in_codes (
  browser_hash bytea primary key check (octet_length(browser_hash) = 32),
  address_hash bytea not null check (octet_length(address_hash) = 32),
  -- Of the code together with the browser and the address.
  code_hash bytea not null check (octet_length(code_hash) = 32),
  tries_left integer not null check (tries_left >= 0),
  -- What has become of the mail, for the browser that waits for it.
  mail text not null default 'waiting' check (mail in ('waiting', 'sent', 'failed')),
  expires_at timestamptz not null
) with (fillfactor = 50);

create index sign_in_codes_expiry on sign_in_codes (expires_at);

-- Mails that were sent for an address and wrong codes that were tried, for a day: what budgets are counted by.
create table sign_in_events (
  number bigint generated always as identity primary key,
  kind text not null check (kind in ('mail', 'wrong')),
  address_hash bytea not null check (octet_length(address_hash) = 32),
  -- A browser that is known to the address, otherwise a source address.
  asker_hash bytea not null check (octet_length(asker_hash) = 32),
  at timestamptz not null default clock_timestamp()
);

create index sign_in_events_address on sign_in_events (address_hash, at);
create index sign_in_events_at on sign_in_events (at);

-- Browsers in which somebody has signed in with an address: no stranger's requests use up what these may ask for.
create table known_browsers (
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  address_hash bytea not null check (octet_length(address_hash) = 32),
  until timestamptz not null,
  primary key (browser_hash, address_hash)
);

create index known_browsers_until on known_browsers (until);

create table sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  id text collate "C" not null unique,
  account_id text collate "C" not null references accounts,
  -- The browser by its own word, for the owner who looks for a session to end.
  user_agent text check (char_length(user_agent) <= 256),
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
) with (fillfactor = 50);

create index sessions_account on sessions (account_id, created_at);
create index sessions_expiry on sessions (expires_at);
