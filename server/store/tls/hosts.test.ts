import { expect, test } from 'vitest'
import { bracketedServers, isDatabaseUrl } from './hosts.ts'

test.each([
  ['postgres://u:p@[::1]/db', { host: ['::1'], port: [5432] }],
  ['postgres://[2001:db8::1]:6000/db?sslmode=require', { host: ['2001:db8::1'], port: [6000] }],
  [
    'postgresql://u:p@[::1]:1,db.example:2,[::2]/db',
    { host: ['::1', 'db.example', '::2'], port: [1, 2, 5432] },
  ],
  ['postgres://u:p@db.example:5432/db', undefined],
  ['postgres://u:p@a.example:1,b.example:2/db', undefined],
  ['postgres://u:p@/db?host=[::1]', undefined],
])('the servers of %s', (url, servers) => {
  expect(bracketedServers(url)).toEqual(servers)
})

test.each([
  ['postgres://u:p@db.example/db', true],
  ['postgres://u:p@a.example:5432,b.example:5433/db?sslmode=verify-full', true],
  ['postgres://u:p@[::1]:5432,[::2]:5433/db', true],
  ['postgres://u:p@a.example:5432,b.example:many/db', false],
  ['postgres://u:p@[::1/db', false],
  ['mysql://u:p@db.example/db', false],
  ['db.example', false],
])('%s is a database’s: %s', (url, expected) => {
  expect(isDatabaseUrl(url)).toBe(expected)
})
