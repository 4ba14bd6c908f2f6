import type { components } from '#contract/types'
import type { ConfigProblem } from '../../config/error.ts'
import { isNetwork } from '../limits/source-address.ts'
import { cellContradictions } from './cells.ts'
import { consoleContradictions } from './console.ts'
import { problemOf } from './database-url.ts'
import { isLoopback } from './loopback.ts'
import { isPublicHttps } from './public.ts'

type RouterFile = components['schemas']['RouterConfig']
type ModelFile = RouterFile['models'][number]

/** What a schema cannot say: references, uniqueness and sums. */
export function contradictions({
  database,
  publicBaseUrl,
  secretsKey,
  previousSecretsKeys,
  endpoints,
  models,
  redis,
  docsUrl,
  traces,
  trustedProxies = [],
  testControl,
  console,
}: RouterFile): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const names = new Set(endpoints.map(({ name }) => name))
  const report = (path: string, message: string) => problems.push({ path, message })

  if (publicBaseUrl !== undefined && !URL.canParse(publicBaseUrl)) report('publicBaseUrl', 'is not a URL')
  for (const [index, { evidenceUrl }] of endpoints.entries()) {
    if (evidenceUrl !== undefined && !URL.canParse(evidenceUrl)) {
      report(`endpoints[${index}].evidenceUrl`, 'is not a URL')
    }
  }
  for (const index of repeated(endpoints.map(({ name }) => name))) {
    report(`endpoints[${index}].name`, 'stands twice')
  }
  if (database?.url) {
    const problem = problemOf(database.url)
    if (problem !== undefined) report('database.url', problem)
  }
  problems.push(...cellContradictions(database, { console, testControl }))
  for (const [index, entry] of trustedProxies.entries()) {
    if (!isNetwork(entry))
      report(`trustedProxies[${index}]`, 'is neither an address nor a network such as 10.0.0.0/8')
  }
  if (!isLoopback(testControl?.host ?? '127.0.0.1')) {
    report('testControl.host', 'is not a loopback address; whoever reaches it owns every balance')
  }
  if (docsUrl?.startsWith('http') && !URL.canParse(docsUrl)) report('docsUrl', 'is not a URL')
  if (traces && !URL.canParse(traces.url)) report('traces.url', 'is not a URL')
  if (redis?.url && !URL.canParse(redis.url)) report('redis.url', 'is not a URL')
  for (const [name, url] of [
    ['publicBaseUrl', publicBaseUrl],
    ['console.publicUrl', typeof console === 'object' ? console.publicUrl : undefined],
  ]) {
    if (secretsKey !== undefined || url === undefined || !isPublicHttps(url)) continue
    report('secretsKey', `is required where ${name} is a public https address; openssl rand -base64 32`)
  }
  if (previousSecretsKeys?.length && secretsKey === undefined) {
    report('previousSecretsKeys', 'needs a secretsKey that has taken their place')
  }
  if (previousSecretsKeys?.includes(secretsKey ?? ''))
    report('previousSecretsKeys', 'holds secretsKey itself')
  if (console === true) report('console', 'is either false or its settings')
  else if (console) problems.push(...consoleContradictions(console, publicBaseUrl))
  for (const index of repeated(models.map(({ id }) => id))) report(`models[${index}].id`, 'stands twice')
  for (const [index, model] of models.entries()) {
    const path = `models[${index}]`
    for (const [member, problem] of misplaced(model, names)) report(`${path}.${member}`, problem)
    if (model.maxOutputTokens !== undefined && model.maxOutputTokens > model.contextLength) {
      report(`${path}.maxOutputTokens`, 'is larger than contextLength')
    }
    for (const [place, problem] of unfit(model, models)) report(`${path}.fallbacks[${place}]`, problem)
    for (const [place, backend] of (model.backends ?? []).entries()) {
      for (const name of ['url', 'tokenizeUrl'] as const) {
        const url = backend[name]
        if (url === undefined || isHttpUrl(url)) continue
        report(`${path}.backends[${place}].${name}`, 'is not an http or https URL')
      }
    }
  }
  return problems
}

/** An own endpoint's model names the backends that run it, an external upstream's how it is called there. */
function misplaced(
  { endpoint, backends, upstream }: ModelFile,
  own: ReadonlySet<string>,
): [string, string][] {
  if (upstream === undefined) {
    const unknown = `no endpoint is named ${endpoint}; a model of an external upstream has upstream: {}`
    if (!own.has(endpoint)) return [['endpoint', unknown]]
    return backends === undefined ? [['backends', 'is required for a model of an own endpoint']] : []
  }
  const problems: [string, string][] = []
  if (own.has(endpoint)) problems.push(['upstream', `${endpoint} is an endpoint of this router's own`])
  if (backends !== undefined)
    problems.push(['backends', 'are not for a model of an external upstream: its registration says where'])
  return problems
}

/** A fallback has to be able to do what the model can: its clients know of that one only. */
function unfit(model: ModelFile, models: readonly ModelFile[]): [number, string][] {
  const capabilitiesOf = ({ capabilities = ['chat'] }: ModelFile): readonly string[] => capabilities
  return (model.fallbacks ?? []).flatMap((id, place): [number, string][] => {
    const other = models.find((candidate) => candidate.id === id)
    if (other === undefined) return [[place, `no model has the id ${id}`]]
    if (other.id === model.id) return [[place, 'is the model itself']]
    if (other.contextLength < model.contextLength) return [[place, 'has a smaller contextLength']]
    const missing = capabilitiesOf(model).filter((name) => !capabilitiesOf(other).includes(name))
    return missing.length > 0 ? [[place, `has not the capability ${missing.join(', ')}`]] : []
  })
}

function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []))
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
