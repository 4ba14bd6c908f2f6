import { resolve } from 'node:path'
import { parsePin } from '#attestation'
import { compilePolicy, PolicyError } from '../policy/cel.ts'
import { at, type Report } from './look.ts'
import { readRoot } from './root.ts'

/** What a schema cannot say of trusted roots. */
export function checkRoots(roots: readonly unknown[], path: string, folder: string, report: Report): void {
  for (const [index, root] of roots.entries()) {
    const file = at(root, 'file')
    if (typeof file !== 'string') continue
    try {
      readRoot(resolve(folder, file))
    } catch (error) {
      report(`${path}/${index}/file`, `cannot be used: ${(error as Error).message}`)
    }
  }
}

/** What a schema cannot say of pins. */
export function checkPins(pins: readonly unknown[], path: string, report: Report): void {
  for (const [index, pin] of pins.entries()) {
    if (typeof pin !== 'string') continue
    try {
      parsePin(pin)
    } catch {
      report(`${path}/${index}`, 'is not a digest: its last character is not the canonical one')
    }
  }
}

/** What a schema cannot say of policies. */
export function checkPolicies(policies: readonly unknown[], path: string, report: Report): void {
  for (const [index, policy] of policies.entries()) {
    const [name, allow] = [at(policy, 'name'), at(policy, 'allow')]
    if (policies.findIndex((other) => at(other, 'name') === name) < index) {
      report(`${path}/${index}/name`, 'stands twice')
    }
    if (typeof allow !== 'string') continue
    try {
      compilePolicy('', allow)
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error
      report(`${path}/${index}/allow`, `is not a policy: ${error.message}`)
    }
  }
}
