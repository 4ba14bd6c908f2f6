import type { LiveFault } from '../fault.ts'

/** Rates and budgets. */
export const limits: readonly LiveFault[] = [
  {
    id: 'last-bucket-told',
    file: 'server/limits/buckets.ts',
    find: 'admits ? tighter : refusedAt',
    replace: 'admits ? tighter : levels.findLastIndex((level, place) => level < kinds[place]!.least)',
    violates: ['LIM-02'],
    expectKilledBy: ['limits/order'],
  },
  {
    id: 'workspace-not-asked',
    file: 'server/limits/buckets.ts',
    find: 'kind.least',
    within: '-UNITS : 0, kind.least',
    replace: "kind.owner === 'key' ? kind.least : undefined",
    violates: ['LIM-01', 'LIM-05'],
    alsoBreaks: [
      { rules: ['LIM-02', 'LIM-42'], because: 'a bucket that is not asked is never told' },
      { rules: ['LIM-04', 'LIM-08'], because: 'they are shown with the buckets of a workspace' },
    ],
    expectKilledBy: ['limits/order', 'limits/workspace-requests', 'limits/workspace-tokens'],
  },
  {
    id: 'key-values-for-workspace',
    file: 'server/limits/buckets.ts',
    find: "(owner === 'key' ? own : null) ?? workspace ?? usual",
    // A key that may more than its workspace.
    replace: "(owner === 'key' ? own : own !== null && own > usual ? own : null) ?? workspace ?? usual",
    violates: ['LIM-04'],
    alsoBreaks: [
      {
        rules: ['LIM-02', 'LIM-05', 'LIM-32', 'LIM-42'],
        because: 'what a workspace may is held and told by them',
      },
      { rules: ['LIM-01', 'LIM-08'], because: "a workspace's tokens have no other limit" },
    ],
    expectKilledBy: ['limits/order', 'limits/workspace-tokens'],
  },
  {
    id: 'tokens-not-debited',
    file: 'server/limits/buckets.ts',
    find: '-tokens',
    within: 'ofTokens, -tokens',
    replace: '0',
    violates: ['KEY-10', 'LIM-08'],
    alsoBreaks: [
      {
        rules: ['LIM-01', 'LIM-02', 'LIM-04', 'LIM-22', 'LIM-23', 'LIM-24', 'LIM-29', 'LIM-42'],
        because: 'a bucket of tokens that nothing empties refuses nobody',
      },
      { rules: ['LIM-09'], because: 'what overshoots is told by the debit' },
    ],
    expectKilledBy: ['limits/debt', 'limits/key-tokens', 'limits/order'],
  },
  {
    id: 'look-ups-without-budget',
    file: 'server/routes/invitation.ts',
    find: 'budget.take(sourceAddressOf(incoming))',
    replace: 'void 0',
    violates: ['EP-20'],
    alsoBreaks: [{ rules: ['LIM-34'], because: 'it says how many look-ups there are' }],
    expectKilledBy: ['invitations/budget'],
  },
  {
    id: 'refused-requests-take',
    file: 'server/admission/gate.ts',
    find: 'await giveBack(rates, taken)',
    replace: 'void 0',
    violates: ['CRED-19'],
    expectKilledBy: ['limits/refused-gives-back'],
  },
  {
    id: 'credit-not-asked',
    file: 'server/store/migrations/024.do.judge-in-one-pass.sql',
    find: 'request.hold > 0 and funds[w] <= held[w] + placed[w]',
    replace: 'false',
    violates: ['ERR-11', 'ERR-24'],
    alsoBreaks: [
      {
        rules: ['CRED-02', 'CRED-13', 'CRED-14', 'CRED-15', 'CRED-39'],
        because: 'they say when a request is refused for want of credit',
      },
      { rules: ['REQ-20'], because: 'of two refusals the one that does not come cannot be told first' },
      { rules: ['CRED-19'], because: 'it says what a refusal for credit goes before' },
    ],
    expectKilledBy: ['credit/topped-up', 'embeddings/refusals'],
  },
  {
    id: 'rate-before-credit',
    file: 'server/store/migrations/024.do.judge-in-one-pass.sql',
    find: 'request.hold > 0 and funds[w] <= held[w] + placed[w]',
    replace: 'coalesce(request.buckets_admit, true) and request.hold > 0 and funds[w] <= held[w] + placed[w]',
    violates: ['CRED-19'],
    expectKilledBy: ['limits/credit-first'],
  },
  {
    id: 'debit-of-one',
    file: 'server/limits/buckets.ts',
    find: '-tokens',
    within: 'ofTokens, -tokens',
    replace: '-Math.min(tokens, 1)',
    violates: ['LIM-08', 'LIM-09'],
    alsoBreaks: [
      {
        rules: ['LIM-01', 'LIM-02', 'LIM-04', 'LIM-22', 'LIM-23', 'LIM-24', 'LIM-29', 'LIM-42'],
        because: 'a bucket of tokens that nothing empties refuses nobody',
      },
      { rules: ['KEY-10'], because: "a key's tokens are used up by what is debited" },
    ],
    expectKilledBy: ['limits/debt', 'limits/key-tokens', 'limits/order'],
  },
  {
    id: 'tokens-reserved-beforehand',
    file: 'server/limits/buckets.ts',
    find: 'kind.least',
    within: '-UNITS : 0, kind.least',
    replace: "kind.counts === 'tokens' && key.tokensPerMinute !== null ? 5_000 * UNITS : kind.least",
    violates: ['LIM-07', 'LIM-09'],
    alsoBreaks: [
      { rules: ['LIM-22'], because: 'it says that whatever is above zero lets a request pass' },
      {
        rules: ['LIM-02', 'LIM-23', 'LIM-24'],
        because: 'a small bucket of tokens that lets nobody in is never overdrawn',
      },
    ],
    expectKilledBy: ['limits/debt', 'limits/key-tokens', 'limits/order'],
  },
]
