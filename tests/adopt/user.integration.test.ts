// @module-tag curl
// @module-tag jq
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBackend } from '../../conformance/stand-ins/backend/backend.ts'
import { buildBinary } from '../../pack/binary/build.ts'
import { freePort, startTestGateway } from '../gateway.ts'
import type { Step } from '../guides/page.ts'
import { beginWithFile, stepsUnder } from './folder.ts'

const SYSTEM = `${process.platform}-${process.arch}`

test('a user with one file has a verified answer, and sees what is refused', async () => {
  const backend = await createBackend({ paceMs: 1 })
  onTestFinished(() => backend.close())
  const platform = await startTestGateway(new URL(backend.url).origin)
  onTestFinished(() => platform.close())
  const user = await beginWithFile(async (folder) => {
    copyFileSync(platform.gateway.rootPemFile, join(folder, 'root.pem'))
    await buildBinary(join(folder, `proxy-${SYSTEM}`))
  })
  const [listen, admin] = [await freePort(), await freePort()]
  const found = await user.follow(
    elsewhere(stepsUnder('pack/binary/README.md', '## A first verified answer')),
    {
      environment: { API_KEY: 'sk-of-the-user', LISTEN: String(listen), ADMIN: String(admin) },
      instead: {
        'https://router.example': `https://router.localhost:${new URL(platform.gateway.url).port}`,
        'proxy-linux-x64': `proxy-${SYSTEM}`,
        'acme/large': 'tiny-chat',
        '127.0.0.1:8484': `127.0.0.1:${listen}`,
        '127.0.0.1:8485': `127.0.0.1:${admin}`,
      },
    },
  )
  expect(found).toEqual([])
  // The answer came from the model; of what was refused nothing was sent.
  expect(backend.requests()).toHaveLength(1)
})

/** `proxy init` writes the usual ports, which somebody else may have on this machine: they are changed as it has written. */
function elsewhere(steps: readonly Step[]): readonly Step[] {
  const text = 'sed -i "s/port: 8484/port: $LISTEN/; s/port: 8485/port: $ADMIN/" proxy.yaml\n'
  return steps.flatMap((step): readonly Step[] => {
    const change: Step = { ...step, kind: 'run', printed: undefined, block: { ...step.block, text } }
    return step.block.text.includes(' init ') ? [step, change] : [step]
  })
}
