/** Answers that an operation declares and nothing outside can provoke, each with the reason. */
export const unprovoked: Readonly<Record<string, string>> = {
  'getEvidence 500':
    'It answers from memory: no part of the deployment that a test can break has a hand in it.',
}
