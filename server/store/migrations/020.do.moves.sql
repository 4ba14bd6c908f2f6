-- Workspaces that move from one cell to another (OPS-29, OPS-30). With one database all of it is empty.

-- Only at home: every move there ever was.
create table workspace_moves (
  id text collate "C" primary key,
  workspace_id text collate "C" not null,
  from_cell text collate "C" not null,
  to_cell text collate "C" not null check (to_cell <> from_cell),
  -- paused, reopening, copied and cancelling: no router serves it, for nobody can say which cell it may be written to in.
  state text collate "C" not null check (
    state in ('copying', 'paused', 'reopening', 'copied', 'switched', 'done', 'cancelling', 'cancelled')
  ),
  begun_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  check ((ended_at is null) = (state not in ('done', 'cancelled')))
);

create unique index workspace_moves_open on workspace_moves (workspace_id) where ended_at is null;

-- Workspaces of which rows lie in this cell and must not be changed: they are on their way to it, or have left it.
create table closed_workspaces (
  workspace_id text collate "C" primary key,
  closed_at timestamptz not null default clock_timestamp()
);

-- Keys of key_directory that admission must not find while their workspace is paused: what it does not find, it places no
-- hold for. They reach the other cell here, where nobody looks them up before all else is there.
create table withdrawn_keys (
  workspace_id text collate "C" not null,
  key_hash bytea not null,
  key_id text collate "C" not null,
  primary key (workspace_id, key_hash)
);

create function require_open(p_workspace text) returns void language plpgsql as $$
begin
  if exists (select from closed_workspaces c where c.workspace_id = p_workspace) then
    raise exception 'workspace % is moving to another cell, or has moved: try again', p_workspace
      using errcode = 'object_not_in_prerequisite_state';
  end if;
end
$$;

-- The triggers look behind the lock of the row that they are about, and closing a workspace takes all of these locks:
-- whatever changes it is committed before, or refused. What admission and settlement do to a row fires none of them.
create function require_open_workspace() returns trigger language plpgsql as $$
begin
  perform require_open(new.id);
  return new;
end
$$;

create trigger require_open before update of name, requests_per_minute, tokens_per_minute on workspaces
  for each row execute function require_open_workspace();

create function require_open_owner() returns trigger language plpgsql as $$
begin
  perform require_open(new.workspace_id);
  return new;
end
$$;

create trigger require_open before update of
    name, model_scope, requests_per_minute, tokens_per_minute, spend_limit_micros, expires_at, revoked_at on api_keys
  for each row execute function require_open_owner();

-- Top-ups, adjustments, refunds and grants, each behind the lock of its workspace. A debit has its hold.
create trigger require_open before insert on ledger
  for each row when (new.kind <> 'generation') execute function require_open_owner();

create trigger require_open before insert on withheld_generations
  for each row execute function require_open_owner();

-- A new key has no row to be locked yet.
create function require_open_for_key() returns trigger language plpgsql as $$
begin
  perform from workspaces w where w.id = new.workspace_id for key share;
  perform require_open(new.workspace_id);
  return new;
end
$$;

create trigger require_open_for_key before insert on api_keys
  for each row execute function require_open_for_key();

-- A record that is replicated brings its sums along, and must not be added up a second time.
alter table generations enable trigger add_to_usage;
alter table withheld_generations enable trigger correct_usage;

alter table audit drop constraint audit_act_check;
alter table audit add constraint audit_act_check check (act in (
  'upstream_registered', 'upstream_disabled', 'upstream_enabled', 'upstream_attested',
  'deployment_pinned', 'deployment_unpinned', 'invitation_issued', 'invitation_withdrawn',
  'workspace_credited', 'workspace_limited', 'workspace_created', 'workspace_moved', 'key_created', 'key_updated',
  'key_revoked', 'month_exported', 'month_detached', 'month_dropped'
));
