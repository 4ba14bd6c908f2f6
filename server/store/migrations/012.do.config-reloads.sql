-- Each row asks every router to read its configuration file anew.
create table config_reloads (
  number bigint generated always as identity primary key,
  asked_at timestamptz not null default clock_timestamp()
);

-- What each router runs, by its own word.
create table router_configs (
  replica text collate "C" primary key references replicas on delete cascade,
  host text not null,
  pid integer not null,
  version text not null,
  -- By the router's clock.
  taken_up_at timestamptz not null,
  -- The newest row of config_reloads that it has acted upon.
  answered bigint not null,
  -- Why the last reload was refused; null when it was not.
  refused_at timestamptz,
  refusal text,
  check ((refused_at is null) = (refusal is null))
) with (fillfactor = 50);
