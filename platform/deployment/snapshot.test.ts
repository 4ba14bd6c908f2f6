import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSnapshot } from './snapshot.ts'

const a = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
const b = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }
const elsewhere = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'x' } }
const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }

test('The snapshot is the version and the resources by kind, namespace and name', () => {
  const { evidence } = createSnapshot([service, elsewhere, b, a])
  expect(evidence).toEqual({ version: 2, resources: [a, b, elsewhere, service] })
})

test('Neither the order of the resources nor that of their members shows in the digest', () => {
  const { digest } = createSnapshot([a, b, service])
  const turned = { metadata: { name: 'a' }, kind: 'ConfigMap', apiVersion: 'v1' }
  expect(createSnapshot([service, b, turned]).digest).toBe(digest)
})

test('Resources without a name are put in order too', () => {
  const [x, y] = [{ z: 1 }, { y: 1 }]
  expect(createSnapshot([x, y])).toEqual(createSnapshot([y, x]))
})

test('The digest is the SHA-256 of the canonical form, written by hand here', () => {
  const { digest } = createSnapshot([{ ö: 1e21, b: '\u20ac\n', a: [1.0, -0, 0.1] }])
  const canonical = '{"resources":[{"a":[1,0,0.1],"b":"€\\n","ö":1e+21}],"version":2}'
  expect(digest).toBe(`sha256/${hash('sha256', canonical, 'base64url')}`)
})
