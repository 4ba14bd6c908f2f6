import { afterEach, expect, test } from 'vitest'
import platform from '../scenarios/platform.ts'
import { bareTarget, benchFor, type Product, serve } from '../testing/product.ts'
import { bytesOf, readCorpus } from '../vectors/corpus.ts'
import type { Outcome } from './outcome.ts'
import { define } from './scenario.ts'
import { runSuite } from './suite.ts'

const HOSTNAME = 'router.example'

let product: Product | undefined

afterEach(() => product?.stop())

/** How the suite judges a platform that publishes the bundle of a vector, with this as its quote. */
async function judge(
  vector: string,
  change: (quote: unknown) => unknown = (quote) => quote,
): Promise<Outcome> {
  const found = readCorpus().find(({ id }) => id === `untrusted-root/${vector}`)
  const { rootCaTeeQuote, ...bundle } = JSON.parse(bytesOf(found?.request.bundle ?? []).toString())
  const body = JSON.stringify({ ...bundle, rootCaTeeQuote: change(rootCaTeeQuote) })
  product = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': '1' })
    response.end(body)
  })
  const url = new URL(product.baseUrl).origin
  const target = bareTarget(product.baseUrl, {
    profiles: ['platform'],
    platform: { url, hostname: HOSTNAME },
  })
  const scenarios = [define('platform/bundle', platform.bundle)]
  const [outcome] = await runSuite({
    ...benchFor(target),
    scenarios,
    profiles: ['platform'],
    jobs: 1,
    isSlow: false,
  })
  return outcome!
}

test.each([
  ['AMD SEV-SNP', 'snp-real-genoa', 'amd-sev-snp-report'],
  ['Intel TDX', 'tdx-real-version-4', 'intel-tdx-quote-v4'],
])(
  'a platform that publishes a real quote of %s is warned for BNDL-12, and fails nothing',
  async (_, vector, format) => {
    const { verdict, problems, shown, violations } = await judge(vector)
    expect(verdict).toBe('warn')
    expect(problems).toEqual([expect.stringContaining(format)])
    expect(problems[0]).toContain('"not-implemented"')
    expect(shown?.broken).toEqual([])
    expect(shown?.held.get('BNDL-12')).toBeGreaterThan(0)
    expect(violations).toEqual([])
  },
)

test('a platform that says that it has no quote passes', async () => {
  expect(await judge('snp-real-genoa', () => ({ status: 'not-implemented' }))).toMatchObject({
    verdict: 'pass',
    problems: [],
  })
})

test('a platform whose quote is a text breaks BNDL-12', async () => {
  const { verdict, shown } = await judge('snp-real-genoa', () => 'a quote')
  expect(verdict).toBe('fail')
  expect(shown?.broken).toMatchObject([{ rules: ['BNDL-12'] }])
})
