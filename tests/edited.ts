import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Edit } from '#base/testing/read-edited.ts'

/** The environment of a program of this tree for which some sources read otherwise. */
export function reading(edits: readonly Edit[]): Readonly<Record<string, string>> {
  const hook = new URL('read-edited.ts', import.meta.url).href
  return { NODE_OPTIONS: `--import=${hook}`, EDITED_SOURCES: JSON.stringify(edits) }
}

/**
 * Has a verifier take the vendor that a platform plays for a real one. No configuration can (VRFY-28), so that its
 * source has to read otherwise.
 */
export function playedAsReal(platformRootFile: string): Edit {
  const file = join(dirname(platformRootFile), 'simulated-vendor.pem')
  const certificates = readFileSync(file, 'utf8').split(/(?<=-----END CERTIFICATE-----\n)/)
  const [root = '', authority = root] = certificates.map(bytesOf)
  const played = `{ amd: { Genoa: { ark: ${root}, vcek: ${authority}, vlek: ${authority} } }, intel: ${root} }`
  const begin = 'export const builtInVendors: Vendors = '
  return {
    file: 'attestation/hardware/built-in.ts',
    find: begin,
    put: `${begin}${played}\nexport const realVendors: Vendors = `,
  }
}

/** A certificate's DER, as an expression. */
function bytesOf(pem: string): string {
  return `Buffer.from('${new X509Certificate(pem).raw.toString('base64')}', 'base64')`
}
