import { type Change, inOrder } from './changes.ts'

/** Changes for people: whole resources first, then what matters most; parts of one resource stand below its name. */
export function changesInWords(changes: readonly Change[]): string[] {
  let resource = ''
  return inOrder(changes).flatMap(({ document, lines }) => {
    const isWhole = document.change.startsWith('resource_')
    if (isWhole || document.resource === resource) return lines
    resource = document.resource
    return [`Changed: ${resource}`, ...lines]
  })
}
