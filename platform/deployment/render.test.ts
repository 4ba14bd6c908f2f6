import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { DIGEST, temporaryFolder } from '../test-support.ts'
import { readDeployment } from './render.ts'

const DEMO = join(import.meta.dirname, '..', 'demo-deployment')

test('The demo is a deployment, its configuration and a service, with images by digest', () => {
  const { resources, problems } = readDeployment({ folder: DEMO, inline: [] })
  expect(problems).toEqual([])
  expect(resources.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Deployment', 'Service'])
})

test('Every YAML and JSON file of the folder and below it is read, with all its documents', () => {
  const folder = filesIn({
    'a.yaml': 'kind: A\n---\n# Nothing but a comment.\n---\nkind: B\n',
    'deep/er/c.json': '{"kind":"C"}',
    'd.yml': 'kind: D',
    'README.md': 'kind: none',
  })
  const { resources } = readDeployment({ folder, inline: [{ kind: 'E' }] })
  expect(resources.map(({ kind }) => kind)).toEqual(['A', 'B', 'D', 'C', 'E'])
})

test('A volume of a cluster is read once: through its links, and not where they lead', () => {
  const folder = filesIn({ '..2026_01/a.yaml': 'kind: A' })
  symlinkSync('..2026_01', join(folder, '..data'))
  symlinkSync('..data/a.yaml', join(folder, 'a.yaml'))
  expect(readDeployment({ folder, inline: [] })).toEqual({
    resources: [{ kind: 'A' }],
    problems: [],
    warnings: [],
  })
})

test('What is rendered is final: variables in it are left alone', () => {
  const variable = `\${DATABASE_URL}`
  const folder = filesIn({ 'a.yaml': `kind: ConfigMap\ndata: { url: "${variable}" }` })
  expect(readDeployment({ folder, inline: [] }).resources).toEqual([
    { kind: 'ConfigMap', data: { url: variable } },
  ])
})

test('A file is read as a cluster reads it: what is merged into a resource belongs to it', () => {
  const folder = filesIn({
    'a.yaml': 'base: &b { kind: Secret, metadata: { name: s } }\n<<: *b\ndata: { p: aHVudGVyMg== }\n',
  })
  const { problems, resources } = readDeployment({ folder, inline: [] })
  expect(problems.map(({ path }) => path)).toContain('a.yaml')
  expect(problems[0]?.message).toContain('is the Secret "s"')
  expect(resources[0]).toMatchObject({ kind: 'Secret', metadata: { name: 's' } })
})

test('Every mistake of a deployment is told at once, with its place', () => {
  const folder = filesIn({
    'broken.yaml': 'kind: A\nkind: B\n',
    'list.json': '[1]',
    'big.yaml': 'kind: A\nspec: { sizes: [1, 9007199254740993, .nan] }',
  })
  const inline = [{ kind: 'A', text: '\ud800' }, 'text']
  expect(readDeployment({ folder, inline }).problems).toEqual([
    { path: 'broken.yaml line 2', message: 'Map keys must be unique' },
    { path: 'big.yaml.spec.sizes[1]', message: expect.stringContaining('does not survive JSON') },
    { path: 'big.yaml.spec.sizes[2]', message: expect.stringContaining('does not survive JSON') },
    { path: 'list.json', message: expect.stringContaining('is not a resource') },
    { path: 'resources[0].text', message: expect.stringContaining('half a character') },
    { path: 'resources[1]', message: expect.stringContaining('is not a resource') },
  ])
})

test.each([
  ['registry.example/router:1.0'],
  ['registry.example/router@sha256:abc'],
  [`@${DIGEST}`],
  [`registry.example/router@${DIGEST}@${DIGEST}`],
  [7],
])('The image %s is refused, for it does not name one by its digest', (image) => {
  const pod = { initContainers: [{ name: 'a', image: `a@${DIGEST}` }], containers: [{ name: 'b', image }] }
  const inline = [{ kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec: pod } } } } }]
  const { problems } = readDeployment({ folder: undefined, inline })
  expect(problems).toEqual([{ path: 'resources[0]', message: `names the image ${image} without its digest` }])
})

test('Two resources of one name are refused', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  const { problems } = readDeployment({ folder: undefined, inline: [map, { ...map, data: {} }] })
  expect(problems).toEqual([{ path: 'resources[1]', message: 'is a second ConfigMap v1  a' }])
})

test.each([
  ['is missing', 'absent'],
  ['is empty', ''],
])('A folder that %s is told', (_, name) => {
  const folder = join(temporaryFolder(), name)
  const { problems } = readDeployment({ folder, inline: [] })
  expect(problems).toMatchObject([{ path: folder }])
})

function filesIn(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
