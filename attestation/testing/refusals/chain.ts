import { parseRoots } from '../../roots.ts'
import * as asn1 from '../asn1.ts'
import { type Extension, toPem } from '../certificates.ts'
import { goodChain, HOSTNAME, keysFor, makeChain } from '../chains.ts'
import {
  alternativeNames,
  basicConstraints,
  keyUsage,
  nameConstraints,
  type TestName,
} from '../extensions.ts'
import { makeEcKeys, makeRsaKeys } from '../keys.ts'
import type { Refusals } from './table.ts'

const [leafPem = '', intermediatePem = '', rootPem = ''] = goodChain().certificates.map(toPem)
const authority = [basicConstraints(true), keyUsage({ certSign: true })]
const past = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2021-01-01T00:00:00Z') }
const future = { notBefore: new Date('2030-01-01T00:00:00Z'), notAfter: new Date('2031-01-01T00:00:00Z') }
const stranger = keysFor('stranger')

const manyNames = (count: number): TestName[] =>
  Array.from({ length: count }, (_, index) => ['dns', `n${index}.example`])

/** An extension whose sequence holds one element more than it should. */
function appended(extension: Extension): Extension {
  const [, , ...members] = extension.content
  return { ...extension, content: asn1.sequence(Buffer.from(members), asn1.nothing()) }
}

