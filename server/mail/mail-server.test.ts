import { expect, test } from 'vitest'
import { completeMailServer, type MailServerSettings } from './mail-server.ts'

const plain = { isSecure: false, startTls: 'required', login: undefined }

test.each<[MailServerSettings, object]>([
  [{ url: 'smtp://mail.example.com' }, { ...plain, host: 'mail.example.com', port: 587 }],
  [{ url: 'smtp://[::1]:25' }, { ...plain, host: '::1', port: 25, startTls: 'off' }],
  [
    { url: 'smtp://mail.example.com:25', startTls: 'optional' },
    { ...plain, host: 'mail.example.com', port: 25, startTls: 'optional' },
  ],
  [
    { url: 'smtp://127.0.0.1:25', startTls: 'required', user: '' },
    { ...plain, host: '127.0.0.1', port: 25 },
  ],
  [
    { url: 'smtp://mail.example.com', startTls: 'optional', user: 'ann', password: 'p:w@' },
    { ...plain, host: 'mail.example.com', port: 587, login: { user: 'ann', pass: 'p:w@' } },
  ],
  [
    { url: 'smtps://mail.example.com', user: 'ann' },
    {
      host: 'mail.example.com',
      port: 465,
      isSecure: true,
      startTls: 'required',
      login: { user: 'ann', pass: '' },
    },
  ],
])('%j says where mail is handed over, and how', (settings, server) => {
  expect(completeMailServer(settings)).toEqual(server)
})
