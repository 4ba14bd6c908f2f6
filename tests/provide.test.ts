import { expect, test } from 'vitest'
import type { Need } from './needs.ts'
import { type Machine, provide } from './provide.ts'

const needs: readonly Need[] = [
  { kind: 'program', name: 'openssl', debianPackage: 'openssl', use: 'certificates' },
  { kind: 'program', name: 'redis-server', debianPackage: 'redis-server', use: 'limits' },
  { kind: 'python', name: 'python-openai', requirement: 'openai==3.54.0', use: 'the SDK' },
]

interface Simulated {
  readonly programs?: readonly string[]
  readonly isRoot?: boolean
  readonly mayInstall?: boolean
  /** Commands that fail, by a word of theirs. */
  readonly failing?: string
}

/** A machine with Python and nothing else, on which every command comes to a good end. */
const quietMachine: Machine = {
  isRoot: false,
  mayInstall: true,
  has: (program) => program === 'python3',
  isMet: () => false,
  run: async () => 0,
  sign: () => {},
  say: () => {},
}

/** A machine on which apt-get and pip bring what they are asked for. */
async function simulate({ programs = [], isRoot = false, mayInstall = true, failing = '\0' }: Simulated) {
  const here = new Set(programs)
  const met = new Set<string>()
  const commands: string[] = []
  const said: string[] = []
  const machine: Machine = {
    isRoot,
    mayInstall,
    has: (program) => here.has(program),
    isMet: (need) => (need.kind === 'program' ? here.has(need.name) : met.has(need.name)),
    async run(words) {
      const command = words.join(' ')
      commands.push(command)
      if (command.includes(failing)) return 1
      if (words.includes('install') && words.includes('apt-get')) for (const word of words) here.add(word)
      return 0
    },
    sign: (environment) => void met.add(environment.split('/').at(-1)!),
    say: (line) => void said.push(line),
  }
  const missing = (await provide(needs, machine)).map(({ name }) => name)
  return { missing, commands, said }
}

const apt = 'env DEBIAN_FRONTEND=noninteractive apt-get -qq'
const install = `${apt} install -y --no-install-recommends`

test('what is optional is not installed, and stays missing', async () => {
  const commands: string[] = []
  const optional: Need = {
    kind: 'program',
    name: 'caddy',
    debianPackage: 'caddy',
    isOptional: true,
    use: 'a front',
  }
  const run = async (words: readonly string[]) => commands.push(words.join(' '))
  const machine = { ...quietMachine, isRoot: true, has: () => true, run }
  expect(await provide([optional], machine)).toEqual([optional])
  expect(commands).toEqual([])
})

test('root has every missing package of Debian installed by one command, and is told', async () => {
  const { missing, commands, said } = await simulate({ isRoot: true, programs: ['apt-get'] })
  expect(missing).toEqual(['python-openai'])
  expect(commands).toEqual([`${apt} update`, `${install} openssl redis-server`])
  expect(said).toEqual([expect.stringContaining('installing openssl, redis-server with apt-get')])
})

test('what is there already is not installed', async () => {
  const { commands } = await simulate({ isRoot: true, programs: ['apt-get', 'openssl'] })
  expect(commands).toEqual([`${apt} update`, `${install} redis-server`])
  const complete = await simulate({ isRoot: true, programs: ['apt-get', 'openssl', 'redis-server'] })
  expect(complete.commands).toEqual([])
})

test('sudo without a password is as good as root', async () => {
  const { missing, commands } = await simulate({ programs: ['apt-get', 'sudo'] })
  expect(missing).toEqual(['python-openai'])
  expect(commands).toEqual([
    'sudo -n true',
    `sudo -n ${apt} update`,
    `sudo -n ${install} openssl redis-server`,
  ])
})

test.each<[string, Simulated]>([
  ['whose sudo wants a password', { programs: ['apt-get', 'sudo'], failing: 'sudo -n true' }],
  ['without sudo', { programs: ['apt-get'] }],
  ['without apt-get', { isRoot: true, programs: [] }],
  ['whose owner forbids it', { isRoot: true, mayInstall: false, programs: ['apt-get', 'python3'] }],
  ['whose Debian is out of reach', { isRoot: true, programs: ['apt-get'], failing: 'install' }],
])('on a machine %s all stays missing', async (_, machine) => {
  const { missing, commands } = await simulate(machine)
  expect(missing).toEqual(needs.map(({ name }) => name))
  if (machine.failing !== 'install') expect(commands.join()).not.toContain('install')
})

test('where Python is, its packages come into an environment of their own', async () => {
  const { missing, commands, said } = await simulate({ programs: ['python3'] })
  expect(missing).toEqual(['openssl', 'redis-server'])
  expect(commands).toEqual([
    expect.stringMatching(/^python3 -m venv --clear .+\/node_modules\/\.cache\/python\/python-openai$/),
    expect.stringMatching(/^\S+\/python-openai\/bin\/python -m pip .* install .*openai==3\.54\.0$/),
  ])
  expect(said).toEqual([expect.stringContaining('openai==3.54.0')])
})

test.each(['venv', 'pip'])('where %s fails nothing counts as installed', async (failing) => {
  expect((await simulate({ programs: ['python3'], failing })).missing).toContain('python-openai')
})

test('several environments are made side by side', async () => {
  const others = [1, 2, 3].map((number) => ({ ...needs[2]!, name: `python-${number}` }))
  const { promise: allBegun, resolve } = Promise.withResolvers<void>()
  let begun = 0
  const machine: Machine = {
    ...quietMachine,
    async run() {
      begun += 1
      if (begun === others.length) resolve()
      await allBegun
      return 0
    },
  }
  await provide(others, machine)
  expect(begun).toBe(2 * others.length)
})
