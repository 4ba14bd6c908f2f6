-- Admission locks the workspaces of the keys that it finds, and judges by what it finds next: a key that came between the
-- two (made, or restored by a move that was given up) belongs to a workspace that it has not locked, and would fail the
-- whole batch. Such a key is found by whoever asks again.
do $$
declare
  known constant text := 'when d.key_id is null then ''invalid_api_key''';
  body text := pg_get_functiondef('admit_generations'::regproc);
begin
  if strpos(body, known) = 0 then raise exception 'admit_generations is not the one that is known here'; end if;
  execute replace(
    body, known, 'when d.key_id is null or d.workspace_id <> all (coalesce(workspace_ids, ''{}'')) then ''invalid_api_key'''
  );
end
$$;
