-- A key of an upstream that is stored under another secret is an act like the others (CONS-51).
alter table audit drop constraint audit_act_check;
alter table audit add constraint audit_act_check check (act in (
  'upstream_registered', 'upstream_disabled', 'upstream_enabled', 'upstream_attested', 'upstream_rekeyed',
  'deployment_pinned', 'deployment_unpinned', 'invitation_issued', 'invitation_withdrawn',
  'workspace_credited', 'workspace_limited', 'workspace_created', 'workspace_moved', 'key_created', 'key_updated',
  'key_revoked', 'month_exported', 'month_detached', 'month_dropped'
));
