import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program that some tests start, and the package of Debian that it comes in. */
export interface ProgramNeed {
  readonly kind: 'program'
  /** The program, and the tag of the tests that need it. */
  readonly name: string
  readonly debianPackage: string
  /** Never installed for tests and never required: who has it sees them run, all others see them named as skipped. */
  readonly isOptional?: true
  /** Who needs it, for people. */
  readonly use: string
}

/** A package of PyPI that some tests run under the machine's own Python. */
export interface PythonNeed {
  readonly kind: 'python'
  /** The tag of the tests that need it. */
  readonly name: string
  /** What pip is asked for: one exact version. */
  readonly requirement: string
  readonly use: string
}

/** What some tests need besides Node, npm and what npm installs. */
export type Need = ProgramNeed | PythonNeed

/**
 * Everything of the kind. A test file names what it needs in a comment, `// @module-tag openssl`, one test in its
 * options, `{ tags: ['openssl'] }`; a tag that is not in this table is an error.
 */
export const needs: readonly Need[] = [
  {
    kind: 'program',
    name: 'openssl',
    debianPackage: 'openssl',
    use: 'a second opinion on certificates, and the auditor’s guide',
  },
  { kind: 'program', name: 'jq', debianPackage: 'jq', use: 'the auditor’s guide' },
  { kind: 'program', name: 'curl', debianPackage: 'curl', use: 'the commands of the guides' },
  {
    kind: 'program',
    name: 'redis-server',
    debianPackage: 'redis-server',
    use: 'limits that routers share, and the reference of the conformance suite',
  },
  {
    kind: 'program',
    name: 'script',
    debianPackage: 'bsdutils',
    use: 'a router that is started from a terminal',
  },
  {
    kind: 'program',
    name: 'pgbouncer',
    debianPackage: 'pgbouncer',
    use: 'routers behind a connection pooler',
  },
  { kind: 'program', name: 'nginx', debianPackage: 'nginx', use: 'a router behind it, as in deploy/' },
  {
    kind: 'program',
    name: 'chromium',
    debianPackage: 'chromium',
    use: 'the console’s page, and the packages that pages use',
  },
  { kind: 'program', name: 'dpkg', debianPackage: 'dpkg', use: 'the proxy’s Debian package, and the image' },
  {
    kind: 'program',
    name: 'ssh-keygen',
    debianPackage: 'openssh-client',
    isOptional: true,
    use: 'the signature of a release',
  },
  {
    kind: 'program',
    name: 'faketime',
    debianPackage: 'faketime',
    isOptional: true,
    use: 'an image that is built on another day',
  },
  {
    kind: 'program',
    name: 'caddy',
    debianPackage: 'caddy',
    isOptional: true,
    use: 'a router behind it, as in deploy/',
  },
  {
    kind: 'program',
    name: 'promtool',
    debianPackage: 'prometheus',
    isOptional: true,
    use: 'the alerts of deploy/, against series that they fire on',
  },
  {
    kind: 'program',
    name: 'systemd-analyze',
    debianPackage: 'systemd',
    isOptional: true,
    use: 'the units of deploy/ and of the proxy',
  },
  {
    kind: 'program',
    name: 'pg_basebackup',
    debianPackage: 'postgresql',
    isOptional: true,
    use: 'the scripts of deploy/ that make a backup',
  },
  {
    kind: 'python',
    name: 'python-openai',
    requirement: 'openai==3.54.0',
    use: 'the OpenAI SDK for Python',
  },
  {
    kind: 'python',
    name: 'python-litellm',
    requirement: 'litellm==1.106.2',
    use: 'LiteLLM',
  },
  {
    kind: 'python',
    name: 'python-langchain',
    requirement: 'langchain-openai==1.7.3',
    use: 'LangChain for Python',
  },
]

/** Below what `npm ci` clears: an environment is as new as the packages beside it. */
const ENVIRONMENTS = join(import.meta.dirname, '..', 'node_modules', '.cache', 'python')

/** Where Debian puts programs that only root's PATH finds. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin']

/** The path of a program of this machine; undefined when it has none of that name. */
export function findProgram(
  name: string,
  path = process.env.PATH ?? '',
  systemFolders: readonly string[] = SYSTEM_FOLDERS,
): string | undefined {
  const folders = [...path.split(delimiter).filter(Boolean), ...systemFolders]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder of the virtual environment for a need of Python. */
export function environmentOf(name: string, environments = ENVIRONMENTS): string {
  return join(environments, name)
}

/** The interpreter that knows the packages of a need of Python. */
export function pythonOf(name: string): string {
  return join(environmentOf(name), 'bin', 'python')
}

/** What stands in an environment once everything has been installed into it: the requirement. */
export function receiptOf(environment: string): string {
  return join(environment, 'requirement.txt')
}

/** Whether a need is met on this machine, as of now. */
export function isMet(need: Need): boolean {
  if (need.kind === 'program') return findProgram(need.name) !== undefined
  const receipt = receiptOf(environmentOf(need.name))
  return existsSync(receipt) && readFileSync(receipt, 'utf8') === need.requirement
}

/** Whether tests may be left out for want of it: a continuous build has to have every program that is not optional. */
export function isExcused(need: Need, isContinuous = isContinuousBuild()): boolean {
  return !isContinuous || need.kind === 'python' || need.isOptional === true
}

/** Whether `CI` is set, as build servers do. */
export function isContinuousBuild({ CI: value }: NodeJS.ProcessEnv = process.env): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value)
}

/** What is missing, for people, and how to get it. */
export function describeNeed(need: Need): string {
  return need.kind === 'program'
    ? `${need.name} (apt-get install ${need.debianPackage}): ${need.use}`
    : `${need.name} (python3 with ${need.requirement} of PyPI): ${need.use}`
}
