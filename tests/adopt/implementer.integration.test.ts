import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readResults } from '../../conformance/report/read.ts'
import { PROJECT } from '../guides/clone.ts'
import { beginWithPackage, stepsIn } from './folder.ts'

/** A gateway that somebody has written, and that knows nothing of this project. */
const SERVER = join(PROJECT, 'reports', '1.0.0', 'hundred-lines', 'server.js')

test('an implementer with an archive and a small server of their own has a first report', async () => {
  const implementer = await beginWithPackage('conformance')
  const key = 'sk-of-the-small-server'
  const child = spawn(process.execPath, [SERVER], {
    env: { PORT: '0', API_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const found = await implementer.follow(stepsIn('pack/conformance/README.md'), {
    environment: { CONFORMANCE_KEY: key },
    instead: { 'http://127.0.0.1:8080/v1': line.toString().trim(), 'my/model': 'tiny-chat' },
  })
  expect(found).toEqual([])
  const out = join(implementer.folder, 'out')
  const { scenarios } = readResults(join(out, 'results.json'))
  const verdicts = new Set(scenarios.map(({ verdict }) => verdict))
  // It keeps some and breaks some; what it was not asked is told apart.
  expect([...verdicts]).toEqual(expect.arrayContaining(['pass', 'fail']))
  expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('Conformance of My router')
})
