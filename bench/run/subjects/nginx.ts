import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIdentity, HOSTNAME } from '#egress/testing/identity.ts'
import { findProgram } from '../../../tests/needs.ts'
import { freePort, startForeign } from './program.ts'
import { chatOf, type Subject, Unavailable } from './subject.ts'

/** The reference in C: bytes go through, nothing is buffered to disk or held back. */
export const nginx: Subject = {
  name: 'nginx',
  description: "the machine's nginx, one worker, proxy_buffering off, connections to the model kept",
  async prepare({ folder, backendUrl, core }) {
    const program = findProgram('nginx')
    if (program === undefined) throw new Unavailable('this machine has no nginx (apt-get install nginx)')
    const { pem } = createIdentity()
    const pemFile = join(folder, 'identity.pem')
    writeFileSync(pemFile, pem, { mode: 0o600 })
    mkdirSync(join(folder, 'temporary'))
    return {
      async start() {
        const [port, tlsPort] = [await freePort(), await freePort()]
        const file = join(folder, `nginx-${port}.conf`)
        writeFileSync(file, configFor({ folder, backendUrl, port, tlsPort, pemFile }))
        const origin = `http://127.0.0.1:${port}/v1`
        const logFile = join(folder, 'nginx.log')
        const args = ['-c', file, '-p', folder, '-e', logFile]
        const { pid, stop } = await startForeign({ file: program, args, core, logFile, url: origin })
        return {
          target: chatOf(origin),
          tlsTarget: { ...chatOf(`https://127.0.0.1:${tlsPort}/v1`), tls: { ca: pem, hostname: HOSTNAME } },
          roles: [{ name: 'nginx', pid }],
          stop,
        }
      },
      dispose: async () => {},
    }
  },
}

interface Surroundings {
  readonly folder: string
  readonly backendUrl: string
  readonly port: number
  readonly tlsPort: number
  /** Certificate and key. */
  readonly pemFile: string
}

function configFor({ folder, backendUrl, port, tlsPort, pemFile }: Surroundings): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(folder, 'temporary', name)};`)
    .join('\n')
  // Its worker writes where this process may; as root it would become somebody who may not.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `
${user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${join(folder, `nginx-${port}.pid`)};
events { worker_connections 16384; }
http {
  access_log off;
  keepalive_requests 100000000;
  keepalive_timeout 300s;
  ssl_session_tickets off;
${temporary}
  upstream model {
    server ${new URL(backendUrl).host};
    keepalive 8192;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    listen 127.0.0.1:${tlsPort} ssl backlog=4096;
    ssl_certificate ${pemFile};
    ssl_certificate_key ${pemFile};
    ssl_protocols TLSv1.3;
    location / {
      proxy_pass http://model;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`
}
