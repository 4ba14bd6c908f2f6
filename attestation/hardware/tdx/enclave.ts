import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import type { JsonObject } from '../../json-value.ts'
import { demand, orRefuse } from '../refusal.ts'
import { bytesOf, matches, numberOf } from './fields.ts'
import { findLevel, type Level } from './levels.ts'
import type { Quote } from './quote.ts'

const COORDINATE_BYTES = 32
const DEBUG = 2

/**
 * Refuses (`quote_signature_invalid`) a quote whose parts do not sign one another: the machine's key the quoting
 * enclave's report, this report the attestation key, and that the quote.
 */
export function checkSignatures(quote: Quote, machineKey: KeyObject): void {
  const { signed, signature, attestationKey, qeReport, qeSignature, qeAuthData } = quote
  const named = hash('sha256', Buffer.concat([attestationKey, qeAuthData]), 'buffer')
  const isSigned = orRefuse(
    'quote_signature_invalid',
    () =>
      isSignedBy(machineKey, qeReport, qeSignature) &&
      qeReport.subarray(320, 384).equals(Buffer.concat([named], 64)) &&
      isSignedBy(keyOf(attestationKey), signed, signature),
  )
  demand(isSigned, 'quote_signature_invalid')
}

function isSignedBy(key: KeyObject, data: Buffer, signature: Buffer): boolean {
  return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

/** Refuses (`endorsement_invalid`) a quoting enclave that is not Intel's, or can be debugged, and finds its level. */
export function judgeEnclave({ qeReport }: Quote, identity: JsonObject): Level {
  return orRefuse('collateral_invalid', () => {
    const attributes = qeReport.subarray(48, 64)
    const isIntels =
      (attributes.readUInt8(0) & DEBUG) === 0 &&
      qeReport.subarray(128, 160).equals(bytesOf(identity.mrsigner)) &&
      qeReport.readUInt16LE(256) === numberOf(identity.isvprodid) &&
      matches(qeReport.subarray(16, 20), bytesOf(identity.miscselect), bytesOf(identity.miscselectMask)) &&
      matches(attributes, bytesOf(identity.attributes), bytesOf(identity.attributesMask))
    demand(isIntels, 'endorsement_invalid')
    const svn = qeReport.readUInt16LE(258)
    return findLevel(identity.tcbLevels, ({ isvsvn }) => svn >= numberOf(isvsvn))
  })
}

function keyOf(point: Buffer): KeyObject {
  const [x, y] = [point.subarray(0, COORDINATE_BYTES), point.subarray(COORDINATE_BYTES)]
  const jwk = { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') }
  return createPublicKey({ format: 'jwk', key: jwk })
}
