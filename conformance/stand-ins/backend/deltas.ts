import type { Piece } from './answer.ts'
import type { Operation } from './script.ts'

/** What one piece of an answer looks like within a chunk's choice. */
export function saying(operation: Operation, piece: Piece): object {
  return operation === 'chat' ? { delta: deltaOf(piece) } : { text: textOf(piece) }
}

/** The same when nothing is said. */
export function sayingNothing(operation: Operation): object {
  return operation === 'chat' ? { delta: {} } : { text: '' }
}

/** How a chat begins: with the role, before any text. */
export const opening = { delta: { role: 'assistant', content: '' } }

/** The text a piece adds to a legacy completion. */
export function textOf(piece: Piece): string {
  if ('text' in piece) return piece.text
  return 'reasoning' in piece ? piece.reasoning : piece.tool.arguments
}

function deltaOf(piece: Piece): object {
  if ('text' in piece) return { content: piece.text }
  if ('reasoning' in piece) return { reasoning_content: piece.reasoning }
  const { index, id, name, arguments: text } = piece.tool
  if (name === undefined) return { tool_calls: [{ index, function: { arguments: text } }] }
  return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] }
}
