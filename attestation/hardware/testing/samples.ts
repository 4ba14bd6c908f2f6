import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../../json-value.ts'
import { toPem } from '../../testing/certificates.ts'

/** A quote as a platform publishes it. */
export interface SampleMember {
  readonly [name: string]: Json
  readonly format: string
  readonly data: string
  readonly collateral: Readonly<Record<string, string>>
}

const FOLDER = join(import.meta.dirname, 'samples')
const PEM_END = '-----END CERTIFICATE-----\n'

/** A real report of AMD's, with the first certificate of its own file. */
export function snpSample(name: string, kind: 'vcek' | 'vlek' = 'vcek'): SampleMember {
  return {
    format: 'amd-sev-snp-report',
    data: read(`snp/${name}.bin`).toString('base64'),
    collateral: { [kind]: certificateOf(name, kind) },
  }
}

/** A real quote of Intel's, with the collateral of the same or another sample. */
export function tdxSample(name: string, version: 4 | 5, collateralOf = name): SampleMember {
  return {
    format: `intel-tdx-quote-v${version}`,
    data: read(`tdx/${name}.bin`).toString('base64'),
    collateral: JSON.parse(read(`tdx/${collateralOf}_collateral.json`).toString()),
  }
}

/** The certificate of a Turin, of which there is no report. */
export function turinCertificate(): Buffer {
  return read('snp/turin.vcek.der')
}

function certificateOf(name: string, kind: string): string {
  try {
    return toPem(read(`snp/${name}.${kind}.der`))
  } catch {
    const file = name.endsWith('other-chip') ? 'certs' : kind
    const [first = ''] = read(`snp/${name}.${file}.pem`).toString().split(PEM_END)
    return first + PEM_END
  }
}

function read(name: string): Buffer {
  return readFileSync(join(FOLDER, name))
}
