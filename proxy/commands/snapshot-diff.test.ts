import { expect, test } from 'vitest'
import type { Json } from '#attestation'
import { diffSnapshots } from './snapshot-diff.ts'

interface Options {
  readonly image?: string
  readonly price?: number
  readonly replicas?: number
  readonly comment?: string
  readonly more?: Json[]
}

/** A snapshot as a platform renders it. */
function snapshot({ image = 'aa', price = 150, replicas = 1, comment = '', more = [] }: Options = {}): Json {
  const metadata = { name: 'router', namespace: 'inference' }
  const containers = [
    {
      name: 'router',
      image: `registry.example/router@sha256:${image}`,
      env: [{ name: 'LEVEL', value: 'info' }],
    },
    { name: 'model', image: 'registry.example/model@sha256:bb' },
  ]
  const file = `${comment}models:\n  - id: demo/tiny-chat\n    price: ${price}\n`
  return {
    version: 2,
    resources: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'router.yaml': file, LEVEL: 'info' } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: { replicas, template: { spec: { containers } } },
      },
      ...more,
    ],
  }
}

test('equal snapshots differ in nothing, whatever the order of their members', () => {
  expect(diffSnapshots(snapshot(), snapshot())).toEqual([])
  expect(diffSnapshots({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([])
})

test('another image is told by the name of its container', () => {
  expect(diffSnapshots(snapshot(), snapshot({ image: 'cc' }))).toEqual([
    {
      change: 'image',
      resource: 'apps Deployment inference/router',
      path: 'spec.template.spec.containers[router].image',
      before: '"registry.example/router@sha256:aa"',
      after: '"registry.example/router@sha256:cc"',
    },
  ])
})

test('a key of a configuration is told, within the document that the configuration holds', () => {
  expect(diffSnapshots(snapshot(), snapshot({ price: 200 }))).toEqual([
    {
      change: 'configuration',
      resource: 'ConfigMap inference/router',
      path: 'data["router.yaml"].models[0].price',
      before: '150',
      after: '200',
    },
  ])
})

test('a comment in a configuration is a difference, as it was signed', () => {
  expect(diffSnapshots(snapshot(), snapshot({ comment: '# new\n' }))).toMatchObject([
    { change: 'configuration', path: 'data["router.yaml"]' },
  ])
})

test('a resource that is new, and one that is gone, are told by their names', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'router', namespace: 'inference' } }
  const [added] = diffSnapshots(snapshot(), snapshot({ more: [service] }))
  expect(added).toMatchObject({
    change: 'resource_added',
    resource: 'Service inference/router',
    before: null,
  })
  const [removed] = diffSnapshots(snapshot({ more: [service] }), snapshot())
  expect(removed).toMatchObject({
    change: 'resource_removed',
    resource: 'Service inference/router',
    after: null,
  })
})

test('any other field is told with its place', () => {
  expect(diffSnapshots(snapshot(), snapshot({ replicas: 3 }))).toMatchObject([
    { change: 'field', path: 'spec.replicas', before: '1', after: '3' },
  ])
  expect(diffSnapshots({ version: 2, resources: [] }, { version: 3, resources: [] })).toMatchObject([
    { change: 'field', resource: 'snapshot', path: 'version', before: '2', after: '3' },
  ])
})

test('resources of one name are all compared', () => {
  const twice = [
    { kind: 'A', v: 1 },
    { kind: 'A', v: 2 },
  ]
  expect(diffSnapshots({ resources: twice }, { resources: [twice[0]!, { kind: 'A', v: 3 }] })).toMatchObject([
    { resource: 'A #2', path: 'v', before: '2', after: '3' },
  ])
})

test.each<[string, Json, Json]>([
  ['a text of a configuration that refers to itself', '&a [*a]', '&a [*a, 1]'],
  ['a snapshot of another kind', [1], [2]],
  ['a list for an object', { a: [1] }, { a: { '0': 1 } }],
])('%s is compared as it stands', (_, before, after) => {
  const around = (value: Json): Json => ({ resources: [{ kind: 'ConfigMap', data: { file: value } }] })
  expect(diffSnapshots(around(before), around(after))).toHaveLength(1)
  expect(diffSnapshots(before, after)).toHaveLength(1)
})
