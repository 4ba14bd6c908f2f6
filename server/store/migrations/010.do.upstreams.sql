-- External upstreams: what administrators have said of them, and what every router must know of the others' verdicts.
create table upstreams (
  name text collate "C" primary key check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
  -- New at each registration: a key that is stored for one cannot be read as another's.
  id text collate "C" not null unique,
  url text not null,
  hostname text not null,
  -- PEM of the trusted roots.
  roots text not null,
  require_leaf_name boolean not null default true,
  -- The key that it asks for, encrypted; null: none.
  api_key bytea,
  -- Approved deployments, in wire form.
  pins text[] not null default '{}',
  is_disabled boolean not null default false,
  -- A denial of an upstream that was admitted; it stays until an administrator acts.
  denied_at timestamptz,
  denied_stage text,
  denied_reason text,
  check ((denied_at is null) = (denied_stage is null) and (denied_at is null) = (denied_reason is null)),
  -- Moved by everything above: a verdict given under an older one does not count.
  revision bigint not null default 1,
  -- Moved when an administrator asks for a check.
  attestations_asked bigint not null default 0,
  -- What the last admitting verdict of any router named.
  admitted_at timestamptz,
  admitted_digest text,
  newest_issued_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);

-- The newest bundle of each deployment that a verdict has admitted, as it was received.
create table upstream_bundles (
  upstream text collate "C" not null references upstreams,
  digest text collate "C" not null,
  bytes bytea not null,
  issued_at timestamptz not null,
  filed_at timestamptz not null default clock_timestamp(),
  primary key (upstream, digest)
);

create table upstream_events (
  number bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- By name and not by reference: events outlive what they tell of.
  upstream text collate "C" not null,
  -- Null: an administrator's act.
  replica text,
  event text not null check (event in (
    -- foreign_answer: somebody else answered in its place; its verdict stands, and the operator is told.
    'pending', 'admitted', 'denied', 'disabled', 'foreign_answer',
    'registered', 'pinned', 'unpinned', 'attestation_asked', 'taken_out', 'put_back'
  )),
  stage text,
  reason text,
  digest text
);

create index upstream_events_by_upstream on upstream_events (upstream, number desc);

create trigger append_only before update or delete or truncate on upstream_events
  for each statement execute function refuse_change();
alter table upstream_events enable always trigger append_only;
