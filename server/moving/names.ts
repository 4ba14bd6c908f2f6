import type { WorkspaceMove } from '../store/moves.ts'

/** What a move is called in both databases' catalogues. */
export interface MoveNames {
  /** Publication of rows that may change. */
  readonly changes: string
  /** Publication of rows that are only ever added. */
  readonly additions: string
  readonly slot: string
  readonly subscription: string
}

/** By the move's id, so that an operator can tell whose they are. */
export function namesOf({ id }: Pick<WorkspaceMove, 'id'>): MoveNames {
  const name = `router_${id.toLowerCase()}`
  return { changes: `${name}_changes`, additions: `${name}_additions`, slot: name, subscription: name }
}
