import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, findProgram, isMet, type Need, type PythonNeed, receiptOf } from './needs.ts'

/** What bringing takes from the machine; tests pass their own. */
export interface Machine {
  readonly isRoot: boolean
  /** Whether its owner lets tests install anything: `TESTS_INSTALL=no` forbids it. */
  readonly mayInstall: boolean
  has(program: string): boolean
  isMet(need: Need): boolean
  /** Runs a command to its end and gives its exit code. */
  run(command: readonly string[], output?: 'shown' | 'hidden'): Promise<number>
  /** Notes that an environment now holds what was required. */
  sign(environment: string, requirement: string): void
  say(line: string): void
}

/** This machine. */
const thisMachine: Machine = {
  isRoot: process.getuid?.() === 0,
  mayInstall: process.env.TESTS_INSTALL !== 'no',
  has: (program) => findProgram(program) !== undefined,
  isMet,
  run([program, ...args], output = 'shown') {
    const stdio = output === 'shown' ? 'inherit' : 'ignore'
    return new Promise((resolve) => {
      const child = spawn(program!, args, { stdio })
      child.once('error', () => resolve(1))
      child.once('exit', (code) => resolve(code ?? 1))
    })
  },
  sign: (environment, requirement) => writeFileSync(receiptOf(environment), requirement),
  say: (line) => console.log(line),
}

/** Installs what is missing, as far as the machine allows it, and gives what is still missing; throws for neither. */
export async function provide(
  needs: readonly Need[],
  machine: Machine = thisMachine,
): Promise<readonly Need[]> {
  const missing = needs.filter((need) => !machine.isMet(need))
  await installPackages(
    missing.flatMap((need) => (need.kind === 'program' && !need.isOptional ? [need.debianPackage] : [])),
    machine,
  )
  // Side by side: much of the time they wait for the network, and none knows of another.
  const environments = missing.filter((need) => need.kind === 'python')
  await Promise.all(environments.map((need) => createEnvironment(need, machine)))
  return missing.filter((need) => !machine.isMet(need))
}

/** Installs packages of Debian, all at once; without the right to do so, nothing. */
async function installPackages(packages: readonly string[], machine: Machine): Promise<void> {
  if (packages.length === 0 || !machine.mayInstall || !machine.has('apt-get')) return
  const asRoot = await findRights(machine)
  if (asRoot === undefined) return
  const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq']
  const names = [...new Set(packages)]
  machine.say(`The tests need what this machine has not: installing ${names.join(', ')} with apt-get.`)
  // A machine that nothing was ever installed on knows of no package yet.
  await machine.run([...apt, 'update'])
  await machine.run([...apt, 'install', '-y', '--no-install-recommends', ...names])
}

/** What makes a command one of root's; undefined when nothing does, or only a password. */
async function findRights({ isRoot, has, run }: Machine): Promise<readonly string[] | undefined> {
  if (isRoot) return []
  const isTrusted = has('sudo') && (await run(['sudo', '-n', 'true'], 'hidden')) === 0
  return isTrusted ? ['sudo', '-n'] : undefined
}

/** Makes the environment of a need and installs into it from PyPI; without Python or the network, nothing. */
async function createEnvironment({ name, requirement }: PythonNeed, machine: Machine): Promise<void> {
  if (!machine.mayInstall || !machine.has('python3')) return
  const environment = environmentOf(name)
  machine.say(`Installing ${requirement} from PyPI into node_modules/.cache.`)
  if ((await machine.run(['python3', '-m', 'venv', '--clear', environment])) !== 0) return
  const pip = [join(environment, 'bin', 'python'), '-m', 'pip', '--disable-pip-version-check', '--quiet']
  // Nobody waits long for a network that is not there.
  const options = ['--no-compile', '--retries', '1', '--timeout', '15']
  if ((await machine.run([...pip, 'install', ...options, requirement])) !== 0) return
  machine.sign(environment, requirement)
}
