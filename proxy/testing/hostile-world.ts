import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import canonicalize from 'canonicalize'
import { onTestFinished } from 'vitest'
import { type Digest, digestOf } from '#attestation'
import type { EvidenceCapsule } from '#contract/models'
import { startGateway } from '#egress/testing/gateway.ts'
import { HOSTNAME, type Identity } from '#egress/testing/identity.ts'
import { issueCertificate, toPem } from '../../attestation/testing/certificates.ts'
import { keysFor, makeChain, requestsFor, type TestChain } from '../../attestation/testing/chains.ts'
import { makeBundle } from '../../attestation/testing/evidence.ts'
import { alternativeNames, keyUsage } from '../../attestation/testing/extensions.ts'
import { openEvidence } from '../journal/evidence.ts'
import { expectationBytes } from '../journal/expectation.ts'
import { evidenceFolderOf } from '../journal/folder.ts'
import { generation, generationId, linesOf, writeJournal } from '../journal/testing.ts'
import { temporaryFolder } from './programs.ts'

/** An endpoint, a router, a proxy and files that all say the same hostile text wherever they may say anything. */
export interface HostileWorld {
  readonly url: string
  /** Of a proxy's admin listener. */
  readonly adminUrl: string
  readonly folder: string
  /** A configuration that trusts the endpoint and has pinned it, and one that has a mistake of that text. */
  readonly config: string
  readonly mistaken: string
  readonly root: string
  /** Of the deployment that is published. */
  readonly pin: Digest
  /** What is published, another deployment, one whose signature does not hold, and a capsule. */
  readonly bundle: string
  readonly other: string
  readonly forged: string
  readonly capsule: string
  readonly generation: string
}

const HOUR_MS = 3_600_000

/** Starts it; everything goes with the test. */
export async function startHostileWorld(text: string): Promise<HostileWorld> {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name)
  const chain = chainOf(text)
  const identity = identityOf(text)
  const made = bundleOf(text, snapshotOf(text), chain, identity)
  const other = bundleOf(text, snapshotOf(`${text} other`), chain, identity)
  const gateway = await startGateway(identity, (request, response) =>
    answer(request, response, made.bytes, text),
  )
  onTestFinished(() => gateway.close())
  writeFileSync(at('bundle.json'), made.bytes)
  writeFileSync(at('other.json'), other.bytes)
  writeFileSync(
    at('forged.json'),
    Buffer.from(made.bytes)
      .toString()
      .replace(/.{20}","rootCa/, `${'A'.repeat(20)}","rootCa`),
  )
  writeFileSync(at('root.pem'), toPem(chain.certificates.at(-1)!))
  const endpoint = {
    name: 'main',
    listen: { port: 0 },
    url: `https://${HOSTNAME}:${gateway.port}/v1`,
    roots: [{ file: 'root.pem' }],
    pins: [made.pin],
  }
  writeFileSync(
    at('proxy.yaml'),
    JSON.stringify({ dataDir: 'data', journal: 'journal.jsonl', endpoints: [endpoint] }),
  )
  writeFileSync(
    at('mistaken.yaml'),
    JSON.stringify({ dataDir: 'data', endpoints: [{ ...endpoint, [text]: text }] }),
  )
  const sealed = await sealGeneration(folder, made, identity, text)
  writeFileSync(at('capsule.json'), JSON.stringify(sealed))
  return {
    url: `https://${HOSTNAME}:${gateway.port}`,
    adminUrl: await startAdmin(text),
    folder,
    config: at('proxy.yaml'),
    mistaken: at('mistaken.yaml'),
    root: at('root.pem'),
    pin: made.pin,
    bundle: at('bundle.json'),
    other: at('other.json'),
    forged: at('forged.json'),
    capsule: at('capsule.json'),
    generation: generationId(1),
  }
}

function validity() {
  return { notBefore: new Date(Date.now() - HOUR_MS), notAfter: new Date(Date.now() + 24 * HOUR_MS) }
}

/** Its names are the text, and it holds. */
function chainOf(text: string): TestChain {
  const extensions = [alternativeNames(['dns', HOSTNAME]), keyUsage({ certSign: false })]
  return makeChain({
    leaf: { ...validity(), subject: text, issuer: `${text} authority`, extensions },
    intermediate: { ...validity(), subject: `${text} authority`, issuer: `${text} root` },
    root: { ...validity(), subject: `${text} root`, issuer: `${text} root` },
  })
}

function identityOf(text: string): Identity {
  const keys = keysFor('tls')
  const der = issueCertificate({
    ...requestsFor('ES256').leaf,
    ...validity(),
    subject: text,
    issuer: text,
    keys,
    signer: keys,
    extensions: [alternativeNames(['dns', HOSTNAME])],
  })
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
  return { pem: `${key}${toPem(der)}`, fingerprint: digestOf(der) }
}

