import { expect, test } from 'vitest'
import { secretProblems } from './secrets.ts'

const data = { DATABASE_URL: 'cG9zdGdyZXM6Ly8=' }
const metadata = { namespace: 'inference', name: 'database' }
const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data }

test.each([
  ['by itself', secret, 'db.yaml'],
  ['written as text', { kind: 'Secret', metadata, stringData: { PASSWORD: 'hunter2' } }, 'db.yaml'],
  ['in small letters', { kind: ' secret', metadata, data }, 'db.yaml'],
  ['that does not say so', { metadata, stringData: data }, 'db.yaml'],
  ['without anything in it yet', { kind: 'Secret', metadata }, 'db.yaml'],
  ['in a list', { kind: 'List', items: [{ kind: 'Service' }, secret] }, 'db.yaml.items[1]'],
  ['in a list of its own kind', { kind: 'SecretList', items: [{ metadata, data }] }, 'db.yaml.items[0]'],
  [
    'in a list in a list',
    { kind: 'List', items: [{ kind: 'List', items: [secret] }] },
    'db.yaml.items[0].items[0]',
  ],
  ['in a template of another tool', { kind: 'Template', objects: [secret] }, 'db.yaml.objects[0]'],
])('A Secret %s is refused by its place and its name, and nothing in it is told', (_, value, path) => {
  const [problem, ...others] = secretProblems(value, 'db.yaml')
  expect(others).toEqual([])
  expect(problem?.path).toBe(path)
  expect(problem?.message).toMatch(/^is the Secret "inference\/database", and .*secretKeyRef.*ExternalSecret/)
  expect(problem?.message).not.toMatch(/DATABASE_URL|hunter2|cG9z/)
})

test.each([
  ['a workload that names one', { kind: 'Pod', spec: { env: [{ valueFrom: { secretKeyRef: metadata } }] } }],
  [
    'a gateway that refers to one',
    { kind: 'Gateway', spec: { certificateRefs: [{ kind: 'Secret', name: 'tls' }] } },
  ],
  ['one that is fetched', { kind: 'ExternalSecret', spec: { target: { name: 'database' } } }],
  ['one that is sealed', { kind: 'SealedSecret', spec: { encryptedData: data } }],
  ['a list of other things', { kind: 'List', items: [{ kind: 'ConfigMap', data }] }],
])('%s is no Secret', (_, value) => {
  expect(secretProblems(value, 'a.yaml')).toEqual([])
})
