-- A workspace may have limits of its own, in place of the deployment's; they stand in its row. Admission learns of them
-- as it learns of its keys': each request is judged by those that hold at that moment, at every router.

-- What an operator has set, and when; the last row is what the workspace has.
create table workspace_limit_changes (
  workspace_id text collate "C" not null references workspaces,
  -- 1, 2, 3 … within the workspace.
  number integer not null,
  requests_per_minute integer,
  tokens_per_minute bigint,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, number)
);

create trigger append_only before update or delete or truncate on workspace_limit_changes
  for each statement execute function refuse_change();
alter table workspace_limit_changes enable always trigger append_only;
