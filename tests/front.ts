import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type Dispatcher, request } from 'undici'
import { createIdentity, HOSTNAME } from '#egress/testing/identity.ts'
import { freePort } from './gateway.ts'
import { findProgram } from './needs.ts'

/** A program of somebody else's that stands in front of a router, as `deploy/` has it configured. */
export interface Front {
  /** Asks through it, over TLS. */
  ask(path: string, options?: Omit<Dispatcher.RequestOptions, 'path' | 'method'> & Method): Promise<Answer>
  stop(): Promise<void>
}

type Method = { readonly method?: Dispatcher.HttpMethod }
type Answer = Dispatcher.ResponseData

/** Its name, and what is shorter than in the file so that a test can wait longer than that. */
export interface FrontOptions {
  readonly program: 'nginx' | 'caddy'
  readonly routerPort: number
  readonly readTimeoutSeconds?: number
}

const DEPLOY = join(import.meta.dirname, '..', 'deploy')

/** Starts it with the file of `deploy/`, of which only addresses, certificates and the name are changed. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const { program, routerPort, readTimeoutSeconds } = options
  const binary = findProgram(program)
  if (binary === undefined) throw new Error(`These tests need ${program}: apt-get install ${program}`)
  const folder = mkdtempSync(join(tmpdir(), `front-${program}-`))
  const { pem } = createIdentity()
  const pemFile = join(folder, 'identity.pem')
  writeFileSync(pemFile, pem, { mode: 0o600 })
  const port = await freePort()
  const file = join(folder, program === 'nginx' ? 'nginx.conf' : 'Caddyfile')
  const place = { folder, pemFile, port }
  const written = (program === 'nginx' ? forNginx : forCaddy)(place)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${routerPort}`)
    .replaceAll('660s', `${readTimeoutSeconds ?? 660}s`)
  writeFileSync(file, written)
  const args = program === 'nginx' ? ['-c', file, '-p', folder, '-e', 'stderr'] : ['run', '--config', file]
  const said: string[] = []
  const child = spawn(binary, args, {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => said.push(String(text)))
  const agent = new Agent({
    allowH2: false,
    connect: { ca: pem, servername: HOSTNAME },
    bodyTimeout: 0,
    headersTimeout: 0,
  })
  const front: Front = {
    ask: (path, { method = 'GET', ...asked } = {}) =>
      request(`https://127.0.0.1:${port}${path}`, { dispatcher: agent, method, ...asked }),
    async stop() {
      await agent.destroy()
      const exited = child.exitCode === null ? once(child, 'exit') : undefined
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
  while (!(await answers(front))) {
    if (child.exitCode !== null) throw new Error(`${program} did not start:\n${said.join('')}`)
  }
  return front
}

interface Place {
  readonly folder: string
  /** Certificate and key. */
  readonly pemFile: string
  readonly port: number
}

function forNginx({ folder, pemFile, port }: Place): string {
  mkdirSync(join(folder, 'temporary'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, 'temporary', name)};`)
    .join('\n')
  const server = readFileSync(join(DEPLOY, 'nginx/router.conf'), 'utf8')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('server_name inference.example;', `server_name ${HOSTNAME};`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${pemFile};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${pemFile};`)
  // Its worker writes where this process may; as root it would become somebody who may not.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `${user}\ndaemon off;\npid ${join(folder, 'pid')};\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}}\n`
}

function forCaddy({ pemFile, port }: Place): string {
  const site = readFileSync(join(DEPLOY, 'caddy/Caddyfile'), 'utf8').replace(
    'inference.example {',
    `https://127.0.0.1:${port}, https://${HOSTNAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${pemFile} ${pemFile}\n`,
  )
  return `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${site}`
}

async function answers(front: Front): Promise<boolean> {
  try {
    const { body } = await front.ask('/v1/nothing')
    await body.dump()
    return true
  } catch {
    return false
  }
}
