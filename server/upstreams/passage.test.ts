import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Dispatcher } from 'undici'
import { expect, test } from 'vitest'
import { AttestationError, type Digest, digestOf } from '#attestation'
import { PinnedDispatch, type Way } from '#egress/dispatch/pinned.ts'
import type { AttestedEndpoint } from '#egress/endpoint.ts'
import { Withdrawn } from '#egress/refused.ts'
import type { Patience } from '#egress/verdict/doubts.ts'
import type { Admitted, Verdict } from '#egress/verdict/verdict.ts'
import { admissionOf, basis } from '../../egress/testing/admissions.ts'
import { ApiError } from '../errors.ts'
import { openPassage } from './passage.ts'
import { registrationOf } from './testing.ts'
import type { Upstream } from './upstream.ts'

const old = digestOf('old leaf')
const renewed = digestOf('renewed leaf')
const since = { wallMs: 0, monotonicMs: 0 }
const mismatch = new AttestationError('tls-fingerprint', 'leaf_mismatch')
const controller = {} as Dispatcher.DispatchController

function admittedAt(leaf: Digest, digest?: Digest): Admitted {
  const admission = admissionOf(leaf)
  return {
    state: 'admitted',
    since,
    basis,
    admission: digest === undefined ? admission : { ...admission, digest },
  }
}

/**
 * An upstream whose connections are made by hand; `awaited` is what a request that met another certificate waits for,
 * and undefined when it has waited in vain.
 */
function createWorld(awaited: Verdict | Error | undefined, body = Buffer.from('{}')) {
  const tries: { leaf: Digest; handler: Dispatcher.DispatchHandler; headers: unknown }[] = []
  const told: string[] = []
  const patiences: Patience[] = []
  const errors: Error[] = []
  const pool = (leaf: Digest) => ({
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
      tries.push({ leaf, handler, headers: options.headers })
      return true
    },
  })
  const way: Way = {
    verdict: () => (awaited instanceof Error ? admittedAt(old) : (awaited ?? admittedAt(old))),
    poolOf: pool,
    async awaitRenewal(_, patience) {
      patiences.push(patience)
      if (awaited instanceof Error) throw awaited
      return awaited
    },
    onRefusedLeaf() {},
    onThrown() {},
  }
  const endpoint: Pick<AttestedEndpoint, 'dispatch'> = {
    dispatch: (...asked) => new PinnedDispatch(way, ...asked).start(),
  }
  const upstream = { registration: registrationOf(), apiKey: 'vendor-key', endpoint } as unknown as Upstream
  const term = new AbortController()
  const admittance = { verdict: admittedAt(old), term: term.signal }
  const passage = openPassage(upstream, admittance, { model: 'large', usage: 'final' }, since)
  const request = { path: '/chat/completions', body, accept: 'application/json' } as const
  passage.dispatch(request, {
    onRequestStart: () => void told.push('start'),
    onResponseStart: () => void told.push('head'),
    onResponseData: () => {},
    onResponseEnd: () => void told.push('end'),
    onResponseError: (_, error) => void errors.push(error),
  })
  return {
    tries,
    told,
    patiences,
    errors,
    term,
    passage,
    async fail(error: Error) {
      tries.at(-1)!.handler.onResponseError!(controller, error)
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    },
  }
}

/** What a refusal says on the wire. */
function wordsOf(error: Error | undefined) {
  const { stage, reason } = (error as ApiError).toBody()
  return [(error as ApiError).code, stage, reason]
}

test('a request goes to the certificate of its verdict, with the upstream’s key and no other header', () => {
  const { tries } = createWorld(admittedAt(renewed))
  expect(tries).toHaveLength(1)
  expect(tries[0]).toMatchObject({ leaf: old })
  expect(tries[0]!.headers).toEqual({
    'content-type': 'application/json',
    accept: 'application/json',
    authorization: 'Bearer vendor-key',
    'content-length': '2',
  })
})

