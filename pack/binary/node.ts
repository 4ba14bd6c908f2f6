import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../recipe.ts'

/** This system, as Node names it. */
export const OWN_SYSTEM = `${process.platform}-${process.arch}`

interface Locked {
  readonly version: string
  readonly integrity: string
}

/** What ELF calls the processors that Node names. */
const MACHINES: Readonly<Record<string, number>> = { x64: 0x3e, arm64: 0xb7 }
const ELF = '\u007fELF'

/**
 * Fetches the Node of another system from npm's registry into a folder; gives its file. It is the one of the lockfile,
 * by its hash, and has to be of this version: what is put into it is read by no other. `root` has the lockfile.
 */
export function fetchNode(system: string, folder: string, root = ROOT): string {
  const name = `node-${system}`
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const locked: Locked | undefined = packages[`node_modules/${name}`]
  if (locked === undefined) throw new Error(`The lockfile has no Node for ${system}: give one by --node.`)
  if (`v${locked.version}` !== process.version)
    throw new Error(
      `The lockfile's Node for ${system} is ${locked.version}, and this one ${process.version}: give one by --node.`,
    )
  const args = ['pack', '--json', '--pack-destination', folder, `${name}@${locked.version}`]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }),
  )
  const archive = join(folder, filename)
  if (`sha512-${hash('sha512', readFileSync(archive), 'base64')}` !== locked.integrity)
    throw new Error(`${name}@${locked.version} is not the one of the lockfile.`)
  execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node'])
  return join(folder, 'package', 'bin', 'node')
}

/** Throws when a program of Linux is not for the processor that is asked for. Other systems are not looked at. */
export function checkMachine(file: string, system: string): void {
  const [platform, arch = ''] = system.split('-')
  if (platform !== 'linux') return
  const head = Buffer.alloc(20)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, head)
  closeSync(descriptor)
  if (head.toString('latin1', 0, 4) !== ELF || head.readUInt16LE(18) !== MACHINES[arch])
    throw new Error(`${file} is no program for ${system}.`)
}
