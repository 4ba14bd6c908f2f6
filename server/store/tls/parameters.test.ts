import { expect, test } from 'vitest'
import { DatabaseUrlError, takeTlsParameters } from './parameters.ts'

const BASE = 'postgres://user:p%40ss@db.example:5432/router'
const take = (query: string) => takeTlsParameters(`${BASE}?${query}`)

test.each(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'])(
  'sslmode=%s is known',
  (mode) => {
    expect(take(`sslmode=${mode}`)).toMatchObject({ url: BASE, tls: { mode } })
  },
)

test.each([
  ['', { mode: 'prefer', minVersion: 'TLSv1.2', sendsName: true, sendsCertificate: true, isDirect: false }],
  ['sslrootcert=system', { mode: 'verify-full', rootCertificates: 'system' }],
  ['sslmode=verify-full&sslrootcert=system', { mode: 'verify-full', rootCertificates: 'system' }],
  ['sslrootcert=/x/ca.pem', { mode: 'prefer', rootCertificates: '/x/ca.pem' }],
  ['sslrootcert=', { rootCertificates: undefined }],
  ['sslrootcert=/x/a+b%20c.pem', { rootCertificates: '/x/a+b c.pem' }],
  ['sslmode=disable&sslmode=require', { mode: 'require' }],
  ['ssl=true', { mode: 'require' }],
  ['ssl=true&sslmode=verify-ca', { mode: 'verify-ca' }],
  ['sslcert=/x/c&sslkey=/x/k&sslpassword=p', { certificate: '/x/c', key: '/x/k', passphrase: 'p' }],
  ['sslcertmode=disable', { sendsCertificate: false }],
  ['sslcrl=/x/crl', { revocations: '/x/crl' }],
  ['sslsni=0', { sendsName: false }],
  ['ssl_min_protocol_version=TLSv1.3', { minVersion: 'TLSv1.3' }],
  ['ssl_max_protocol_version=TLSv1.2', { maxVersion: 'TLSv1.2' }],
  ['sslmode=require&sslnegotiation=direct', { isDirect: true }],
  ['channel_binding=prefer', { mode: 'prefer' }],
  ['channel_binding=disable', { mode: 'prefer' }],
  ['gssencmode=disable&sslcompression=0', { mode: 'prefer' }],
])('"%s" means what it means to libpq', (query, expected) => {
  expect(take(query).tls).toMatchObject(expected)
})

test('what is not about TLS stays in the URL as it was written', () => {
  expect(take('application_name=a%20b&sslmode=require&options=-c%20x').url).toBe(
    `${BASE}?application_name=a%20b&options=-c%20x`,
  )
  expect(takeTlsParameters(BASE).url).toBe(BASE)
})

test.each([
  ['sslmode=no-verify', 'sslmode'],
  ['sslmode=', 'sslmode'],
  ['sslmode=Require', 'sslmode'],
  ['ssl=1', 'ssl'],
  ['sslmode=require&sslrootcert=system', 'sslmode=require'],
  ['channel_binding=require', 'channel_binding=require'],
  ['channel_binding=always', 'channel_binding'],
  ['sslnegotiation=direct', 'sslnegotiation=direct'],
  ['ssl_min_protocol_version=SSLv3', 'ssl_min_protocol_version'],
  ['ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.2', 'ssl_max_protocol_version'],
  ['gssencmode=require', 'gssencmode'],
  ['sslcrldir=/x', 'sslcrldir'],
  ['require_auth=scram-sha-256', 'require_auth'],
  ['requirepeer=postgres', 'requirepeer'],
  ['sslcertmode=require', 'sslcertmode'],
  ['krbsrvname=x', 'krbsrvname'],
  ['SSLMODE=verify-full', 'SSLMODE'],
  ['sslMode=verify-full', 'sslMode'],
  ['SslRootCert=/x/ca.pem', 'SslRootCert'],
  ['channelBinding=require', 'channelBinding'],
  ['sslrootcert=%E0%A4%A', 'sslrootcert'],
])('"%s" is refused by the name of its setting', (query, setting) => {
  expect(() => take(query)).toThrow(expect.objectContaining({ name: 'DatabaseUrlError', setting }))
  expect(() => take(query)).toThrow(DatabaseUrlError)
})
