import { expect, test } from 'vitest'
import { ListenError } from './listening.ts'

const failed = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code })

test.each([
  [
    'EADDRINUSE',
    { host: '127.0.0.1', port: 8_484 },
    'listen',
    '127.0.0.1:8484 is taken (EADDRINUSE): end the program that listens there, or set another port in the configuration file, such as listen: { port: 8494 }',
  ],
  ['EADDRINUSE', { host: '::1', port: 65_530 }, 'admin', 'admin: { host: "::1", port: 65520 }'],
  ['EADDRINUSE', { host: '', port: 0, socket: 'run/a.sock' }, 'listen', 'name another listen.socket'],
  ['EACCES', { host: '0.0.0.0', port: 443 }, 'listen', 'such as listen: { host: "0.0.0.0", port: 8443 }'],
  ['EADDRNOTAVAIL', { host: '10.9.9.9', port: 1 }, 'control', '10.9.9.9 is no address of this machine'],
  ['ENOTFOUND', { host: 'nowhere.test', port: 1 }, 'listen', 'set listen.host in the configuration file'],
  ['EMFILE', { host: '127.0.0.1', port: 1 }, 'listen', 'Cannot listen on 127.0.0.1:1 (EMFILE)'],
])('%s on %j says what stands in the way and what to write', (code, wanted, setting, words) => {
  const error = new ListenError(failed(code), wanted, setting)
  expect(error.message).toContain(words)
  expect(error.code).toBe(code)
})
