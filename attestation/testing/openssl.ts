import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What `openssl verify -x509_strict` says of a chain whose last certificate is trusted: "OK", or why not. */
export async function askOpenssl(pems: readonly string[], now: Date): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chain-'))
  try {
    return await verify(folder, pems, now)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function verify(folder: string, pems: readonly string[], now: Date): Promise<string> {
  const [leaf = '', root = '', issuers = ''] = ['leaf', 'root', 'issuers'].map((name) =>
    join(folder, `${name}.pem`),
  )
  await writeFile(leaf, pems[0] ?? '')
  await writeFile(root, pems.at(-1) ?? '')
  await writeFile(issuers, pems.slice(1, -1).join(''))
  const untrusted = pems.length > 2 ? ['-untrusted', issuers] : []
  const strictness = ['-x509_strict', '-check_ss_sig', '-auth_level', '2', '-no-CApath', '-no-CAstore']
  const attime = String(Math.floor(now.getTime() / 1_000))
  const options = [...strictness, '-attime', attime, '-CAfile', root, ...untrusted]
  try {
    await run('openssl', ['verify', ...options, leaf])
    return 'OK'
  } catch (error) {
    return String((error as { stderr?: string }).stderr)
  }
}
