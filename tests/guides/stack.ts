import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placesIn } from '../../stack/places.ts'
import { readStackFile, type StackFile } from '../../stack/stackfile.ts'
import { PROJECT } from './clone.ts'

/** What `npm start` starts, with a data folder of its own. */
export interface RunningStack {
  readonly data: string
  readonly file: StackFile
  stop(): Promise<void>
}

/** Starts `npm start`, and waits until it has printed its document. */
export async function startStack(): Promise<RunningStack> {
  const data = join(mkdtempSync(join(tmpdir(), 'guides-')), 'data')
  const child = spawnProgram('start.ts', data)
  const lines: string[] = []
  child.stderr?.on('data', (text) => lines.push(String(text)))
  // It prints its document once it is up.
  await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  const file = readStackFile(placesIn(data))
  if (file === undefined) throw new Error(`npm start did not start:\n${lines.join('')}`)
  return {
    data,
    file,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await once(spawnProgram('reset.ts', data), 'exit')
      rmSync(join(data, '..'), { recursive: true, force: true })
    },
  }
}

function spawnProgram(name: string, data: string): ChildProcess {
  const options = name === 'start.ts' ? ['--json'] : []
  return spawn(process.execPath, [join(PROJECT, 'stack', name), '--data', data, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
