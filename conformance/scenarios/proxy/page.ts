import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { expectStatus } from '../../engine/expect.ts'
import type { Topic } from '../../engine/topic.ts'

/** How long the page may take (ours). */
const TIMEOUT_MS = 5_000

export default {
  'digest-for-people': {
    rules: ['DIG-01'],
    title: 'People are shown the digest of what is deployed in hexadecimal: "sha256:" and 64 digits',
    needs: ['proxyPage', 'key'],
    subjects: ['proxy'],
    async run(context) {
      expectStatus(await context.request('listModels'), 200)
      const { payload } = expectBundle(await context.request('getEvidence', { key: null }))
      const hex = Buffer.from(payload.evidenceDigest.replace('sha256/', ''), 'base64url').toString('hex')
      assert.match(hex, /^[0-9a-f]{64}$/)
      const page = await fetch(context.target.proxyPageUrl ?? '', {
        signal: AbortSignal.timeout(context.patience(TIMEOUT_MS)),
      }).then(
        (response) => response.text(),
        (error: Error) => assert.fail(`the page does not answer: ${error.message}`),
      )
      assert.ok(page.includes(`sha256:${hex}`), 'the page does not show the digest in hexadecimal')
    },
  },
} satisfies Topic
