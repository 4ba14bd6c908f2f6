import { expect, test } from 'vitest'
import { failed, passed } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import { AskedChecks } from './asked-checks.ts'
import { firstIdentity } from './testing/world.ts'

const good = passed(firstIdentity.fingerprint)

/** Checks that pass at once, of a platform that counts them. */
function startChecks() {
  const clock = new TestClock()
  const platform = { checks: 0 }
  const asked: AskedChecks = new AskedChecks(async () => {
    platform.checks++
    asked.note(good, false)
  }, clock)
  return { clock, platform, asked }
}

test('whoever asks meanwhile waits, and shares the next check, 5 seconds after the one before (PRXY-30)', async () => {
  const { clock, platform, asked } = startChecks()
  expect(await asked.ask()).toEqual({ outcome: good, isForeign: false })
  const waiting = Array.from({ length: 1_000 }, () => asked.ask())
  await clock.pass(4_999)
  expect(platform.checks).toBe(1)
  await clock.pass(1)
  expect(new Set(await Promise.all(waiting)).size).toBe(1)
  expect(platform.checks).toBe(2)
})

test('a program that asks again and again has an endpoint checked every 5 seconds', async () => {
  const { clock, platform, asked } = startChecks()
  let isOver = false
  const program = (async () => {
    while (!isOver) await asked.ask()
  })()
  await clock.pass(60_000)
  expect(platform.checks).toBe(13)
  isOver = true
  asked.stop()
  await program
})

test('what is told was found by a check that began after the question', async () => {
  const clock = new TestClock()
  const ends: (() => void)[] = []
  const asked = new AskedChecks(() => new Promise((resolve) => ends.push(resolve)), clock)
  const first = asked.ask()
  await clock.pass(0)
  // It runs, and whoever asks now waits for another one.
  const second = asked.ask()
  asked.note(failed('policy', 'digest_not_pinned'), false)
  ends[0]!()
  expect(await first).toMatchObject({ outcome: { kind: 'failed' } })
  await clock.pass(5_000)
  asked.note(good, false)
  ends[1]!()
  expect(await second).toMatchObject({ outcome: { kind: 'passed' } })
})

test('a proxy that stops keeps nobody waiting, and tells nothing old', async () => {
  const { platform, asked } = startChecks()
  await asked.ask()
  const waiting = asked.ask()
  asked.stop()
  expect(await waiting).toBeUndefined()
  expect(await asked.ask()).toBeUndefined()
  expect(platform.checks).toBe(1)
})
