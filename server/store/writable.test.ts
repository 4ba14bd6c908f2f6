import { expect, test } from 'vitest'
import { neededServer, withoutNeed } from './writable.ts'

test.each([
  ['postgres://u:p@a.example/db', undefined],
  ['postgres://u:p@a.example/db?target_session_attrs=any', undefined],
  ['postgres://u:p,q@a.example/db?application_name=a,b', undefined],
  ['postgres://u:p@a.example/db?target_session_attrs=read-write', 'primary'],
  ['postgres://u:p@a.example:1,b.example:2/db', 'primary'],
  ['postgres://u:p@a.example,b.example/db?target_session_attrs=any', 'primary'],
  ['postgres://[::1]:1,[::2]:2/db?sslmode=require&target_session_attrs=primary', 'primary'],
])('of %s a router needs: %s', (url, needed) => {
  expect(neededServer(url)).toBe(needed)
})

test.each(['standby', 'read-only', 'prefer-standby', 'Primary', ''])(
  'target_session_attrs=%s is refused by its name',
  (value) => {
    expect(() => neededServer(`postgres://u@a,b/db?target_session_attrs=${value}`)).toThrow(
      'target_session_attrs must be one of any, read-write, primary: a router has to write',
    )
  },
)

test.each([
  ['postgres://u@a/db?target_session_attrs=any', 'postgres://u@a/db'],
  ['postgres://u@a/db?target_session_attrs=any&sslmode=require', 'postgres://u@a/db?sslmode=require'],
  ['postgres://u@a/db?sslmode=require&target_session_attrs=any', 'postgres://u@a/db?sslmode=require'],
  ['postgres://u@a/db', 'postgres://u@a/db'],
])('the driver is told nothing of %s: %s', (url, told) => {
  expect(withoutNeed(url)).toBe(told)
})
