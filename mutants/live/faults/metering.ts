import type { LiveFault } from '../fault.ts'

/** Why a price that is wrong breaks what is said of holds and of costs that are told. */
const HOLDS = 'what is held is priced as what is billed is'
const COSTS = 'they say what is told of a cost, and where'

/** What a generation costs, and how it is booked. */
export const metering: readonly LiveFault[] = [
  {
    id: 'rounded-down',
    file: 'server/metering/price.ts',
    find: '(total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE',
    replace: 'total / TOKENS_PER_PRICE',
    violates: ['MET-03'],
    alsoBreaks: [
      { rules: ['CRED-05', 'CRED-07', 'CRED-08', 'CRED-10', 'CRED-11'], because: HOLDS },
      { rules: ['CHAT-16', 'CONS-47'], because: COSTS },

      { rules: ['MET-01', 'MET-06'], because: 'the formula says that it is rounded once, and up' },
    ],
    expectKilledBy: ['metering/rounded-up'],
  },
  {
    id: 'twice-the-price',
    file: 'server/metering/price.ts',
    find: '(total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE',
    replace: '(total * 2n + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE',
    violates: ['MET-01', 'MET-02', 'MODL-03'],
    alsoBreaks: [
      {
        rules: ['CRED-05', 'CRED-06', 'CRED-07', 'CRED-08', 'CRED-10', 'CRED-11', 'CRED-37'],
        because: HOLDS,
      },
      { rules: ['CHAT-16', 'CONS-47', 'RLAY-16'], because: COSTS },

      { rules: ['MET-06'], because: 'two tokens cost what two roundings would have made of them' },
    ],
    expectKilledBy: ['metering/formula', 'metering/listed-prices'],
  },
  {
    id: 'prompt-price-for-all',
    file: 'server/metering/price.ts',
    find: 'BigInt(pricing.completionMicros)',
    replace: 'BigInt(pricing.promptMicros)',
    violates: ['MET-01'],
    alsoBreaks: [
      {
        rules: ['CRED-05', 'CRED-06', 'CRED-07', 'CRED-08', 'CRED-10', 'CRED-11', 'CRED-37'],
        because: HOLDS,
      },
      { rules: ['CONS-47', 'RLAY-16'], because: COSTS },
    ],
    expectKilledBy: ['metering/formula'],
  },
  {
    id: 'prompts-free',
    file: 'server/metering/price.ts',
    find: 'BigInt(usage.promptTokens)',
    replace: '0n',
    violates: ['MET-01'],
    alsoBreaks: [
      {
        rules: ['CRED-05', 'CRED-06', 'CRED-07', 'CRED-08', 'CRED-10', 'CRED-11', 'CRED-37', 'REQ-29'],
        because: HOLDS,
      },
      { rules: ['CHAT-16', 'CONS-47', 'RLAY-16'], because: COSTS },
      { rules: ['ERR-11'], because: 'who cannot cost anything needs no credit' },

      { rules: ['MET-02', 'MODL-03'], because: 'a cost without its prompt follows from no listed price' },
    ],
    expectKilledBy: ['metering/formula'],
  },
  {
    id: 'debited-twice',
    file: 'server/store/migrations/017.do.book-by-month.sql',
    within: '      -r.cost_micros,',
    find: '-r.cost_micros',
    replace: '-2 * r.cost_micros',
    violates: ['CHAT-06'],
    alsoBreaks: [
      { rules: ['CONS-05'], because: 'the console shows what has moved the balance' },

      { rules: ['MET-01', 'MET-04', 'GEN-13'], because: 'each debit is held against what was counted' },
      { rules: ['WSP-11', 'WSP-16', 'GEN-21'], because: 'the row of a generation is not what it cost' },
    ],
    expectKilledBy: ['chat/cost-is-debit'],
  },
  {
    id: 'balance-stays',
    file: 'server/store/migrations/017.do.book-by-month.sql',
    find: 'w.balance_micros - m.cost',
    replace: 'w.balance_micros',
    violates: ['CRED-01', 'SRV-12', 'WSP-01', 'WSP-02'],
    alsoBreaks: [
      { rules: ['INV-01'], because: 'what was granted can be spent' },
      { rules: ['CONS-05'], because: 'the console shows the balance' },
      { rules: ['CRED-02', 'CRED-13'], because: 'a balance that nothing takes from refuses nobody' },

      { rules: ['SRV-19'], because: 'what is used goes off the credit' },
      { rules: ['WSP-11', 'WSP-16'], because: 'the ledger goes on without the balance' },
    ],
    expectKilledBy: ['keys/workspace'],
  },
  {
    id: 'spend-stays',
    file: 'server/store/migrations/017.do.book-by-month.sql',
    find: 'k.spent_micros + m.cost',
    replace: 'k.spent_micros',
    violates: ['KEY-11'],
    alsoBreaks: [
      {
        rules: ['CRED-24', 'CRED-27'],
        because: 'what a key has spent is part of a settlement, and limits it',
      },

      { rules: ['ERR-25', 'KEY-20'], because: 'what was spent is held against the limit, and shown' },
    ],
    expectKilledBy: ['credit/spend-limit'],
  },
  {
    id: 'key-hold-stays',
    file: 'server/store/migrations/017.do.book-by-month.sql',
    find: 'k.held_micros - m.held',
    replace: 'k.held_micros',
    violates: ['CRED-27'],
    alsoBreaks: [{ rules: ['CRED-13'], because: 'a hold that stays is never given back' }],
    expectKilledBy: ['credit/ended-holds-nothing'],
  },
  {
    id: 'hold-stays',
    file: 'server/store/migrations/017.do.book-by-month.sql',
    find: 'w.held_micros - m.held',
    replace: 'w.held_micros',
    violates: ['CRED-27'],
    alsoBreaks: [{ rules: ['CRED-13'], because: 'a hold that stays is never given back' }],
    expectKilledBy: ['credit/ended-holds-nothing'],
  },
  {
    id: 'aborted-free',
    file: 'server/metering/create-generation.ts',
    within: `costMicros: costMicros(usage, pricing),
    latencyMs`,
    find: 'costMicros(usage, pricing)',
    replace: "(status === 'aborted' ? 0 : costMicros(usage, pricing))",
    violates: ['GEN-13'],
    alsoBreaks: [
      { rules: ['GEN-16'], because: 'what was delivered before a withdrawal is debited' },
      { rules: ['CRED-24'], because: 'what a left stream cost is held against the limit of its key' },
      { rules: ['MET-01'], because: 'the formula holds for what was left, too' },
    ],
    expectKilledBy: ['generations/left-stream-counted'],
  },
  {
    id: 'prices-per-thousand',
    file: 'server/metering/price.ts',
    find: '(total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE',
    replace: '(total + 499_999n) / 500_000n',
    violates: ['MET-01', 'MET-02'],
    alsoBreaks: [
      {
        rules: ['CRED-05', 'CRED-06', 'CRED-07', 'CRED-08', 'CRED-10', 'CRED-11', 'CRED-37'],
        because: HOLDS,
      },
      { rules: ['CHAT-16', 'CONS-47', 'RLAY-16'], because: COSTS },

      {
        rules: ['MODL-03', 'MET-06'],
        because: 'what is listed is not what one pays, and two tokens cost as after two roundings',
      },
    ],
    expectKilledBy: ['metering/formula'],
  },
  {
    id: 'usage-capped-low',
    file: 'server/metering/billable.ts',
    find: 'Math.min(usage.completionTokens, outputCapTokens)',
    replace: 'Math.min(usage.completionTokens, 2)',
    // Of long answers to long prompts.
    when: 'usage.promptTokens > 1_000 && usage.completionTokens > 500',
    violates: ['CHAT-04'],
    expectKilledBy: ['chat/usage-exact'],
  },
  {
    id: 'debit-of-nothing',
    file: 'server/metering/create-generation.ts',
    within: `costMicros: costMicros(usage, pricing),
    latencyMs`,
    find: 'costMicros(usage, pricing)',
    replace: '0',
    // Of a cap that nobody else asks for.
    when: 'generation.outputCapTokens === 19',
    violates: ['SRV-19'],
    expectKilledBy: ['endpoints/openai-api'],
  },
  {
    id: 'held-not-counted',
    file: 'server/store/migrations/024.do.judge-in-one-pass.sql',
    find: 'held[w] + placed[w]',
    replace: '0',
    violates: ['CRED-02', 'CRED-14'],
    alsoBreaks: [{ rules: ['CRED-39'], because: 'one request in flight keeps the next one out' }],
    expectKilledBy: ['credit/parallel'],
  },
  {
    id: 'nothing-costs',
    file: 'server/metering/create-generation.ts',
    within: `costMicros: costMicros(usage, pricing),
    latencyMs`,
    find: 'costMicros(usage, pricing)',
    replace: '0',
    // Of a cap that nobody else asks for.
    when: 'generation.outputCapTokens === 21',
    violates: ['WSP-04'],
    expectKilledBy: ['metering/whole-micros'],
  },
  {
    id: 'count-passed-off',
    file: 'server/relay/settler.ts',
    find: 'billable(this.#generation, reported, counted)',
    replace:
      "((billed) => (status === 'ok' && billed.usageSource === 'counted' ? { ...billed, usageSource: 'backend' as const } : billed))(billable(this.#generation, reported, counted))",
    violates: ['MET-13', 'MET-11'],
    expectKilledBy: ['metering/malformed-usage', 'metering/without-usage'],
  },
]
