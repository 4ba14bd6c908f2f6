import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certify, createAuthorities } from '../../platform/certificates/authority.ts'
import { generateKeys } from '../../platform/certificates/keys.ts'

/** Serves whatever it is given as the evidence of one hostname, over TLS. */
export interface Publisher {
  readonly url: string
  /** In PEM: what its certificate is to be believed by. */
  readonly root: string
  publish(bundle: string): void
  close(): Promise<void>
}

/** Starts a publisher with a throw-away authority; it answers 404 until something is published. */
export async function startPublisher(hostname: string): Promise<Publisher> {
  const now = new Date()
  const [authority] = await createAuthorities('Intel TDX (QEMU)', now)
  const keys = await generateKeys('ES256')
  const leaf = certify(authority, keys.publicKey, 'tls', hostname, now)
  let published: string | undefined
  const options = {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: [leaf, authority.intermediate].map(String).join(''),
  }
  const server = createServer(options, (_, response) => {
    response.writeHead(published === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(published ?? '{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/platform-evidence`,
    root: authority.root.toString(),
    publish(bundle) {
      published = bundle
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
