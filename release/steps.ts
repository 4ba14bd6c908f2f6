import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One part of a release. It throws where it fails; what it writes goes below the folder of the release. */
export interface Step {
  readonly title: string
  readonly isTest?: true
  run(into: string): Promise<void>
}

/** What of the contract lies beside the packages. */
const CONTRACT = ['openapi.yaml', 'rules.md', 'rules.json', 'reasons.md', 'schemas']

/** All that a release of this project is made of, in its order: what takes longest to say no comes before what is built. */
export function projectSteps(root: string): readonly Step[] {
  const node = (...args: readonly string[]) => execute(root, [process.execPath, ...args])
  // As on a build server: a test that is left out for want of a program has tested nothing.
  const test = () => execute(root, [process.execPath, 'tests/run.ts', 'all'], { CI: 'true' })
  return [
    { title: 'every check and test', isTest: true, run: test },
    {
      title: 'packages',
      async run(into) {
        // What an archive is made of lies beside it, and is no part of a release.
        const folder = mkdtempSync(join(tmpdir(), 'release-'))
        try {
          await node('pack/main.ts', '--into', folder)
          const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
          if (archives.length === 0) throw new Error('No archive was packed.')
          for (const name of archives) copyFileSync(join(folder, name), join(into, name))
        } finally {
          rmSync(folder, { recursive: true })
        }
      },
    },
    {
      title: 'the proxy as one file, and its Debian package',
      run: (into) => node('pack/binary/main.ts', '--deb', '--into', into),
    },
    {
      title: 'the image',
      async run(into) {
        const debs = mkdtempSync(join(tmpdir(), 'debs-'))
        try {
          await node('image/main.ts', '--out', join(into, 'image'), '--debs', debs)
        } finally {
          rmSync(debs, { recursive: true })
        }
      },
    },
    {
      title: 'the contract',
      async run(into) {
        mkdirSync(join(into, 'contract'))
        for (const name of CONTRACT)
          cpSync(join(root, 'generated', name), join(into, 'contract', name), { recursive: true })
      },
    },
  ]
}

/** Runs a command; what it says is progress, and goes to standard error. Throws when it fails. */
async function execute(
  cwd: string,
  [program = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { ...process.env, ...variables }
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', process.stderr, process.stderr] })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${args.join(' ')} failed (exit ${code}).`)
}
