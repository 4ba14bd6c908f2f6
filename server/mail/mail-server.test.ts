import { expect, test } from 'vitest'
import { mailServerOf } from './mail-server.ts'

test.each([
  ['smtp://mail.example.com', true, { host: 'mail.example.com', port: 587, startTls: 'required' }],
  ['smtp://mail.example.com:25/', false, { host: 'mail.example.com', port: 25, startTls: 'optional' }],
  ['smtp://[::1]:25', false, { host: '::1', port: 25, startTls: 'off' }],
  ['smtp://127.0.0.1:25', true, { host: '127.0.0.1', port: 25, startTls: 'required' }],
  ['smtps://mail.example.com', true, { host: 'mail.example.com', port: 465, isSecure: true }],
])('%s with TLS required: %j says where mail is handed over, and how', (url, requireTls, server) => {
  expect(mailServerOf({ url, requireTls })).toMatchObject({ isSecure: false, ...server })
})
