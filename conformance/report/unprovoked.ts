const SLOW_BODY =
  'The suite sends whole bodies: what comes too slowly is told after 15 s, and shown by the reading of bodies itself.'

const CELL_AWAY =
  'One of several databases is away: the suite knows a router with one alone. Our own test of cells kills one.'

/** Answers that an operation declares, and codes, that nothing outside can provoke, each with the reason. */
export const unprovoked: Readonly<Record<string, string>> = {
  'getEvidence 500':
    'It answers from memory: no part of the deployment that a test can break has a hand in it.',
  'listModels 503': CELL_AWAY,
  'getModel 503': CELL_AWAY,
  'getGeneration 503': CELL_AWAY,
  'createChatCompletion 408': SLOW_BODY,
  'createCompletion 408': SLOW_BODY,
  'createEmbedding 408': SLOW_BODY,
  request_timeout: SLOW_BODY,
}
