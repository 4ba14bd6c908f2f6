import { writeFileSync } from 'node:fs'
import { AttestationError, digestOf } from '#attestation'
import { UsageError } from '#base/command.ts'
import { type OutputOptions, print } from '#base/print.ts'
import type { EvidenceCapsule, Generation, WrittenCapsuleOutput } from '#contract/models'
import { type EndpointConfig, loadProxyConfig, type ProxyConfig } from '../config/proxy.ts'
import { openEvidence } from '../journal/evidence.ts'
import { parseExpectation } from '../journal/expectation.ts'
import { evidenceFolderOf } from '../journal/folder.ts'
import { headDocument } from '../journal/head.ts'
import { apiKeyFrom, openRouter } from './attested.ts'
import { findSlice, type Slice } from './capsule-slice.ts'
import { endpointsOf, journalOf } from './configured.ts'
import { findRecord } from './reconcile.ts'
import { printRefusal } from './refused.ts'

/** What `proxy capsule` takes. */
export interface CapsuleOptions extends OutputOptions {
  readonly config: string
  readonly apiKeyEnv?: string
  readonly out?: string
}

const GENERATION = /^gen-[0-9A-HJKMNP-TV-Z]{26}$/

/** `proxy capsule GEN_ID`: one file with all that the generation's admission rests on, to be judged offline. */
export async function capsule(generation: string, options: CapsuleOptions): Promise<number> {
  if (!GENERATION.test(generation)) throw new UsageError(`"${generation}" is not the id of a generation.`)
  const apiKey = options.apiKeyEnv === undefined ? undefined : apiKeyFrom(options.apiKeyEnv)
  const config = loadProxyConfig(options.config, process.env)
  const slice = await findSlice(journalOf(config, options.config), generation)
  try {
    const record = apiKey === undefined ? null : await readRecord(config, slice, apiKey)
    const document = compose(slice, config, record)
    const bytes = Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`)
    const file = options.out ?? `${generation}.capsule.json`
    writeNew(file, bytes)
    const written: WrittenCapsuleOutput = {
      file,
      generation,
      digest: digestOf(bytes),
      has_record: record !== null,
    }
    print(options, written, inWords(written))
    return 0
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    const heading = 'Nothing was written, as the record could not be asked for; the endpoint is not admitted:'
    return printRefusal(options, slice.line.endpoint, heading, thrown)
  }
}

/** A capsule is a proof that somebody may have given away already: none is written over. */
function writeNew(file: string, bytes: Buffer): void {
  try {
    writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new Error(
      code === 'EEXIST'
        ? `${file} is there already, and stays as it is: name another file with --out, or take it away first.`
        : `The capsule cannot be written (${message}).`,
      { cause },
    )
  }
}

async function readRecord(config: ProxyConfig, { line }: Slice, apiKey: string): Promise<Generation> {
  const router = openRouter(config, endpointNamed(config, line.endpoint), apiKey)
  try {
    const record = await findRecord(router, line.id)
    if (record !== undefined) return record
    throw new Error(
      `The router has no record of ${line.id} in this key's workspace. Name a key of the one that paid.`,
    )
  } finally {
    await router.close()
  }
}

function endpointNamed(config: ProxyConfig, name: string): EndpointConfig {
  return endpointsOf(config, name)[0]!
}

function compose(
  { line, lines, head }: Slice,
  { dataDir }: ProxyConfig,
  record: Generation | null,
): EvidenceCapsule {
  const { bundle_digest, expectation_digest, judged_at, cert_fingerprint } = line.verdict
  const store = openEvidence(evidenceFolderOf(dataDir))
  const find = (digest: string | null) => (digest === null ? undefined : store.find(digest as never))
  const [bundle, expectation] = [find(bundle_digest), find(expectation_digest)]
  if (bundle === undefined || expectation === undefined) {
    throw new Error(
      `The evidence that ${line.id} went under is no longer in ${evidenceFolderOf(dataDir)}: it is kept for 90 days.`,
    )
  }
  return {
    kind: 'EvidenceCapsule',
    version: 1,
    generation: line.id,
    judged_at,
    observed_leaf: cert_fingerprint,
    expectation: parseExpectation(expectation),
    bundle: bundle.toString('base64'),
    journal: { lines: [...lines], head: headDocument(head) },
    record,
  }
}

function inWords({ file, generation, has_record }: WrittenCapsuleOutput): string[] {
  return [
    `${file} holds what the admission of ${generation} rests on, and no word of prompt or answer.`,
    has_record
      ? 'The router’s record and its ledger row are in it.'
      : 'The router’s record is not in it: name a key with --api-key-env to have it put in.',
    `Judge it anywhere, without a network: proxy verify ${file} --root FILE --pin DIGEST`,
    'Whoever judges it gives a root and a pin of their own: what it says of itself counts for nothing.',
  ]
}