/** Chains that do not hold. */
export const chainRefusals: Refusals = {
  certificate_malformed: {
    'no certificate': () => ({ envelope: { certChain: ['x'] } }),
    'two in one entry': () => ({ envelope: { certChain: [leafPem + intermediatePem, rootPem] } }),
    'bytes after the certificate': () => ({
      envelope: { certChain: [toPem(Buffer.concat([goodChain().certificates[0]!, Buffer.from([0])]))] },
    }),
    'base64 with foreign characters': () => ({ envelope: { certChain: [leafPem.replace('MII', 'M.II')] } }),
    'an extension twice': () => ({
      chain: makeChain({ intermediate: { extensions: [...authority, basicConstraints(true, 3)] } }),
    }),
    'constraints with something behind them': () => ({
      chain: makeChain({
        intermediate: { extensions: [...authority, appended(nameConstraints([['dns', 'example']]))] },
      }),
    }),
    'constraints that cannot be read': () => ({
      chain: makeChain({
        intermediate: {
          extensions: [...authority, { oid: '2.5.29.30', critical: true, content: Buffer.from([5, 0]) }],
        },
      }),
    }),
  },
  too_complex: {
    'nine certificates': () => ({ envelope: { certChain: Array.from({ length: 9 }, () => leafPem) } }),
    'a certificate with 201 names': () => ({
      chain: makeChain({ leaf: { extensions: [alternativeNames(['dns', HOSTNAME], ...manyNames(200))] } }),
    }),
    'an authority with 201 constraints': () => ({
      chain: makeChain({
        intermediate: {
          extensions: [...authority, nameConstraints([['dns', HOSTNAME], ...manyNames(99)], manyNames(101))],
        },
      }),
    }),
    'a root of more than 64 KiB': () => ({
      chain: makeChain({
        root: {
          extensions: [...authority, { oid: '1.2.3.4', critical: false, content: Buffer.alloc(65_536) }],
        },
      }),
    }),
  },
  certificate_expired: {
    'an expired leaf': () => ({ chain: makeChain({ leaf: past }) }),
    'an expired intermediate': () => ({ chain: makeChain({ intermediate: past }) }),
    'an expired root': () => ({ chain: makeChain({ root: past }) }),
  },
  certificate_not_yet_valid: { 'a leaf of the future': () => ({ chain: makeChain({ leaf: future }) }) },
  issuer_mismatch: {
    'an issuer of another name': () => ({ chain: makeChain({ leaf: { issuer: 'Somebody' } }) }),
    'an intermediate left out': () => ({ envelope: { certChain: [leafPem, rootPem] } }),
    'another order': () => ({ envelope: { certChain: [leafPem, rootPem, intermediatePem] } }),
  },
  signature_invalid: {
    'a leaf that a stranger signed': () => ({ chain: makeChain({ leaf: { signer: stranger } }) }),
    'a leaf that a stranger signed with a key of another kind': () => ({
      chain: makeChain({ leaf: { signer: keysFor('stranger', 'RS256') } }),
    }),
    'an intermediate that a stranger signed': () => ({
      chain: makeChain({ intermediate: { signer: stranger } }),
    }),
  },
  not_a_ca: {
    'an issuer that is no authority': () => ({
      chain: makeChain({
        intermediate: { extensions: [basicConstraints(false), keyUsage({ certSign: true })] },
      }),
    }),
    'an issuer without constraints': () => ({
      chain: makeChain({ intermediate: { extensions: [keyUsage({ certSign: true })] } }),
    }),
    'a root that is no authority': () => ({ chain: makeChain({ root: { extensions: [] } }) }),
  },
  path_too_long: {
    'an intermediate below a root that allows none': () => ({
      chain: makeChain({ root: { extensions: [basicConstraints(true, 0), keyUsage({ certSign: true })] } }),
    }),
  },
  key_usage: {
    'an authority that may not sign certificates': () => ({
      chain: makeChain({
        intermediate: { extensions: [basicConstraints(true), keyUsage({ certSign: false })] },
      }),
    }),
  },
  name_constraint: {
    'a hostname that is not permitted': () => ({
      chain: makeChain({
        intermediate: { extensions: [...authority, nameConstraints([['dns', 'other.example']])] },
      }),
    }),
    'a hostname that the root excludes': () => ({
      chain: makeChain({ root: { extensions: [...authority, nameConstraints([], [['dns', 'example']])] } }),
    }),
  },
  unknown_critical_extension: {
    'a demand that nobody knows': () => ({
      chain: makeChain({
        leaf: { extensions: [{ oid: '1.2.3.4', critical: true, content: Buffer.from([5, 0]) }] },
      }),
    }),
  },
  weak_key: {
    'RSA of 1024 bits': () => ({
      algorithm: 'RS256',
      chain: makeChain({ leaf: { keys: makeRsaKeys(1024) } }),
    }),
    'a short curve': () => ({ chain: makeChain({ leaf: { keys: makeEcKeys('secp224r1') } }) }),
  },
  weak_signature: {
    'SHA-1 below the root': () => ({ chain: makeChain({ leaf: { hash: 'sha1' } }) }),
    'SHA-1 within PSS': () => ({
      algorithm: 'RS256',
      chain: makeChain({ leaf: { hash: 'sha1', pss: true } }, 'RS256'),
    }),
    'SHA-1 at the root': () => ({ chain: makeChain({ root: { hash: 'sha1' } }) }),
  },
  not_self_signed_root: {
    'a chain without its root': () => ({ envelope: { certChain: [leafPem, intermediatePem] } }),
    'a leaf alone': () => ({ envelope: { certChain: [leafPem] } }),
    'a root that a stranger signed with a key of another kind': () => ({
      chain: makeChain({ root: { signer: keysFor('stranger', 'EdDSA') } }),
    }),
    'a root that a stranger signed': () => ({ chain: makeChain({ root: { signer: stranger } }) }),
  },
  leaf_name_mismatch: {
    'a leaf for another hostname': () => ({
      chain: makeChain({ leaf: { extensions: [alternativeNames(['dns', 'other.example'])] } }),
    }),
    'a leaf with the hostname as its common name alone': () => ({
      chain: makeChain({ leaf: { subject: HOSTNAME, extensions: [] } }),
    }),
  },
}

/** Chains that hold, but end at a root that is not trusted. */
export const rootRefusals: Refusals = {
  root_not_trusted: {
    'another root': () => ({ expected: { roots: parseRoots(toPem(makeChain().certificates[2]!)) } }),
  },
  no_trusted_roots: { 'an empty trust store': () => ({ expected: { roots: [] } }) },
}
