import type { LiveFault } from '../fault.ts'

/** Headers of requests and answers. */
export const headers: readonly LiveFault[] = [
  {
    id: 'own-request-ids',
    file: 'server/request-id.ts',
    find: 'ECHOED.test(offered)',
    replace: 'false',
    violates: ['HDR-02'],
    alsoBreaks: [{ rules: ['HDR-08'], because: 'it says which ids come back' }],
    expectKilledBy: ['headers/request-id-echo'],
  },
  {
    id: 'other-generation-id-in-header',
    file: 'server/routes/inference.ts',
    within: "headers['X-Router-Generation-Id'] = generation.id",
    find: 'generation.id',
    replace: 'generation.id.toLowerCase()',
    violates: ['HDR-03'],
    alsoBreaks: [{ rules: ['HDR-10'], because: 'the header is to name the generation by its id' }],
    expectKilledBy: ['headers/generation-id'],
  },
  {
    id: 'cors-for-all',
    file: 'server/routes/cors.ts',
    find: "!allowed.includes('*') && !allowed.includes(origin)",
    replace: 'false',
    violates: ['HDR-13'],
    expectKilledBy: ['headers/cors-foreign'],
  },
]
