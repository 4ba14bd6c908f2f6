import { expect, test } from 'vitest'
import { parsePem, parsePemFile } from './pem.ts'
import { toPem } from './testing/certificates.ts'
import { goodChain } from './testing/chains.ts'

const [leaf = Buffer.alloc(0), issuer = Buffer.alloc(0)] = goodChain().certificates
const pem = toPem(leaf)

test.each([
  ['lines of 64 characters', pem],
  ['line breaks of Windows', pem.replaceAll('\n', '\r\n')],
  ['no line breaks', pem.replaceAll('\n', '')],
  ['white space around it', `\n  ${pem}\t\n`],
])('one certificate is read with %s', (_, text) => {
  expect(parsePem(text)).toEqual(leaf)
})

test.each([
  ['nothing', ''],
  ['a frame without content', toPem(Buffer.alloc(0))],
  ['one line that is both ends', '-----BEGIN CERTIFICATE-----END CERTIFICATE-----'],
  ['two certificates', pem + toPem(issuer)],
  ['text before it', `subject=x\n${pem}`],
  ['text after it', `${pem}x`],
  ['another label', pem.replaceAll('CERTIFICATE', 'PUBLIC KEY')],
  ['a character that is not base64', pem.replace('MII', 'M*II')],
  ['base64url', pem.replace('MII', 'M-_I')],
  ['padding in the middle', pem.replace('MII', 'M=II')],
  ['a header line', pem.replace('\n', '\nProc-Type: 4,ENCRYPTED\n')],
])('%s is not one certificate', (_, text) => {
  expect(() => parsePem(text)).toThrow(TypeError)
})

test('a file gives all its certificates and may have text between them', () => {
  expect(parsePemFile(`the leaf\n${pem}\nits issuer\n${toPem(issuer)}`)).toEqual([leaf, issuer])
})

test('a file without a certificate is refused', () => {
  expect(() => parsePemFile('nothing here')).toThrow(TypeError)
})

test('a mebibyte of white space is read within seconds', () => {
  const start = performance.now()
  expect(() => parsePem(`${' '.repeat(1 << 20)}x${' '.repeat(1 << 20)}`)).toThrow(TypeError)
  // Generous: what is quadratic takes minutes.
  expect(performance.now() - start).toBeLessThan(20_000)
})