test('where another certificate stands, it waits and goes on under the one that was signed for meanwhile', async () => {
  const { tries, told, errors, patiences, fail } = createWorld(admittedAt(renewed))
  await fail(mismatch)
  expect(tries.map(({ leaf }) => leaf)).toEqual([old, renewed])
  expect([told, errors]).toEqual([[], []])
  // From its arrival, however often it meets another one.
  await fail(mismatch)
  expect(patiences.map((patience) => patience.since)).toEqual([since, since])
})

test('it does not dial for ever: a fifth connection with another certificate is the last', async () => {
  const { tries, told, errors, fail } = createWorld(admittedAt(old))
  for (let count = 0; count < 5; count++) await fail(mismatch)
  expect([tries.length, told]).toEqual([5, []])
  expect(wordsOf(errors[0])).toEqual(['attestation_failed', 'upstream-tls-fingerprint', 'leaf_mismatch'])
})

const denied: Verdict = {
  state: 'denied',
  ground: new AttestationError('policy', 'digest_not_pinned'),
  isSticky: true,
}

test.each<[string, Verdict | undefined, string, string, string]>([
  ['in vain', undefined, 'upstream-tls-fingerprint', 'leaf_mismatch', 'true'],
  [
    'for another deployment',
    admittedAt(renewed, digestOf('another')),
    'upstream-attesting',
    'verdict_pending',
    'true',
  ],
  ['for a denial', denied, 'upstream-policy', 'digest_not_pinned', 'false'],
])(
  'when it has waited %s, nothing is sent and the caller is told',
  async (_, verdict, stage, reason, again) => {
    const { tries, told, errors, fail } = createWorld(verdict)
    await fail(mismatch)
    expect([tries.length, told]).toEqual([1, []])
    expect(errors[0]).toBeInstanceOf(ApiError)
    expect(wordsOf(errors[0])).toEqual(['attestation_failed', stage, reason])
    expect((errors[0] as ApiError).headers).toMatchObject({ 'x-should-retry': again })
  },
)

test('what is thrown while it waits is told to the caller', async () => {
  const broken = new Error('broken')
  const { tries, errors, fail } = createWorld(broken)
  await fail(mismatch)
  expect([tries.length, errors]).toEqual([1, [broken]])
})

test('one that nobody waits for any more is sent nowhere', async () => {
  const { passage, patiences, tries, fail } = createWorld(admittedAt(renewed))
  passage.abandon()
  await fail(mismatch)
  expect([patiences[0]?.signal?.aborted, tries.length]).toEqual([true, 1])
})

test('once it was sent it is never sent again, and other failures are passed on as they are', async () => {
  const sent = createWorld(admittedAt(renewed))
  sent.tries[0]!.handler.onRequestStart!(controller, {})
  await sent.fail(mismatch)
  expect([sent.tries.length, sent.errors]).toEqual([1, [mismatch]])
  const lost = createWorld(admittedAt(renewed))
  const reset = new Error('reset')
  await lost.fail(reset)
  expect([lost.tries.length, lost.errors]).toEqual([1, [reset]])
})

test('a request that was sent was revoked; one of which nothing was sent was not admitted', () => {
  const { term, passage } = createWorld(admittedAt(renewed))
  term.abort(new Withdrawn(new AttestationError('policy', 'no_pins')))
  const words = [true, false].map((isSent) => wordsOf(passage.withdrawalError(isSent)))
  expect(words).toEqual([
    ['attestation_revoked', 'upstream-policy', 'no_pins'],
    ['attestation_failed', 'upstream-policy', 'no_pins'],
  ])
})

/** Collects what nobody holds any more. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc')
  await setImmediate()
  runInNewContext('gc')()
}

/** The handler of a request that is under way, and its body as far as anybody still holds it. */
function sendLarge() {
  const body = Buffer.alloc(100_000)
  const { handler } = createWorld(admittedAt(renewed), body).tries[0]!
  return { handler, body: new WeakRef(body) }
}

test('its body is kept until it is sent and let go of then, however long the answer runs', async () => {
  const { handler, body } = sendLarge()
  await collect()
  expect(body.deref()?.length).toBe(100_000)
  handler.onRequestStart!(controller, {})
  await collect()
  expect(body.deref()).toBeUndefined()
  expect(handler).toBeDefined()
})
