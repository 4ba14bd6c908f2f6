-- The newest bundle of each own endpoint, as it was received: a router that starts while the platform is away has it.
create table publications (
  endpoint text collate "C" primary key,
  bytes bytea not null,
  issued_at timestamptz not null,
  fetched_at timestamptz not null default clock_timestamp()
);
