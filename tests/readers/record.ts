import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const bodies = JSON.parse(readFileSync(join(here, 'bodies.json'), 'utf8')) as string[]
const input = `${bodies.map((body) => JSON.stringify(body)).join('\n')}\n`

/** What one program prints about each body, in their order. */
function record(command: string, args: readonly string[]): unknown[] {
  const printed = execFileSync(command, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] })
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

const target = process.env.CARGO_TARGET_DIR ?? join('/tmp', 'readers-target')
const go = record('go', ['run', join(here, 'go', 'main.go')])
const python = record('python3', [join(here, 'read.py')])
const manifest = join(here, 'serde', 'Cargo.toml')
const serde = record('cargo', ['run', '--quiet', '--manifest-path', manifest, '--target-dir', target])
const lines = bodies.map((body, index) =>
  JSON.stringify({ body, go: go[index], python: python[index], serde: serde[index] }),
)
writeFileSync(join(here, 'recorded.json'), `[\n${lines.join(',\n')}\n]\n`)