function snapshotOf(text: string): object {
  const metadata = { name: text, namespace: text, labels: { [text]: text } }
  const container = {
    name: text,
    image: text,
    command: [text, `a\n${text}`],
    env: [{ name: text, value: text }],
    [text]: { [text]: [text, { [text]: text }] },
  }
  return {
    version: 2,
    [text]: text,
    resources: [
      { apiVersion: `${text}/v1`, kind: text, metadata, data: { [text]: `line\n${text}\n` } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: { template: { spec: { containers: [container] } } },
      },
      text,
      [text, [text]],
    ],
  }
}

interface Made {
  readonly bytes: Uint8Array
  readonly pin: Digest
}

function bundleOf(text: string, evidence: object, chain: TestChain, { fingerprint, pem }: Identity): Made {
  const pin = digestOf(canonicalize(evidence) ?? '')
  const copies = { hostname: HOSTNAME, issuedAt: new Date().toISOString(), certFingerprint: fingerprint }
  const bytes = makeBundle({
    chain,
    payload: { ...copies, evidence, evidenceDigest: pin, [text]: text },
    header: { [text]: text },
    envelope: {
      ...copies,
      [text]: text,
      tlsLeaf: pem.slice(pem.indexOf('-----BEGIN CERT')),
      rootCaTeeQuote: { status: text },
    },
  })
  return { bytes, pin }
}

/** A journal with a generation that went under the bundle, and a capsule that makes of it what it likes. */
async function sealGeneration(
  folder: string,
  { bytes, pin }: Made,
  { fingerprint }: Identity,
  text: string,
): Promise<EvidenceCapsule> {
  const store = openEvidence(evidenceFolderOf(join(folder, 'data')))
  const short = text.slice(0, 60).toWellFormed()
  const expectation = {
    hostname: text,
    roots: [{ pem: text, require_leaf_name: true }],
    pins: [pin],
    policies: [{ name: short, allow: text }],
    max_bundle_age_ms: 1_000,
  }
  const verdict = {
    judged_at: new Date().toISOString(),
    evidence_digest: pin,
    cert_fingerprint: fingerprint,
    bundle_digest: store.keep(bytes),
    expectation_digest: store.keep(expectationBytes(expectation)),
  }
  const file = join(folder, 'journal.jsonl')
  await writeJournal(file, [generation(1, { verdict })])
  const last = linesOf(file).at(-1)!
  return {
    kind: 'EvidenceCapsule',
    version: 1,
    generation: generationId(1),
    judged_at: verdict.judged_at,
    observed_leaf: fingerprint,
    expectation,
    bundle: Buffer.from(bytes).toString('base64'),
    journal: {
      lines: [
        { number: 1, text },
        { number: 2, text: last },
      ],
      head: { count: 2, hash: digestOf(last) },
    },
    record: { [text]: text },
  }
}

function answer(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  bundle: Uint8Array,
  text: string,
): void {
  // As far as a header can carry it.
  const header = Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
  const headers = { 'x-router': header, date: header }
  if (url.startsWith('/.well-known/')) response.writeHead(200, headers).end(bundle)
  else if (url.startsWith('/v1/models')) {
    response.writeHead(200, headers).end(JSON.stringify({ object: 'list', data: [] }))
  } else if (url.includes(generationId(1))) {
    response.writeHead(200, headers).end(JSON.stringify({ data: recordOf(text) }))
  } else
    response.writeHead(401, header, headers).end(JSON.stringify({ error: { code: text, message: text } }))
}

function recordOf(text: string): object {
  return {
    id: generationId(1),
    model: text,
    endpoint: text,
    created_at: '2030-01-01T00:00:00Z',
    operation: 'chat',
    streamed: true,
    status: 'ok',
    finish_reason: text,
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 3,
    cost_micros: 4,
    usage_source: 'backend',
    latency_ms: 1,
    time_to_first_token_ms: 1,
    tokens_per_second: 1,
    evidence_digest: null,
    ledger: { id: `led_${generationId(1).slice('gen-'.length)}`, amount_micros: -5 },
  }
}

async function startAdmin(text: string): Promise<string> {
  const verdict = { state: 'denied', stage: text, reason: text, since: '2030-01-01T00:00:00Z', age_ms: 1 }
  const status = {
    pid: 1,
    version: text,
    journal: {
      state: 'continued',
      file: text,
      continues: { file: text, line: 1, since: '2030-01-01T00:00:00Z', reason: 'foreign_write' },
      waiting_lines: 0,
      lost_lines: 1,
    },
    endpoints: [
      {
        name: text,
        hostname: text,
        listen: text,
        verdict,
        next_check_in_ms: 1,
        requests: { forwarded: 1, refused: 1, running: 1 },
      },
    ],
  }
  const check = {
    ...{ admitted: false, verified_through: 'jws', stage: 'cert-chain', reason: text },
    ...{ evidence_digest: null, channel_binding: 'none', hardware: null },
  }
  const asked = { endpoints: [{ name: text, hostname: text, check, foreign: true, verdict }] }
  const server = createServer(({ method }, response) => {
    response.end(JSON.stringify(method === 'POST' ? asked : status))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
