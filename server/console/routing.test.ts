import { expect, test } from 'vitest'
import { findRoute } from './routing.ts'

test.each([
  ['GET', '/console/api/me', 'getMe', {}],
  ['POST', '/console/api/sign-in', 'signIn', {}],
  ['POST', '/console/api/sign-in/codes', 'askSignInCode', {}],
  ['DELETE', '/console/api/sessions/ses_1', 'endSession', { id: 'ses_1' }],
  ['GET', '/console/api/requests/live', 'followRequests', {}],
  ['GET', '/console/api/requests/gen-1', 'getRequest', { id: 'gen-1' }],
  ['GET', '/console/api/requests.csv', 'saveRequests', {}],
  [
    'GET',
    '/console/api/endpoints/a%20b/bundles/sha256%2FAB',
    'getBundle',
    { name: 'a b', digest: 'sha256/AB' },
  ],
])('%s %s is %s', (method, url, operation, path) => {
  expect(findRoute(method, url)).toMatchObject({ operation, path })
})

test.each([
  ['PUT', '/console/api/me'],
  ['GET', '/console/api/me/'],
  ['GET', '/console/api/requestsXcsv'],
  ['DELETE', '/console/api/sessions/'],
  ['DELETE', '/console/api/sessions/a/b'],
  ['DELETE', '/console/api/sessions/%E0%A4%A'],
  ['DELETE', '/console/api/sessions/a%00'],
  ['GET', '/v1/me'],
])('%s %s is nothing', (method, url) => {
  expect(findRoute(method, url)).toBeUndefined()
})
