import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A block of commands in a page, and what the page says that it prints. */
export interface Step {
  readonly commands: string
  readonly printed: string
}

const PAIR = /```sh\n(.*?)```\n\n```text\n(.*?)```/gs
const MARK = '@@ step @@'

/** The steps of a page, in their order. */
export function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(PAIR)].map(([, commands = '', printed = '']) => ({ commands, printed }))
}

/** Runs all steps in one shell, as a reader does, and gives what each of them prints. */
export function runSteps(steps: readonly Step[], folder: string): readonly string[] {
  const script = steps.map(({ commands }) => `${commands}\necho '${MARK}'\n`).join('')
  const scratch = mkdtempSync(join(tmpdir(), 'auditor-'))
  try {
    const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC', TMPDIR: scratch },
    })
    return output.split(`${MARK}\n`).slice(0, -1)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}
