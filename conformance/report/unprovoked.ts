const SLOW_BODY =
  'The suite sends whole bodies: what comes too slowly is told after 15 s, and shown by the reading of bodies itself.'

/** Answers that an operation declares, and codes, that nothing outside can provoke, each with the reason. */
export const unprovoked: Readonly<Record<string, string>> = {
  'getEvidence 500':
    'It answers from memory: no part of the deployment that a test can break has a hand in it.',
  'createChatCompletion 408': SLOW_BODY,
  'createCompletion 408': SLOW_BODY,
  'createEmbedding 408': SLOW_BODY,
  request_timeout: SLOW_BODY,
}
