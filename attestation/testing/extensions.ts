import * as asn1 from './asn1.ts'
import type { Extension } from './certificates.ts'

const KEY_CERT_SIGN = 0x04
const DIGITAL_SIGNATURE = 0x80

/** Names of the forms that are used in tests, in the notation of OpenSSL: `DNS:`, `IP:`, `email:`, `dirName:`. */
export type TestName = readonly ['dns' | 'mail', string] | readonly ['ip' | 'directory', Uint8Array]

const TAGS = { mail: 1, dns: 2, directory: 4, ip: 7 } as const

export function basicConstraints(authority: boolean, pathLength?: number): Extension {
  const parts = [
    ...(authority ? [asn1.boolean(true)] : []),
    ...(pathLength === undefined ? [] : [asn1.integer(pathLength)]),
  ]
  return { oid: '2.5.29.19', critical: true, content: asn1.sequence(...parts) }
}

export function keyUsage({ certSign }: { readonly certSign: boolean }): Extension {
  const content = certSign
    ? asn1.bits(Buffer.from([KEY_CERT_SIGN]), 2)
    : asn1.bits(Buffer.from([DIGITAL_SIGNATURE]), 7)
  return { oid: '2.5.29.15', critical: true, content }
}

export function alternativeNames(...names: readonly TestName[]): Extension {
  return { oid: '2.5.29.17', critical: false, content: asn1.sequence(...names.map(encodeName)) }
}

export function nameConstraints(
  permitted: readonly TestName[],
  excluded: readonly TestName[] = [],
): Extension {
  const subtrees = (names: readonly TestName[]) => names.map((name) => asn1.sequence(encodeName(name)))
  const parts = [
    ...(permitted.length > 0 ? [asn1.around(0, ...subtrees(permitted))] : []),
    ...(excluded.length > 0 ? [asn1.around(1, ...subtrees(excluded))] : []),
  ]
  return { oid: '2.5.29.30', critical: true, content: asn1.sequence(...parts) }
}

function encodeName([form, content]: TestName): Buffer {
  return form === 'directory' ? asn1.around(TAGS[form], content) : asn1.tagged(TAGS[form], content)
}
