import type { Actor } from '../administration/act.ts'
import { ApiError } from '../errors.ts'
import type { Person } from './handlers.ts'

/** Who is written down for an act in the console. */
export function actorOf({ email }: Person): Actor {
  return { name: email, through: 'console' }
}

/** The refusal of something that is not there; what was asked for is not repeated. */
export function missing(what: string, param: 'id' | 'name'): ApiError {
  return new ApiError('not_found', `There is no such ${what}.`, { param })
}
