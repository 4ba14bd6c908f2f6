import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { expect, test } from 'vitest'
import { AttestationError, type Digest, digestOf } from '#attestation'
import { type Refused, Withdrawn } from '../refused.ts'
import { admissionOf, basis } from '../testing/admissions.ts'
import type { Admitted, Verdict } from '../verdict/verdict.ts'
import { type Outgoing, PinnedDispatch } from './pinned.ts'

const old = digestOf('old leaf')
const renewed = digestOf('renewed leaf')
const since = { wallMs: 0, monotonicMs: 0 }
const mismatch = new AttestationError('tls-fingerprint', 'leaf_mismatch')
const unpinned = new AttestationError('policy', 'digest_not_pinned')
const denied: Verdict = { state: 'denied', ground: unpinned, isSticky: false }

function admittedAt(leaf: Digest): Admitted {
  return { state: 'admitted', since, basis, admission: admissionOf(leaf) }
}

interface Try {
  readonly leaf: Digest
  readonly handler: Dispatcher.DispatchHandler
  readonly body: Dispatcher.DispatchOptions['body']
}

/** A request whose connections are made by hand; what it waits for where another certificate is shown is `awaited`. */
function createWorld(awaited: Verdict | Error | undefined, changes: Partial<Outgoing> = {}) {
  const tries: Try[] = []
  const told: string[] = []
  const errors: Error[] = []
  const refusedLeaves: Admitted[] = []
  const thrown: unknown[] = []
  const aborted: unknown[] = []
  const term = new AbortController()
  const world = { verdict: admittedAt(old) as Verdict }
  const way = {
    verdict: () => world.verdict,
    poolOf: (leaf: Digest) => ({
      dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        tries.push({ leaf, handler, body: options.body })
        return true
      },
    }),
    async awaitRenewal() {
      if (awaited instanceof Error) throw awaited
      return awaited
    },
    onRefusedLeaf: (verdict: Admitted) => void refusedLeaves.push(verdict),
    onThrown: (error: unknown) => void thrown.push(error),
  }
  const outgoing: Outgoing = {
    compose: () => ({ path: '/', method: 'POST', body: new Readable({ read() {} }) }),
    patience: { since },
    ...changes,
  }
  const controller = {
    abort: (reason: Error) => void aborted.push(reason.message),
  } as unknown as Dispatcher.DispatchController
  const request = new PinnedDispatch(way, { verdict: admittedAt(old), term: term.signal }, outgoing, {
    onRequestStart: () => void told.push('start'),
    onResponseError: (_, error) => void errors.push(error),
  })
  return {
    tries,
    told,
    errors,
    refusedLeaves,
    thrown,
    aborted,
    term,
    world,
    request,
    send: () => tries.at(-1)!.handler.onRequestStart!(controller, {}),
    async fail(error: Error) {
      tries.at(-1)!.handler.onResponseError!(controller, error)
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    },
  }
}

/** What a refusal says. */
function wordsOf(error: Error | undefined) {
  const { code, ground, heals } = error as Refused
  return [code, ground.stage, ground.reason, heals]
}

test('a request goes to the certificate of its verdict, and where another stands on under the one signed for', async () => {
  const world = createWorld(admittedAt(renewed))
  world.request.start()
  expect(world.tries.map(({ leaf }) => leaf)).toEqual([old])
  await world.fail(mismatch)
  expect(world.tries.map(({ leaf }) => leaf)).toEqual([old, renewed])
  await world.fail(mismatch)
  // The first one of each request is told.
  expect(world.refusedLeaves.map(({ admission }) => admission.certFingerprint)).toEqual([old])
  // What came to nothing reads no more of the client’s body.
  expect(world.tries.map(({ body }) => (body as Readable).destroyed)).toEqual([true, true, false])
})

test('under a verdict that has ended nothing is dialled, and the request is refused with its reason', () => {
  const { request, term, tries, errors } = createWorld(undefined)
  term.abort(new Withdrawn(unpinned))
  request.start()
  expect([tries.length, wordsOf(errors[0])]).toEqual([
    0,
    ['attestation_failed', 'policy', 'digest_not_pinned', false],
  ])
})

test('a verdict that ends while a request heals keeps it from going on', async () => {
  const { request, term, tries, errors, fail } = createWorld(admittedAt(renewed))
  request.start()
  term.abort(new Withdrawn(unpinned))
  await fail(mismatch)
  expect([tries.length, wordsOf(errors[0])]).toEqual([
    1,
    ['attestation_failed', 'policy', 'digest_not_pinned', false],
  ])
})

test.each<[string, Verdict | undefined, Partial<Outgoing>, unknown[]]>([
  ['in vain', undefined, {}, ['tls-fingerprint', 'leaf_mismatch', true]],
  ['for a denial', denied, {}, ['policy', 'digest_not_pinned', false]],
  [
    'for one that it may not go under',
    admittedAt(renewed),
    { mayGoUnder: () => false },
    ['attesting', 'verdict_pending', true],
  ],
  [
    'when nobody waits for it',
    admittedAt(renewed),
    { patience: { since, signal: AbortSignal.abort() } },
    ['tls-fingerprint', 'leaf_mismatch', true],
  ],
])('one that has waited for another verdict %s is sent nothing', async (_, awaited, changes, words) => {
  const { request, tries, told, errors, fail } = createWorld(awaited, changes)
  request.start()
  await fail(mismatch)
  expect([tries.length, told]).toEqual([1, []])
  expect(wordsOf(errors[0])).toEqual(['attestation_failed', ...words])
})

test('a fifth connection with another certificate is the last, and the request is told what the verdict is by then', async () => {
  const { request, world, tries, errors, fail } = createWorld(admittedAt(renewed))
  request.start()
  for (let count = 0; count < 4; count++) await fail(mismatch)
  world.verdict = denied
  await fail(mismatch)
  expect([tries.length, wordsOf(errors[0])]).toEqual([
    5,
    ['attestation_failed', 'policy', 'digest_not_pinned', false],
  ])
})

test('what was sent is never sent again, not over the same connection either', async () => {
  const { request, tries, told, errors, aborted, send, fail } = createWorld(admittedAt(renewed))
  request.start()
  send()
  send()
  request.start()
  expect([tries.length, told, aborted]).toEqual([1, ['start'], ['This request has been sent.']])
  await fail(mismatch)
  expect([tries.length, errors]).toEqual([1, [mismatch]])
})

test('a verdict that ends revokes what was sent, and refuses what was not', async () => {
  const sent = createWorld(undefined)
  sent.request.start()
  sent.send()
  await sent.fail(new Withdrawn(unpinned))
  expect(wordsOf(sent.errors[0])).toEqual(['attestation_revoked', 'policy', 'digest_not_pinned', false])
  const unsent = createWorld(undefined, { inWords: ({ code }) => new Error(`in words: ${code}`) })
  unsent.request.start()
  await unsent.fail(new Withdrawn(unpinned))
  expect(unsent.errors).toEqual([new Error('in words: attestation_failed')])
})

test('other failures are passed on, and what is thrown while it waits is told as well', async () => {
  const lost = createWorld(undefined)
  lost.request.start()
  const reset = new Error('reset')
  await lost.fail(reset)
  expect([lost.errors, lost.refusedLeaves]).toEqual([[reset], []])
  const broken = new Error('broken')
  const world = createWorld(broken)
  world.request.start()
  await world.fail(mismatch)
  expect([world.errors, world.thrown, world.tries.length]).toEqual([[broken], [broken], 1])
})
