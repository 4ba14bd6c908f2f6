import type { LiveFault } from '../fault.ts'

/** Answers of chat completions. */
export const chat: readonly LiveFault[] = [
  {
    id: 'backend-id-shown',
    file: 'server/relay/answer-body.ts',
    find: '(hasId ? { id: JSON.stringify(generation.id) } : {})',
    replace: '{}',
    violates: ['CHAT-02'],
    alsoBreaks: [{ rules: ['CHAT-17'], because: 'a text completion is answered as a chat is' }],
    expectKilledBy: ['chat/id'],
  },
  {
    id: 'other-object',
    file: 'server/relay/answer-body.ts',
    find: '(hasId ? { id: JSON.stringify(generation.id) } : {})',
    replace: `{ id: JSON.stringify(generation.id), object: '"answer"' }`,
    // Of chats: texts have a name of their own, and vectors no id.
    when: "generation.operation === 'chat'",
    violates: ['CHAT-01', 'EP-03'],
    expectKilledBy: ['chat/finish-reason', 'endpoints/chat'],
  },
  {
    id: 'backend-model-shown',
    file: 'server/relay/answer-body.ts',
    find: 'spell(generation.model)',
    replace: `'"tiny-chat"'`,
    violates: ['CHAT-03'],
    alsoBreaks: [
      { rules: ['REQ-02'], because: 'it is the name that the request has to use' },
      { rules: ['RLAY-16'], because: 'an answer of another model is called by its name' },

      {
        rules: ['CHAT-17', 'VERD-29'],
        because: 'texts, and models of upstreams, are called as the request named them',
      },
    ],
    expectKilledBy: ['chat/model'],
  },
  {
    id: 'cost-off-by-one',
    file: 'server/relay/usage.ts',
    find: 'String(receipt.costMicros)',
    replace: 'String(receipt.costMicros + 1)',
    // What a whole answer cost is asked for by many.
    when: 'generation.streamed && receipt.costMicros > 0',
    violates: ['CHAT-06'],
    alsoBreaks: [{ rules: ['CHAT-17'], because: 'a text costs the same whether it is streamed or not' }],
    expectKilledBy: ['chat/cost-is-debit'],
  },
  {
    id: 'cost-with-a-fraction',
    file: 'server/relay/usage.ts',
    find: 'String(receipt.costMicros)',
    replace: '`${receipt.costMicros}.5`',
    violates: ['CHAT-05'],
    alsoBreaks: [
      { rules: ['CHAT-16', 'CHAT-17'], because: 'usage of texts and embeddings has the same fields' },
    ],
    expectKilledBy: ['metering/whole-micros', 'chat/usage-fields'],
  },
  {
    id: 'cost-in-text',
    file: 'server/relay/usage.ts',
    find: 'String(receipt.costMicros)',
    replace: '`"${receipt.costMicros}"`',
    violates: ['CHAT-05'],
    alsoBreaks: [
      { rules: ['CHAT-16', 'CHAT-17'], because: 'usage of texts and embeddings has the same fields' },
    ],
    expectKilledBy: ['chat/usage-fields'],
  },
  {
    id: 'usage-endpoint-constant',
    file: 'server/relay/usage.ts',
    find: 'spell(generation.endpoint)',
    replace: `'"router"'`,
    violates: ['CHAT-07', 'CHAT-08'],
    expectKilledBy: ['chat/endpoint', 'upstreams/served'],
  },
  {
    id: 'digest-never-shown',
    file: 'server/relay/usage.ts',
    find: 'spell(generation.evidenceDigest)',
    replace: "'null'",
    violates: ['CHAT-09'],
    alsoBreaks: [
      { rules: ['CHAT-15'], because: 'nothing is not the digest that admitted an upstream' },
      { rules: ['CHAT-14'], because: 'nothing is not the digest that was published' },
    ],
    expectKilledBy: ['evidence/usage-digest'],
  },
  {
    id: 'digest-always-shown',
    file: 'server/relay/usage.ts',
    find: 'spell(generation.evidenceDigest)',
    replace: "spell(generation.evidenceDigest ?? `sha256/${'A'.repeat(43)}`)",
    violates: ['CHAT-10'],
    expectKilledBy: ['evidence/nothing-published'],
  },
  {
    id: 'usage-not-exact',
    file: 'server/relay/answer-body.ts',
    find: '{ usage, bytes: bytes.subarray(member.valueStart, member.end) }',
    replace:
      '{ usage: { ...usage, completionTokens: usage.completionTokens + 1 }, bytes: bytes.subarray(member.valueStart, member.end) }',
    // Those of long answers to long prompts.
    when: 'usage.promptTokens > 1_000 && usage.completionTokens > 100',
    violates: ['CHAT-04'],
    expectKilledBy: ['chat/usage-exact'],
  },
  {
    id: 'usage-beside',
    file: 'server/relay/answer-body.ts',
    find: 'shownUsage(generation, settled, reported)',
    replace: `shownUsage(generation, settled, reported).toString().replace(/,"cost_micros":.*}$/, '}')`,
    violates: ['CHAT-05'],
    alsoBreaks: [
      { rules: ['CHAT-16', 'CHAT-17'], because: 'usage of texts and embeddings has the same fields' },
    ],
    expectKilledBy: ['chat/usage-fields'],
  },
  {
    id: 'extensions-twice',
    file: 'server/relay/usage.ts',
    find: 'String(receipt.costMicros)',
    replace: '`${receipt.costMicros}},"cost_micros":${receipt.costMicros},"rest":{"x":1`',
    violates: ['CHAT-12'],
    alsoBreaks: [
      { rules: ['CHAT-05'], because: 'they leave usage for another place' },
      { rules: ['CHAT-16', 'CHAT-17'], because: 'usage of texts and embeddings has the same fields' },
    ],
    expectKilledBy: ['chat/usage-fields'],
  },
  {
    id: 'digest-in-hex',
    file: 'server/relay/usage.ts',
    find: 'spell(generation.evidenceDigest)',
    replace:
      "spell(generation.evidenceDigest && `sha256:${Buffer.from(generation.evidenceDigest.slice(7), 'base64url').toString('hex')}`)",
    violates: ['CHAT-13'],
    expectKilledBy: ['chat/digest-in-wire-form'],
  },
]
