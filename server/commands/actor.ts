import { userInfo } from 'node:os'
import type { Actor } from '../administration/act.ts'
import type { CommonOptions } from './output.ts'
import { parseText } from './usage.ts'

/** Options of a command that changes something. */
export interface ActOptions extends CommonOptions {
  readonly as?: string
}

/** Longest name of an actor, which may be an address (ours). */
const MAX_ACTOR_CHARACTERS = 320

/** Who is written down for an act: whom `--as` names, otherwise the operating system's user. Throws `UsageError`. */
export function actorOf({ as }: ActOptions): Actor {
  const name = as === undefined ? systemUser() : parseText('--as', as, MAX_ACTOR_CHARACTERS)
  return { name, through: 'command_line' }
}

/** A container may run under a number that has no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
