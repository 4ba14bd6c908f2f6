-- What administrators have done, each act in the transaction that did it (CONS-51).
create table audit (
  id text collate "C" primary key,
  -- In milliseconds, as whoever pages through them names a row.
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- An administrator's address, or whoever the command line says it is.
  actor text collate "C" not null check (char_length(actor) between 1 and 320),
  through text not null check (through in ('console', 'command_line')),
  act text collate "C" not null check (act in (
    'upstream_registered', 'upstream_disabled', 'upstream_enabled', 'upstream_attested',
    'deployment_pinned', 'deployment_unpinned', 'invitation_issued', 'invitation_withdrawn',
    'workspace_credited', 'workspace_limited', 'workspace_created', 'key_created', 'key_updated', 'key_revoked'
  )),
  -- By name or id and not by reference: a trace outlives what it tells of.
  subject text collate "C" not null check (subject <> ''),
  -- Texts by their names.
  details jsonb not null check (jsonb_typeof(details) = 'object')
);

create index audit_at on audit (at, id);
create index audit_actor on audit (actor, at, id);
create index audit_act on audit (act, at, id);
create index audit_subject on audit (subject, at, id);

create trigger append_only before update or delete or truncate on audit
  for each statement execute function refuse_change();
alter table audit enable always trigger append_only;
