import { type OutputOptions, print } from '#base/print.ts'
import type { DiagnosisOutput } from '#contract/models'
import { type EndpointConfig, loadProxyConfig } from '../config/proxy.ts'
import { openNewest } from '../memory/newest.ts'
import { type ConfiguredOptions, endpointsOf } from './configured.ts'
import { type Diagnosis, diagnose } from './doctor-diagnose.ts'
import type { Finding } from './doctor-finding.ts'
import { judge, unreachedStages } from './doctor-judge.ts'
import { probe } from './doctor-probe.ts'

/** What `proxy doctor` takes. */
export interface DoctorOptions extends OutputOptions, ConfiguredOptions {}

const FAULTY = 1
const REFUSED = 3

type EndpointDiagnosis = DiagnosisOutput['endpoints'][number]

/** `proxy doctor`: looks at each step from here to an admitted endpoint, and names what is most likely wrong. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const config = loadProxyConfig(options.config, process.env)
  const newest = openNewest(config.dataDir)
  const endpoints = await Promise.all(
    endpointsOf(config, options.endpoint).map((endpoint) => examine(endpoint, newest.of(endpoint))),
  )
  const document: DiagnosisOutput = { ok: endpoints.every(isWell), endpoints }
  print(options, document, endpoints.flatMap(inWords))
  if (document.ok) return 0
  return endpoints.every(isAdmitted) ? FAULTY : REFUSED
}

async function examine(
  endpoint: EndpointConfig,
  newestIssuedAt: Date | undefined,
): Promise<EndpointDiagnosis> {
  const { target, name } = endpoint
  const { findings: way, observedIssuer } = await probe(target, () => new Date())
  const isReached = way.every(({ check, result }) => check === 'clock' || result === 'ok')
  const judgement = isReached
    ? await judge(endpoint, new Date(), newestIssuedAt)
    : { findings: unreachedStages(), refusal: undefined, issuers: [] }
  const findings = [...way, ...judgement.findings]
  const { refusal, issuers } = judgement
  const isTunnelled = target.tunnel !== undefined
  const diagnosis = diagnose({ findings, refusal, isTunnelled, observedIssuer, issuers })
  return { name, hostname: target.hostname, diagnosis, checks: findings }
}

function isWell({ diagnosis }: EndpointDiagnosis): boolean {
  return diagnosis === 'none'
}

function isAdmitted({ checks }: EndpointDiagnosis): boolean {
  return checks.at(-1)?.result === 'ok'
}

const diagnoses: Readonly<Record<Diagnosis, string>> = {
  none: 'Everything is in order: it is admitted.',
  dns: 'Its name cannot be resolved.',
  connect_proxy: 'The proxy that HTTPS_PROXY names does not let the connection through.',
  unreachable: 'It cannot be reached.',
  tls_interception:
    'Somebody between here and the endpoint ends TLS: the certificate is from an issuer that the platform does not name. Inspecting firewalls and virus scanners do that. Nothing is sent through them; have this hostname exempted.',
  certificate_renewal:
    'Its certificate was renewed, and the evidence does not name the new one yet. Wait a moment.',
  no_evidence: 'It publishes no evidence that can be read.',
  clock_skew: 'The clock of this machine is wrong.',
  stale_bundle:
    'The platform no longer signs its evidence anew; the clocks agree, so that it is not a matter of time.',
  invalid_evidence: 'Its evidence does not hold.',
  untrusted_root: 'Its evidence ends at a root that the configuration does not trust.',
  hardware: 'Its root is trusted, and the hardware that you demand of it is not shown.',
  wrong_pin: 'It runs another deployment than those that are pinned. `proxy pin diff` tells what differs.',
  policy: 'A policy of the configuration does not allow its deployment.',
}

const marks: Readonly<Record<Finding['result'], string>> = { ok: 'ok', failed: 'NO', not_reached: '-' }
const WIDTH = 'tls-fingerprint'.length
const INDENT = ' '.repeat(WIDTH + 10)

function inWords({ name, hostname, diagnosis, checks }: EndpointDiagnosis): string[] {
  return [`${name}  ${hostname}`, diagnoses[diagnosis], '', ...checks.flatMap(findingInWords), '']
}

function findingInWords({ check, result, detail, remedy, see }: Finding): string[] {
  return [
    `  ${check.padEnd(WIDTH)}  ${marks[result].padEnd(4)}  ${detail}`,
    ...(remedy === null ? [] : [`${INDENT}${remedy}`]),
    ...(see === null ? [] : [`${INDENT}More: ${see}`]),
  ]
}
