import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import packageJson from '../../package.json' with { type: 'json' }
import type { Machine } from './results.ts'

const GIB = 2 ** 30

/** What this machine is; take it before anything is started. */
export function describeMachine(): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGib: Math.round(totalmem() / GIB),
    system: `${type()} ${release()}`,
    versions: { node: process.version, undici: packageJson.dependencies.undici, ...nginxVersion() },
    loadBefore: loadavg()[0]!,
  }
}

/** What is checked out here; null where nobody can tell. */
export function describeCommit(): string | null {
  const { status, stdout } = spawnSync(
    'git',
    ['describe', '--always', '--dirty', '--abbrev=8', '--exclude=*'],
    {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    },
  )
  return status === 0 ? stdout.trim() : null
}

function nginxVersion(): Record<string, string> {
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' })
  const version = /nginx\/(\S+)/.exec(stderr ?? '')?.[1]
  return version === undefined ? {} : { nginx: version }
}
