import { readFileSync } from 'node:fs'
import { parseRoots, type RootOptions, type TrustedRoot } from '#attestation'

/** Reads a PEM file that holds exactly one certificate; throws on everything else. */
export function readRoot(file: string, options: RootOptions = {}): TrustedRoot {
  const [root, ...others] = parseRoots(readFileSync(file, 'utf8'), options)
  if (root === undefined || others.length > 0)
    throw new TypeError('There must be exactly one certificate in it.')
  return root
}
