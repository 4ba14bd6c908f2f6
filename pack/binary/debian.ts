import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../recipe.ts'
import { licencesBeside } from './build.ts'

/** Of the package, its command and its unit: `proxy` alone is the name of other programs. */
export const NAME = 'confidential-inference-proxy'

/** What a Node of nodejs.org is linked with. */
const DEPENDS = 'libc6 (>= 2.28), libstdc++6 (>= 8)'

/** Makes a Debian package of a binary; gives its file. It runs nothing when it is installed or removed. */
export function buildDebian(
  binary: string,
  into: string,
  architecture: string,
  version = manifest.version,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'debian-'))
  try {
    put(folder, `usr/bin/${NAME}`, binary, 0o755)
    put(folder, `usr/lib/systemd/user/${NAME}.service`, join(import.meta.dirname, `${NAME}.service`))
    put(folder, `usr/share/doc/${NAME}/README.md`, join(import.meta.dirname, 'README.md'))
    const licences = [join(ROOT, 'LICENSE'), licencesBeside(binary)].map((one) => readFileSync(one, 'utf8'))
    write(folder, `usr/share/doc/${NAME}/copyright`, licences.join('\n'))
    // The program's own words, asked of its source: the binary may be for another processor.
    const args = [join(ROOT, 'proxy', 'main.ts'), 'completion', 'bash', '--command', NAME]
    const completion = execFileSync(process.execPath, args, { encoding: 'utf8' })
    write(folder, `usr/share/bash-completion/completions/${NAME}`, completion)
    write(folder, 'DEBIAN/control', control(architecture, version, sizeOf(folder)))
    mkdirSync(into, { recursive: true })
    const file = join(into, `${NAME}_${version}_${architecture}.deb`)
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', folder, file], {
      stdio: 'pipe',
    })
    return file
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function control(architecture: string, version: string, bytes: number): string {
  return `Package: ${NAME}
Version: ${version}
Architecture: ${architecture}
Maintainer: The maintainers of the Confidential Inference Router <maintainers@invalid>
Installed-Size: ${Math.ceil(bytes / 1_024)}
Depends: ${DEPENDS}
Section: net
Priority: optional
Description: verifying proxy for confidential inference
 Stands between an OpenAI client and a Confidential Inference Router, and
 forwards nothing before the deployment behind it is verified.
`
}

function put(folder: string, name: string, from: string, mode = 0o644): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  cpSync(from, file)
  chmodSync(file, mode)
}

function write(folder: string, name: string, text: string): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o644 })
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
