-- What admission and settlement change with every request has its bounds in its type. A check of a table is read anew by
-- each statement that writes to it, whichever columns that changes: twenty of them were a seventh of what the two functions
-- cost for a single request (docs/performance.md). A type's are kept by each session, and asked of what is written.
--
-- The types get their bounds last, so that no table is rewritten: it is read once, to see that the bounds hold.

create domain micros as bigint;
create domain safe_micros as bigint;
create domain request_rate as integer;
create domain token_rate as bigint;
create domain key_name as text;

-- The type of a column that a trigger names cannot be changed.
drop trigger require_open on workspaces;
drop trigger require_open on api_keys;

alter table workspaces
  drop constraint balance_is_safe,
  drop constraint workspaces_held_micros_check,
  drop constraint workspaces_requests_per_minute_check,
  drop constraint workspaces_tokens_per_minute_check,
  alter column balance_micros type safe_micros,
  alter column held_micros type micros,
  alter column requests_per_minute type request_rate,
  alter column tokens_per_minute type token_rate;

alter table api_keys
  drop constraint api_keys_name_check,
  drop constraint api_keys_requests_per_minute_check,
  drop constraint api_keys_tokens_per_minute_check,
  drop constraint api_keys_tokens_per_minute_check1,
  drop constraint api_keys_spend_limit_micros_check,
  drop constraint api_keys_held_micros_check,
  alter column name type key_name,
  alter column requests_per_minute type request_rate,
  alter column tokens_per_minute type token_rate,
  alter column spend_limit_micros type micros,
  alter column held_micros type micros;

alter table holds
  drop constraint holds_amount_micros_check,
  alter column amount_micros type micros;

alter domain micros add check (value >= 0);
-- Within what a JSON integer holds exactly, or no program could read it.
alter domain safe_micros
  add constraint balance_is_safe check (value between -9007199254740991 and 9007199254740991);
alter domain request_rate add check (value > 0);
-- A router counts in whole numbers that are exact below 2^53.
alter domain token_rate add check (value > 0 and value < 9007199254740992);
alter domain key_name add check (char_length(value) between 1 and 64);

create trigger require_open before update of name, requests_per_minute, tokens_per_minute on workspaces
  for each row execute function require_open_workspace();

create trigger require_open before update of
    name, model_scope, requests_per_minute, tokens_per_minute, spend_limit_micros, expires_at, revoked_at on api_keys
  for each row execute function require_open_owner();
