import { execFileSync } from 'node:child_process'

/** A commit since the last release. */
export interface Commit {
  readonly hash: string
  readonly subject: string
}

/** What git knows of a clone. */
export interface Repository {
  readonly folder: string
  /** The commit that is checked out. */
  readonly commit: string
  /** The newest tag `v…`; undefined before the first release. */
  readonly lastTag: string | undefined
  /** Whether it has all of its history: else it knows too few tags and changes. */
  readonly isWhole: boolean
  /** What is not committed, a line for each file; a release is made of a commit alone. */
  readonly uncommitted: readonly string[]
  /** Since that tag, the newest first; merges have nothing of their own. */
  readonly commits: readonly Commit[]
}

/** Asks git about a clone. Throws where there is none. */
export function readRepository(folder: string): Repository {
  const commit = git(folder, 'rev-parse', 'HEAD')
  const lastTag = git(folder, 'tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0] || undefined
  const range = lastTag === undefined ? ['HEAD'] : [`${lastTag}..HEAD`]
  // Whatever somebody's own settings of git show or leave out.
  const log = git(folder, 'log', '--no-show-signature', '--no-merges', '--format=%H %s', ...range)
  return {
    folder,
    commit,
    lastTag,
    isWhole: git(folder, 'rev-parse', '--is-shallow-repository') === 'false',
    uncommitted: linesOf(git(folder, 'status', '--porcelain', '--untracked-files=normal')),
    commits: linesOf(log).map((line) => ({ hash: line.slice(0, 40), subject: line.slice(41) })),
  }
}

/** Throws where a clone has what is not committed, and names it. */
export function refuseUncommitted({ uncommitted }: Pick<Repository, 'uncommitted'>): void {
  if (uncommitted.length > 0) throw new Error(`The tree has what is not committed: ${uncommitted.join(', ')}`)
}

/** Throws where git does not know whose a tag would be. */
export function tryIdentity(folder: string): void {
  git(folder, 'var', 'GIT_COMMITTER_IDENT')
}

/** Puts a signed tag on the commit that is checked out: `git tag --verify` takes the same key as the checksums. */
export function signTag(folder: string, tag: string, message: string, key: string): void {
  const settings = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`]
  git(folder, ...settings, 'tag', '--sign', '--message', message, tag)
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}
