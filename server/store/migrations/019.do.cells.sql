-- Past one database workspaces live in several, the cells. Each has all tables; what is in those below is only at home,
-- but for the first one. With one database they are empty, and nobody asks them.

-- Whose cell this database is, and which one: written when it becomes one, never changed.
create table this_cell (
  is_it boolean primary key default true check (is_it),
  -- Of the home, made with the first cell.
  home_id text collate "C" not null,
  name text collate "C" not null
);

-- What lives elsewhere than at home.
create table placed_workspaces (
  workspace_id text collate "C" primary key,
  cell text collate "C" not null,
  placed_at timestamptz not null default clock_timestamp()
);

create index placed_workspaces_cell on placed_workspaces (cell);

create table placed_keys (
  key_hash bytea primary key check (octet_length(key_hash) = 32),
  workspace_id text collate "C" not null references placed_workspaces,
  key_id text collate "C" not null unique
);
