import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROJECT_NODE } from './recipe.ts'

/** Writes a command that starts a program of the package, or says which Node it needs. */
export function writeLauncher(folder: string, name: string, program: string): string {
  const file = `bin/${name}.js`
  const [major, minor] = PROJECT_NODE.split('.')
  const text = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > ${major} || (major === ${major} && minor >= ${minor})) await import('../${program}')
else {
  console.error(\`${name}: this needs Node ${PROJECT_NODE} or newer; this one is \${process.versions.node}.\`)
  process.exitCode = 1
}
`
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
  chmodSync(join(folder, file), 0o755)
  return file
}
