import type { Manner } from './strange.ts'

const OWN = ['x_strange', { of: ['its', 'own'] }] as const

const inTurns = (name: string) =>
  [...name].map((letter, place) => (place % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase())).join('')

/**
 * Ways to write that are as legal as the reference's own: nobody is convicted for one. Whoever is acquitted with several of
 * them at once is acquitted with each.
 */
export const manners: Readonly<Record<string, Manner>> = {
  'header names in an odd case, lines of its own, a connection for each answer and another base path': {
    headerName: inTurns,
    headers: { server: 'strange/1', 'x-powered-by': 'nothing', via: '1.1 strange' },
    isClosing: true,
    base: '/api/models-for-all',
  },
  'fields of its own in every object, members in another order, chunks of odd sizes and CRLF in its streams':
    {
      object: (object) => Object.fromEntries([...Object.entries(object), OWN].toReversed()),
      pieces: [3, 1, 700, 2, 19, 5],
      lineEnd: '\r\n',
    },
  'a byte at a time, and each answer a little late': { pieces: [1], delayMs: 60 },
}
