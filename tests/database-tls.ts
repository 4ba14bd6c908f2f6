import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../server/store/connection.ts'
import { findOwner } from '../server/store/embedded/owner.ts'
import type { TestServer } from '../server/store/testing.ts'

/** Files of a small authority, all PEM. */
export interface TestCertificates {
  readonly root: string
  /** Of another authority, which has signed nothing here. */
  readonly strangeRoot: string
  /** Names localhost and nothing else. */
  readonly server: string
  readonly serverKey: string
  /** Names the user `by_cert`. */
  readonly client: string
  readonly clientKey: string
}

/** Makes them in a folder. */
export function makeCertificates(folder: string): TestCertificates {
  const file = (name: string) => join(folder, name)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' })
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  for (const name of ['root', 'strange']) {
    openssl(
      'req',
      '-x509',
      ...ec,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    )
  }
  for (const [name, subject, extension] of [
    ['server', '/CN=db', 'subjectAltName=DNS:localhost'],
    ['client', '/CN=by_cert', 'extendedKeyUsage=clientAuth'],
  ] as const) {
    openssl('req', ...ec, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject)
    writeFileSync(file(`${name}.ext`), extension)
    const signer = ['-CA', 'root.pem', '-CAkey', 'root.key', '-CAcreateserial', '-extfile', `${name}.ext`]
    openssl('x509', '-req', '-in', `${name}.csr`, ...signer, '-out', `${name}.pem`, '-days', '2')
  }
  chmodSync(file('client.key'), 0o600)
  return {
    root: file('root.pem'),
    strangeRoot: file('strange.pem'),
    server: file('server.pem'),
    serverKey: file('server.key'),
    client: file('client.pem'),
    clientKey: file('client.key'),
  }
}

/**
 * Has a server speak TLS, and makes users whom it takes on one way alone: `by_tls`, `by_plain` and, with a certificate,
 * `by_cert`. Everybody else is as before on both.
 */
export async function turnOnTls(server: TestServer, certificates: TestCertificates): Promise<void> {
  const { url, databaseDir } = server.embedded
  const owner = await findOwner()
  const place = (from: string, name: string) => {
    const to = join(databaseDir, name)
    copyFileSync(from, to)
    chmodSync(to, 0o600)
    if (owner) chownSync(to, owner.uid, owner.gid)
  }
  place(certificates.server, 'server.crt')
  place(certificates.serverKey, 'server.key')
  place(certificates.root, 'root.crt')
  const access = join(databaseDir, 'pg_hba.conf')
  const rules = [
    'hostssl all by_tls all trust',
    'hostnossl all by_plain all trust',
    'hostssl all by_cert all cert',
    'host all by_tls,by_plain,by_cert all reject',
  ]
  writeFileSync(access, `${rules.join('\n')}\n${readFileSync(access, 'utf8')}`)
  const sql = connect({ url, maxConnections: 1 })
  try {
    for (const user of ['by_tls', 'by_plain', 'by_cert']) await sql`create role ${sql(user)} login`
    await sql`alter system set ssl_ca_file = 'root.crt'`
    await sql`alter system set ssl = on`
    await sql`select pg_reload_conf()`
  } finally {
    await sql.end()
  }
}
