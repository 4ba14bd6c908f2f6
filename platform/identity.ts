import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Vault } from './vault.ts'

/** A key and the certificates from its own to the root. */
export interface Identity {
  readonly privateKey: KeyObject
  readonly chain: readonly X509Certificate[]
}

const PEM_BLOCK = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g

/** Writes key and certificates as one PEM text: in one file, a crash cannot leave one without the other. */
export function toPem({ privateKey, chain }: Identity): string {
  return [privateKey.export({ type: 'pkcs8', format: 'pem' }), ...chain].join('')
}

/** Reads a file that `toPem` wrote; undefined when there is none. */
export function readIdentity(vault: Vault, name: string): Identity | undefined {
  const text = vault.read(name)
  if (text === undefined) return undefined
  try {
    const [key, leaf, ...issuers] = text.match(PEM_BLOCK) ?? []
    const chain = [leaf ?? '', ...issuers].map((certificate) => new X509Certificate(certificate))
    return { privateKey: createPrivateKey(key ?? ''), chain }
  } catch (cause) {
    throw new Error(`${vault.pathOf(name)} is damaged; delete its folder to begin anew.`, { cause })
  }
}
