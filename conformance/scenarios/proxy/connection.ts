import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '#base/object.ts'
import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import { offersSession } from '../../engine/client-hello.ts'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { interposed } from '../../engine/hostile.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { expectGround, untilRefused, untilServed } from '../../engine/refusals.ts'
import { whileRedeployed, whileUnsigned } from '../../engine/rotations.ts'
import { expectBegun, expectStream } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'

/** How long the platform shows a certificate that it has not signed for. */
const SPLIT_MS = 3_000

export default {
  'fingerprint-of-the-request': {
    rules: ['CONN-02'],
    title:
      'A request admitted under a verdict that has gone since is sent to no certificate at all, old or new',
    needs: ['generation', 'backendScript', 'platform', 'platformControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const ask = () => context.request('listModels')
      const wire = context.wire('proxyWire')
      shows()
      await context.script({ chunks: 2 })
      expectStatus(await ask(), 200)
      await wire.drop()
      await wire.hold(1)
      const admitted = await context.open('createChatCompletion')
      await context.eventually('its connection waits', async () => (await wire.state()).held === 1)
      await whileRedeployed(context, async () => {
        try {
          expectError(await untilRefused(context, ask), 'attestation_failed')
          await wire.mend()
          const refused = await admitted.done
          shows('CONN-02')
          expectStatus(refused, 503)
          assert.deepEqual(await context.received(), [], 'it was sent on')
        } finally {
          await wire.mend()
        }
      })
      shows()
      await untilServed(context, ask)
    },
  },

  'hostile-gateway': {
    rules: ['PRXY-02', 'PRXY-04', 'VERD-01', 'VERD-05', 'HDR-04'],
    title:
      'Somebody on the way with certificate and evidence of his own is asked for evidence and sent nothing else',
    needs: ['generation', 'proxyWire', 'platform'],
    subjects: ['proxy'],
    isExclusive: true,
    waitsMs: () => 30_000,
    async run(context) {
      expectStatus(await context.request('listModels'), 200)
      await interposed(context, async (hostile) => {
        for (const stream of [false, true]) {
          shows('PRXY-02', 'PRXY-04', 'VERD-01')
          const refused = await context.chat({ stream })
          expectError(refused, 'attestation_failed')
          shows('HDR-04')
          assert.equal(refused.headers['x-proxy-verdict'], undefined, 'a refusal claims a verdict')
        }
        shows('PRXY-02')
        assert.ok(hostile.asked > 0, 'his evidence was not looked at')
        shows('PRXY-02', 'VERD-05')
        assert.deepEqual(hostile.sent, [], 'something was sent to him')
      })
      shows()
      await untilServed(context, () => context.request('listModels'))
    },
  },

  'leaf-rotated': {
    rules: ['CONN-06'],
    title: 'A platform that renews certificate and bundle together is followed without a refusal',
    needs: ['generation', 'backendScript', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      for (let turn = 0; turn < 3; turn++) {
        await context.control('/rotate/leaf')
        for (let request = 0; request < 4; request++) {
          const exchange = await context.chat({ stream: request % 2 === 0 })
          expectStatus(exchange, 200)
          showing([], () => assert.equal(exchange.headers['x-proxy-verdict'], 'allow'))
        }
      }
    },
  },

  'leaf-rotated-in-stream': {
    rules: ['CONN-05'],
    title: 'A stream that runs while the platform renews its certificate comes to its end',
    needs: ['generation', 'backendScript', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      await context.script({ chunks: 30, betweenChunksMs: 30 })
      const call = await context.stream()
      await expectBegun(call, 3)
      await context.control('/rotate/leaf')
      expectStatus(await context.request('listModels'), 200)
      const { text } = expectStream(await call.done)
      assert.ok(text.endsWith('word30'), 'the stream did not come to its end')
    },
  },

  'leaf-signed-late': {
    rules: ['VERD-19', 'CONN-06'],
    title:
      'Requests that meet a new certificate before the platform has signed for it wait, with nothing sent, and are served',
    needs: ['generation', 'backendScript', 'platform', 'platformControl', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    waitsMs: () => SPLIT_MS,
    async run(context) {
      await context.script({ chunks: 2 })
      expectStatus(await context.chat(), 200)
      const { length: before } = await context.received()
      await whileUnsigned(context, async () => {
        await context.wire('proxyWire').drop()
        const asked = [false, true, false].map((stream) => context.chat({ stream }))
        await sleep(SPLIT_MS)
        shows('VERD-19')
        assert.equal((await context.received()).length, before, 'something was sent before it was signed for')
        shows('VERD-19', 'CONN-06')
        await context.control('/resign')
        for (const answer of await Promise.all(asked)) expectStatus(answer, 200)
        shows('CONN-06')
        assert.equal((await context.received()).length, before + 3, 'something was sent twice')
      })
    },
  },

  'leaf-swapped': {
    rules: ['PRXY-04', 'PRXY-02', 'ERR-21', 'ERR-29', 'ERR-30', 'SRV-04', 'HDR-04'],
    title:
      'A connection with another certificate than the evidence names is refused with 503, stage and reason, and nothing is sent',
    needs: ['generation', 'backendScript', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    waitsMs: () => 30_000,
    async run(context) {
      const ask = () => context.chat()
      await context.script({ chunks: 2 })
      await whileUnsigned(context, async () => {
        shows('PRXY-04', 'ERR-21', 'ERR-30', 'SRV-04')
        const refused = await untilRefused(context, ask)
        expectError(refused, 'attestation_failed')
        shows('HDR-04')
        assert.equal(refused.headers['x-proxy-verdict'], undefined, 'a refusal claims a verdict')
        shows('ERR-29')
        const { stage, reason, error } = objectOf(refused)
        assert.equal(typeof stage, 'string')
        assert.equal(typeof reason, 'string')
        shows('ERR-21', 'SRV-04')
        assert.ok(isObject(error) && error.type === 'proxy_error')
        shows('PRXY-04')
        // Connections that were opened before may still serve; a refused request is one that none of them took.
        let before = 0
        const again = await untilRefused(context, async () => {
          before = (await context.received()).length
          return ask()
        })
        expectError(again, 'attestation_failed')
        shows('PRXY-02')
        assert.equal((await context.received()).length, before, 'something was sent on')
      })
      shows()
      await untilServed(context, ask)
    },
  },

  'leaf-swapped-chosen': {
    rules: ['VERD-19', 'CONN-01', 'VRFY-20', 'PRXY-16', 'ERR-40', 'ERR-47'],
    title:
      'A swapped certificate is refused at tls-fingerprint with leaf_mismatch, to be tried again, until the evidence names it',
    needs: ['generation', 'backendScript', 'platform', 'platformControl'],
    subjects: ['proxy'],
    isExclusive: true,
    waitsMs: () => 15_000,
    async run(context) {
      const ask = () => context.chat()
      await context.script({ chunks: 2 })
      await whileUnsigned(context, async () => {
        shows('VERD-19', 'CONN-01')
        const refused = await untilRefused(context, ask)
        expectError(refused, 'attestation_failed')
        shows('VRFY-20', 'VERD-19', 'ERR-47')
        expectGround(refused, { stage: 'tls-fingerprint', reason: 'leaf_mismatch' })
        shows('ERR-40')
        assert.equal(refused.headers['x-should-retry'], 'true')
        assert.equal(refused.headers['retry-after'], '1')
        shows('PRXY-16')
        assert.equal(refused.headers['x-proxy-verdict'], undefined)
      })
      shows()
      await untilServed(context, ask)
    },
  },

  'no-resumption': {
    rules: ['CONN-03'],
    title: 'No new connection offers a session to resume, so that each shows its certificate anew',
    needs: ['key', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const wire = context.wire('proxyWire')
      for (let turn = 0; turn < 3; turn++) {
        expectStatus(await context.request('listModels'), 200)
        const { connections } = await wire.state()
        await wire.drop()
        expectStatus(await context.request('listModels'), 200)
        const made = (await wire.state()).connections - connections
        assert.ok(made > 0, 'no new connection was made')
        for (const hello of (await wire.beginnings()).slice(-made))
          assert.ok(!offersSession(hello), 'a new connection offers a session of an earlier one')
      }
    },
  },

  'transport-failure': {
    rules: ['PRXY-17'],
    title:
      'A connection that fails after an allow is 502 backend_unavailable, not to be tried again once a byte was sent',
    needs: ['generation', 'backendScript', 'proxyWire'],
    subjects: ['proxy'],
    isExclusive: true,
    async run(context) {
      const wire = context.wire('proxyWire')
      await context.script({ chunks: 2, beforeHeadersMs: 5_000 })
      const call = await context.open('createChatCompletion')
      await context.eventually(
        'the request is under way',
        async () => (await context.received()).length === 1,
      )
      await wire.cut()
      try {
        const sent = await call.done
        expectError(sent, 'backend_unavailable')
        assert.equal(sent.headers['x-should-retry'], 'false')
        const unsent = await context.chat()
        expectError(unsent, 'backend_unavailable')
        assert.equal(unsent.headers['x-should-retry'], undefined, 'nothing of it was sent')
      } finally {
        await wire.mend()
      }
      await untilServed(context, () => context.request('listModels'))
    },
  },
} satisfies Topic
