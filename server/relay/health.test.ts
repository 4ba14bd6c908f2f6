import { expect, test } from 'vitest'
import { createHealth } from './health.ts'

function world() {
  const clock = { nowMs: 0 }
  const health = createHealth(() => clock.nowMs)
  const stateAt = (ms: number) => {
    clock.nowMs = ms
    return health.state()
  }
  return { health, clock, stateAt }
}

test('one refusal opens the circuit, for as long as it asks for', () => {
  const { health, stateAt } = world()
  health.refused(7)
  expect([stateAt(0), stateAt(6_999), stateAt(7_000)]).toEqual(['open', 'open', 'probe'])
})

test('without a Retry-After the rest grows from refusal to refusal of a probe, up to half a minute', () => {
  const { health, clock, stateAt } = world()
  health.refused()
  for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const since = clock.nowMs
    expect([stateAt(since + restMs - 1), stateAt(since + restMs)]).toEqual(['open', 'probe'])
    health.probed()
    expect(health.state()).toBe('open')
    health.refused()
  }
})

test('calls that were under way together and are refused together are one reason to rest', () => {
  const { health, stateAt } = world()
  for (let call = 0; call < 20; call++) health.refused()
  expect(stateAt(1_000)).toBe('probe')
})

test('a longer Retry-After of a later call lengthens the rest, a shorter one does not shorten it', () => {
  const { health, stateAt } = world()
  health.refused(5)
  health.refused(20)
  health.refused(1)
  expect([stateAt(19_999), stateAt(20_000)]).toEqual(['open', 'probe'])
})

test('a connection that comes about does not close the circuit of a backend that refused; an answer does', () => {
  const { health } = world()
  health.refused()
  health.connected()
  expect(health.state()).toBe('open')
  health.answered()
  expect(health.state()).toBe('closed')
})

test('a probe that never ends keeps nobody from probing again', () => {
  const { health, stateAt } = world()
  health.refused()
  expect(stateAt(1_000)).toBe('probe')
  health.probed()
  expect([stateAt(1_999), stateAt(2_000)]).toEqual(['open', 'probe'])
})
