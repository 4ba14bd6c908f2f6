import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentialWarnings } from './credentials.ts'
import { readDeployment } from './render.ts'

const privateKey = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()

const env = (name: string, value: string) => ({ spec: { containers: [{ env: [{ name, value }] }] } })
const map = (name: string, value: string) => ({ kind: 'ConfigMap', data: { [name]: value } })
const IN_ENV = 'a.yaml.spec.containers[0].env[0].value'

test.each([
  ['DB_PASSWORD', 'hunter2'],
  ['dbPassword', 'hunter2'],
  ['SECRET_KEY_BASE', 'hunter2'],
  ['VENDOR_API_KEY', 'hunter2'],
  ['vendor.token', 'hunter2'],
  ['DATABASE_URL', 'postgres://router:hunter2@10.0.0.5/router'],
  ['REDIS', 'redis://:hunter2@cache:6379'],
  ['OPENAI', 'sk-tee-v1-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['CERTIFICATE', privateKey],
  ['JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.${'a'.repeat(43)}`],
  ['SEED', randomBytes(32).toString('hex')],
  ['SALT', 'q8Zr2LkVx0Tn5WbYd3Hs7JcPf1Mg4RaU'],
])('The environment’s %s is told by its place, as a variable and in a ConfigMap', (name, value) => {
  for (const [resource, path] of [
    [env(name, value), IN_ENV],
    [map(name, value), `a.yaml.data.${name}`],
  ] as const) {
    const warnings = credentialWarnings(resource, 'a.yaml')
    expect(warnings.map((warning) => warning.path)).toEqual([path])
    expect(warnings[0]?.message).toMatch(/^looks like a credential \(.+\), and anybody can read it/)
    expect(JSON.stringify(warnings)).not.toContain(value)
    expect(JSON.stringify(warnings)).not.toContain('hunter2')
  }
})

test('An argument, a line of a file and an annotation are looked at as well', () => {
  const resource = {
    metadata: { annotations: { last: '{"url":"amqp://a:hunter2@b"}' } },
    spec: {
      containers: [{ args: ['--port=1', '--api-key=hunter2'], command: ['run', '--password=hunter2'] }],
    },
  }
  const file = map('app.yaml', 'listen: 1\nmail:\n  smtpPassword: "hunter2"\n')
  expect(credentialWarnings(resource, 'a').map(({ path }) => path)).toEqual([
    'a.metadata.annotations.last',
    'a.spec.containers[0].args[1]',
    'a.spec.containers[0].command[1]',
  ])
  expect(credentialWarnings(file, 'a')).toEqual([
    { path: 'a.data.app.yaml', message: expect.stringContaining('the name in one of its lines') },
  ])
})

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mail' } }

test.each([
  ['JSON', JSON.stringify({ ...secret, data: { mail: 'aHVudGVyMg==' } })],
  ['YAML', 'apiVersion: v1\nkind: Secret\nmetadata: { name: mail }\ndata:\n  mail: aHVudGVyMg==\n'],
  ['a list', JSON.stringify({ kind: 'List', items: [{ ...secret, stringData: { mail: 'hunter2' } }] })],
])('A Secret that an annotation or a file holds as text is told (%s)', (_, text) => {
  for (const resource of [{ metadata: { annotations: { last: text } } }, map('all.yaml', text)])
    expect(credentialWarnings(resource, 'a')).toEqual([
      { path: expect.any(String), message: expect.stringContaining('the manifest of a Secret') },
    ])
})

test('A text that only names a Secret is none', () => {
  const text = 'kind: SecretProviderClass\nspec: { secretKeyRef: { kind: Secret, name: mail } }\n'
  expect(credentialWarnings(map('all.yaml', text), 'a')).toEqual([])
})

test.each([
  ['MAX_TOKENS', '16384'],
  ['TOKEN_LIMIT', '2000000'],
  ['PASSWORD_FILE', '/run/secrets/password'],
  ['SECRET_NAME', 'database'],
  ['API_KEY', ''],
  ['API_KEY', '$(FROM_A_SECRET)'],
  ['DATABASE_PASSWORD', `\${DATABASE_PASSWORD}`],
  ['PUBLIC_KEY', publicKey],
  ['PIN', `sha256:${'0123456789abcdef'.repeat(4)}`],
  ['PIN', 'sha256/yTimWloa_BO3U8n9IppiLjnNJxGmmysMlSLjarTVJbA'],
  ['DATABASE_URL', `postgres://router:\${PASSWORD}@10.0.0.5/router`],
  ['REQUIRE_AUTH', 'true'],
  ['MODEL', 'meta-llama/Llama-3.3-70B-Instruct-Turbo'],
  ['IMAGE', 'registry.example/confidential-inference-router:0.1.0'],
])('The environment’s %s of %j is no credential', (name, value) => {
  expect(credentialWarnings(env(name, value), 'a.yaml')).toEqual([])
  expect(credentialWarnings(map(name, value), 'a.yaml')).toEqual([])
})

test('Nothing in the demo looks like a credential', () => {
  const folder = join(import.meta.dirname, '..', 'demo-deployment')
  expect(readDeployment({ folder, inline: [] }).warnings).toEqual([])
})
