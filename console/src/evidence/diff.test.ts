import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesBetween } from './diff.ts'
import { isObject, type Json } from './json.ts'
import { imagesOf, nameOf } from './resources.ts'

const deployment = (image: string, level: string): Json => ({
  kind: 'Deployment',
  metadata: { namespace: 'inference', name: 'router' },
  spec: { containers: [{ name: 'router', image, env: [{ name: 'LOG_LEVEL', value: level }] }] },
})
const service: Json = { kind: 'Service', metadata: { name: 'front' } }

test('what differs is told by resource and place, down to the value', () => {
  const before = { version: 2, resources: [deployment('a@1', 'info'), service] }
  const after = { version: 3, resources: [deployment('a@2', 'info'), { kind: 'ConfigMap' }] }
  expect(changesBetween(before, after)).toEqual([
    {
      kind: 'changed',
      resource: 'Deployment inference/router',
      place: 'spec.containers[router].image',
      before: 'a@1',
      after: 'a@2',
    },
    { kind: 'removed', resource: 'Service front', place: '', before: service, after: undefined },
    { kind: 'added', resource: 'ConfigMap', place: '', before: undefined, after: { kind: 'ConfigMap' } },
    { kind: 'changed', resource: undefined, place: 'version', before: 2, after: 3 },
  ])
})

test('another order of the resources is a change too', () => {
  const [one, other] = [deployment('a', 'info'), service]
  expect(changesBetween({ resources: [one, other] }, { resources: [other, one] })).toMatchObject([
    { kind: 'changed', place: 'order of the resources' },
  ])
})

test('two resources of one name hide nothing of each other', () => {
  const changes = changesBetween({ resources: [service, service] }, { resources: [service] })
  expect(changes).toMatchObject([{ kind: 'removed', resource: 'Service front #2' }])
})

test('there is no change exactly where both hold the same values', () => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(changesBetween(one, structuredClone(one))).toEqual([])
      const isEqual = changesBetween({ resources: [one] }, { resources: [other] }).length === 0
      expect(isEqual).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)))
    }),
  )
})

test('images are found wherever they stand, each once', () => {
  expect(
    imagesOf([deployment('a@1', 'info'), deployment('a@1', 'warn'), { spec: { image: 'b@2' } }]),
  ).toEqual(['a@1', 'b@2'])
  expect([nameOf(7), nameOf({}), nameOf({ kind: 'Job', name: 'once' })]).toEqual([
    'Resource without a kind',
    'Resource',
    'Job once',
  ])
})

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return Object.is(value, -0) ? 0 : value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name] ?? null)]),
  )
}
