import type { RootLabel } from '#contract/models'
import { type Authority, createAuthorities } from './certificates/authority.ts'
import { type Identity, readIdentity, toPem } from './identity.ts'
import type { Vault } from './vault.ts'

/** The authorities that issue a platform's certificates: those of its first root, until a test moves it to another. */
export interface Authorities {
  /** Issues TLS certificates, before and after a move. */
  readonly first: Authority
  /** Issues signing certificates from now on. */
  readonly current: Authority
  /** Moves to the other intermediate below the same root. Throws a `MoveError` where the data folder has one only. */
  moveChain(): void
  /** Makes the other root unless there is one, so that verifiers can trust it before anything is signed below it. */
  prepareRoot(): Promise<void>
  /** Paths of all roots' certificates, in PEM. */
  rootFiles(): string[]
  /** Moves to the other root and makes it unless there is one; verifiers that do not trust it refuse what follows. */
  moveRoot(): Promise<void>
}

/** A move to an intermediate that the data folder does not have. */
export class MoveError extends Error {}

/** The file in the data folder that has the first root's certificate. */
export const ROOT_FILE = 'root.pem'
const NEXT_ROOT_FILE = 'next-root.pem'

const FIRST_FILES = ['authority.pem', 'spare-authority.pem'] as const
const NEXT_FILES = ['next-authority.pem', 'next-spare-authority.pem'] as const

type Files = typeof FIRST_FILES | typeof NEXT_FILES

/** A root's intermediates; folders from before there were two have one. */
type Branch = readonly [Authority, ...Authority[]]

/** Opens the authorities of a data folder; makes the first root, which names `hardware`, where there is none. */
export async function openAuthorities(
  vault: Vault,
  hardware: RootLabel,
  now: () => Date,
): Promise<Authorities> {
  const first = await openBranch(vault, FIRST_FILES, hardware, now())
  vault.writePublic(ROOT_FILE, String(first[0].root))
  let next = readBranch(vault, NEXT_FILES)
  let branch = first
  let place = 0

  async function prepared(): Promise<Branch> {
    next ??= await openBranch(vault, NEXT_FILES, hardware, now())
    vault.writePublic(NEXT_ROOT_FILE, String(next[0].root))
    return next
  }

  return {
    first: first[0],
    get current() {
      return branch[place]!
    },
    moveChain() {
      if (branch.length === 1) {
        throw new MoveError('This data folder has one intermediate only: configure another to have two.')
      }
      place = (place + 1) % branch.length
    },
    prepareRoot: async () => void (await prepared()),
    rootFiles: () => [ROOT_FILE, ...(next === undefined ? [] : [NEXT_ROOT_FILE])].map(vault.pathOf),
    async moveRoot() {
      branch = branch === first ? await prepared() : first
      place = 0
    },
  }
}

async function openBranch(vault: Vault, names: Files, hardware: RootLabel, now: Date): Promise<Branch> {
  const known = readBranch(vault, names)
  if (known !== undefined) return known
  const branch = await createAuthorities(hardware, now)
  for (const [index, name] of names.entries()) vault.writeSecret(name, toPem(identityOf(branch[index]!)))
  return branch
}

function readBranch(vault: Vault, names: Files): Branch | undefined {
  const [authority, ...spares] = names.flatMap((name) => {
    const identity = readIdentity(vault, name)
    return identity === undefined ? [] : authorityOf(identity)
  })
  return authority === undefined ? undefined : [authority, ...spares]
}

function identityOf({ privateKey, intermediate, root }: Authority): Identity {
  return { privateKey, chain: [intermediate, root] }
}

function authorityOf({ privateKey, chain: [intermediate, root] }: Identity): Authority {
  if (intermediate === undefined || root === undefined) throw new Error('An authority has two certificates.')
  return { privateKey, intermediate, root }
}
