-- For sums of a workspace over a time: `router usage`.
create index generations_time on generations (workspace_id, created_at);
