import { expect, test } from 'vitest'
import { bareTarget } from '../testing/product.ts'
import { operationOf } from './operation.ts'

const target = bareTarget('http://r/v1', { consoleUrl: 'http://r/console/api' })

test.each([
  ['GET', 'http://r/v1/models/a/b', 'getModel'],
  ['GET', 'http://r/console/api/models', 'console listConsoleModels'],
  ['GET', 'http://r/console/api/requests/live', 'console followRequests'],
  ['GET', 'http://r/console/api/requests/gen-1', 'console getRequest'],
  ['DELETE', 'http://r/console/api/keys/key_1', 'console revokeKey'],
  ['PUT', 'http://r/console/api/keys/key_1', undefined],
  ['GET', 'http://elsewhere/v1/models', undefined],
])('%s %s is the operation %s', (method, url, operation) => {
  expect(operationOf({ method, url, headers: {}, body: Buffer.alloc(0) }, target)).toBe(operation)
})
