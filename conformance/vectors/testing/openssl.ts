import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Vector } from '#contract/models'
import { bytesOf } from '../corpus.ts'

const run = promisify(execFile)

/** What OpenSSL is asked about a chain. */
export interface ChainQuestion {
  readonly certChain: readonly string[]
  readonly roots: readonly string[]
  readonly hostname: string
  readonly now: string
}

/** The chain of a vector and what it is judged against; undefined when the bundle holds none. */
export function chainQuestionOf({ request }: Vector): ChainQuestion | undefined {
  const { certChain } = parse(bytesOf(request.bundle))
  const isChain = Array.isArray(certChain) && certChain.every((entry) => typeof entry === 'string')
  const { roots, hostname, now } = request
  return isChain ? { certChain, roots: roots.map(({ pem }) => pem), hostname, now } : undefined
}

/** Whether `openssl verify -x509_strict` accepts a chain; what it says otherwise. */
export async function askOpenssl({ certChain, roots, hostname, now }: ChainQuestion): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chain-'))
  try {
    const [leaf, issuers, store] = ['leaf.pem', 'issuers.pem', 'store.pem'].map((name) => join(folder, name))
    await writeFile(leaf!, certChain[0] ?? '')
    await writeFile(issuers!, certChain.slice(1).join('\n'))
    await writeFile(store!, roots.join('\n'))
    const strictness = ['-x509_strict', '-check_ss_sig', '-auth_level', '2', '-no-CApath', '-no-CAstore']
    const trust = roots.length > 0 ? ['-CAfile', store!] : ['-no-CAfile']
    const untrusted = certChain.length > 1 ? ['-untrusted', issuers!] : []
    const seconds = String(Math.floor(Date.parse(now) / 1_000))
    const asked = ['-attime', seconds, '-verify_hostname', hostname]
    await run('openssl', ['verify', ...strictness, ...trust, ...untrusted, ...asked, leaf!])
    return 'OK'
  } catch (error) {
    return String((error as { readonly stderr?: string }).stderr)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function parse(bytes: Uint8Array): { readonly certChain?: unknown } {
  try {
    return (JSON.parse(Buffer.from(bytes).toString()) ?? {}) as { certChain?: unknown }
  } catch {
    return {}
  }
}
