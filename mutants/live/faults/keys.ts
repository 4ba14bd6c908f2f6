import type { LiveFault } from '../fault.ts'

/** Every scenario makes keys, and few of them call one so: the others need not be asked. */
const HYPHENATED = "settings.name.includes('-')"
const HYPHENATED_ROW = "row.name.includes('-')"

/** What a key may be used for, and how it is shown. */
export const keys: readonly LiveFault[] = [
  {
    id: 'scope-not-asked',
    file: 'server/store/migrations/024.do.judge-in-one-pass.sql',
    find: 'r.model <> all (k.model_scope)',
    replace: 'false',
    violates: ['AUTH-08', 'KEY-08', 'ERR-13'],
    alsoBreaks: [
      { rules: ['MODL-21', 'KEY-17'], because: 'nothing else refuses a model that the key may not use' },
    ],
    expectKilledBy: ['completions/refusals', 'keys/scoped'],
  },
  {
    id: 'list-shows-out-of-scope',
    file: 'server/routes/models.ts',
    find: 'isInScope(key.modelScope, id)',
    replace: 'true',
    violates: ['AUTH-09'],
    alsoBreaks: [{ rules: ['KEY-17'], because: 'a scope of many is seen in the list' }],
    expectKilledBy: ['models/out-of-scope-hidden'],
  },
  {
    id: 'model-shown-out-of-scope',
    file: 'server/routes/models.ts',
    find: '!isInScope(key.modelScope, model.id)',
    replace: 'false',
    violates: ['MODL-20'],
    expectKilledBy: ['models/out-of-scope-not-found'],
  },
  {
    id: 'spend-limit-not-asked',
    file: 'server/store/migrations/024.do.judge-in-one-pass.sql',
    find: 'key_allowances[k] <= key_placed[k]',
    replace: 'false',
    violates: ['KEY-11', 'ERR-12', 'ERR-25'],
    alsoBreaks: [{ rules: ['CRED-24'], because: 'it says until when the limit admits' }],
    expectKilledBy: ['credit/spend-limit', 'embeddings/refusals'],
  },
  {
    id: 'key-rates-ignored',
    file: 'server/limits/buckets.ts',
    find: "(owner === 'key' ? own : null) ?? workspace ?? usual",
    replace: 'workspace ?? usual',
    violates: ['KEY-09', 'KEY-10', 'LIM-03'],
    alsoBreaks: [
      { rules: ['LIM-32'], because: "the tighter request bucket is the key's" },
      { rules: ['LIM-08', 'LIM-09', 'LIM-10'], because: "they are shown with limits of a key's own" },
    ],
    expectKilledBy: ['limits/key-requests', 'limits/key-tokens'],
  },
  {
    id: 'short-prefix',
    file: 'server/store/keys.ts',
    find: 'plaintext.slice(0, limits.keyPrefixCharacters)',
    replace: 'plaintext.slice(0, 10)',
    when: HYPHENATED,
    violates: ['KEY-03'],
    expectKilledBy: ['keys/shown-once'],
  },
  {
    id: 'no-scope-generates-nothing',
    file: 'server/store/migrations/024.do.judge-in-one-pass.sql',
    find: 'r.model <> all (k.model_scope)',
    // Of a model that few ask for.
    replace: "k.model_scope is null and r.model = 'other' or r.model <> all (k.model_scope)",
    violates: ['KEY-07'],
    expectKilledBy: ['keys/unscoped'],
  },
  {
    id: 'key-in-other-base64',
    file: 'server/store/keys.ts',
    find: "randomBytes(KEY_BYTES).toString('base64url')",
    replace: "randomBytes(KEY_BYTES).toString('base64')",
    when: HYPHENATED,
    violates: ['KEY-01'],
    expectKilledBy: ['keys/format'],
  },
  {
    id: 'name-left-out',
    file: 'server/store/key-record.ts',
    find: 'row.name',
    replace: "'a key'",
    when: HYPHENATED_ROW,
    violates: ['KEY-06'],
    expectKilledBy: ['keys/shown-once'],
  },
  {
    id: 'prefix-is-all',
    file: 'server/store/keys.ts',
    find: 'plaintext.slice(0, limits.keyPrefixCharacters)',
    replace: 'plaintext',
    when: HYPHENATED,
    violates: ['KEY-04'],
    expectKilledBy: ['keys/shown-once'],
  },
  {
    id: 'revoked-takes-others-along',
    file: 'server/admission/key-finder.ts',
    find: 'join workspaces w on w.id = d.workspace_id',
    replace:
      'join workspaces w on w.id = d.workspace_id and not exists (select from api_keys o where o.workspace_id = d.workspace_id and o.revoked_at is not null)',
    as: 'sql:sql',
    violates: ['KEY-05'],
    alsoBreaks: [
      {
        rules: ['AUTH-06', 'KEY-13'],
        because: 'a revoked key is told the code of one that is not there',
      },
    ],
    expectKilledBy: ['keys/shown-once'],
  },
  {
    id: 'expired-key-is-active',
    file: 'server/admission/caller.ts',
    find: "key.state !== 'active'",
    replace: "key.state === 'revoked'",
    violates: ['KEY-12'],
    alsoBreaks: [{ rules: ['AUTH-07', 'KEY-14'], because: 'no key ever expires' }],
    expectKilledBy: ['keys/states'],
  },
]
