import { makeEnvelope } from '../evidence.ts'
import type { Refusals } from './table.ts'

const text = () => JSON.stringify(makeEnvelope())

/** Bundles whose form is refused. */
export const fetchRefusals: Refusals = {
  too_large: { 'a bundle of 1 MiB and a byte': () => Buffer.from(text().padEnd(1_048_577)) },
  not_json: {
    'a page': () => Buffer.from('<html>'),
    'an empty answer': () => Buffer.alloc(0),
    'bytes that are not UTF-8': () =>
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    'a byte order mark': () => Buffer.from(`\uFEFF${text()}`),
    'something after the end': () => Buffer.from(`${text()}{}`),
  },
  malformed_bundle: {
    'another type than an object': () => Buffer.from('[]'),
    'a member less': () => ({ envelope: { certFingerprint: undefined } }),
    'a member of another type': () => ({ envelope: { certChain: 'x' } }),
    'an empty chain': () => ({ envelope: { certChain: [] } }),
    'a digest with a stray last bit': () => ({ envelope: { certFingerprint: `sha256/${'A'.repeat(42)}B` } }),
    'a time that is none': () => ({ envelope: { issuedAt: 'yesterday' } }),
    'a member twice': () => Buffer.from(text().replace('{', '{"version":1,')),
    'a member twice, once escaped': () => Buffer.from(text().replace('{', '{"k\\u0069nd":"",')),
    'nesting without end': () => ({ envelope: { more: JSON.parse('['.repeat(200) + ']'.repeat(200)) } }),
  },
  unsupported_version: {
    'version 2': () => ({ envelope: { version: 2 } }),
    'version "2"': () => ({ envelope: { version: '2' } }),
  },
  unsupported_kind: { 'another kind': () => ({ envelope: { kind: 'Deployment' } }) },
  hostname_mismatch: {
    'another hostname': () => ({ expected: { hostname: 'other.example' } }),
  },
}
