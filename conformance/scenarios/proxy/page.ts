import * as assert from '../../engine/assert.ts'
import { expectBundle } from '../../engine/evidence.ts'
import { expectStatus } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import { get } from '../../engine/http/get.ts'
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
      const page = await get(context.target.proxyPageUrl ?? '', context.patience(TIMEOUT_MS))
      expectStatus(page, 200)
      assert.ok(textOf(page).includes(`sha256:${hex}`), 'the page does not show the digest in hexadecimal')
    },
  },
} satisfies Topic
