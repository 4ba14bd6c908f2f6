import { existsSync, readFileSync } from 'node:fs'
import type { Policy } from '#attestation'
import { UsageError } from '#base/command.ts'

/** Reads the policies of `--policy`: the file of that name when there is one, else the expression itself. */
export async function readPolicies(given: readonly string[]): Promise<Policy[]> {
  if (given.length === 0) return []
  // Judging without policies, which scripts do thousands of times, loads no language.
  const { compilePolicy, PolicyError } = await import('../policy/cel.ts')
  return given.map((text) => {
    try {
      return compilePolicy(text, existsSync(text) ? readFileSync(text, 'utf8') : text)
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error
      throw new UsageError(`--policy "${text}" is neither a file nor a policy: ${error.message}`)
    }
  })
}
