import { hash, type KeyObject, sign, type X509Certificate } from 'node:crypto'
import { QE } from './intel-statements.ts'
import { pointOf, publishedKey } from './keys.ts'
import { boundTo, measured } from './simulation.ts'

// Intel TDX DCAP Quote Generation Library, version 4 of a quote; numbers have their lowest byte first.
const HEADER_BYTES = 48
const BODY_BYTES = 584
const ECDSA_P256 = 2
const TDX = 0x81
const INTEL = '939a7233f79c4ca9940a0db3957f0607'
const SEPT_VE_DISABLE = 1n << 28n
const body = { attributes: 120, mrtd: 136, rtmr0: 328, rtmr1: 376, rtmr2: 424, reportData: 520 } as const
const QE_REPORT_BYTES = 384
const qe = { attributes: 48, signer: 128, product: 256, svn: 258, reportData: 320 } as const
const QE_REPORT_CERTIFICATION = 6
const PCK_CHAIN = 5
const AUTH_DATA = Buffer.alloc(32)

/** A quote about a root's key: a machine's key signs the enclave's report, that names a key, and this the quote. */
export function quoteAbout(root: X509Certificate, machineKey: KeyObject, chain: string): Buffer {
  const { publicKey, privateKey } = publishedKey('the quoting enclave')
  const signed = Buffer.concat([header(), bodyAbout(root)])
  const point = pointOf(publicKey)
  const enclave = enclaveNaming(Buffer.concat([point, AUTH_DATA]))
  const certification = Buffer.concat([
    enclave,
    signature(enclave, machineKey),
    u16(AUTH_DATA.length),
    AUTH_DATA,
    typed(PCK_CHAIN, Buffer.from(chain)),
  ])
  const section = [signature(signed, privateKey), point, typed(QE_REPORT_CERTIFICATION, certification)]
  return Buffer.concat([signed, sized(Buffer.concat(section))])
}

function header(): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeUInt16LE(4, 0)
  bytes.writeUInt16LE(ECDSA_P256, 2)
  bytes.writeUInt32LE(TDX, 4)
  bytes.write(INTEL, 12, 'hex')
  return bytes
}

function bodyAbout(root: X509Certificate): Buffer {
  const bytes = Buffer.alloc(BODY_BYTES)
  bytes.writeBigUInt64LE(SEPT_VE_DISABLE, body.attributes)
  for (const name of ['mrtd', 'rtmr0', 'rtmr1', 'rtmr2'] as const) measured(name).copy(bytes, body[name])
  boundTo(root).copy(bytes, body.reportData)
  return bytes
}

function enclaveNaming(named: Buffer): Buffer {
  const report = Buffer.alloc(QE_REPORT_BYTES)
  report.write(QE.attributes, qe.attributes, 'hex')
  report.write(QE.mrsigner, qe.signer, 'hex')
  report.writeUInt16LE(QE.isvprodid, qe.product)
  report.writeUInt16LE(QE.isvsvn, qe.svn)
  hash('sha256', named, 'buffer').copy(report, qe.reportData)
  return report
}

function signature(bytes: Buffer, key: KeyObject): Buffer {
  return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
}

function typed(type: number, content: Buffer): Buffer {
  return Buffer.concat([u16(type), sized(content)])
}

function sized(content: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(content.length)
  return Buffer.concat([size, content])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
