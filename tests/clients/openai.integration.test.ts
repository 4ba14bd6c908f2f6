import { expect, test } from 'vitest'
import { ORIGIN, type Place } from './deployment.ts'
import { suiteOf } from './suite.ts'
import { visit } from './visit.ts'

const bench = suiteOf('openai')

test.each<Place>(['router', 'proxy'])(
  'a page of an allowed origin may send every header that the SDK sends, and read what it goes by, at the %s',
  async (place) => {
    const { ask, seen } = await visit(bench(), place, {})
    await ask('chat')
    const { path, headers } = seen()[0]!
    const sent = Object.keys(headers).filter((name) =>
      /^(authorization|content-type|x-stainless-.+)$/.test(name),
    )
    expect(sent.length).toBeGreaterThan(5)
    const url = new URL(path, bench().deployment.baseUrls[place])

    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': sent.join(','),
      },
    })
    expect(preflight.status).toBeLessThan(300)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(listIn(preflight, 'access-control-allow-headers')).toEqual(expect.arrayContaining(sent))

    const refused = await fetch(url, { method: 'POST', headers: { origin: ORIGIN }, body: '{}' })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(listIn(refused, 'access-control-expose-headers')).toEqual(
      expect.arrayContaining(['x-request-id', 'retry-after', 'retry-after-ms', 'x-should-retry']),
    )
  },
)

test('the SDK tries twice more by default', async () => {
  const { ask } = await visit(bench(), 'router', {})
  expect(await ask('defaultRetries')).toBe(2)
})

function listIn(response: Response, header: string): readonly string[] {
  return (response.headers.get(header) ?? '').toLowerCase().split(/, */)
}
