import { registerHooks } from 'node:module'
import { neverAdmits, runningFaults } from './faults.ts'

// Loaded before the proxy: files of the product read otherwise on their way in.
const fault = [...runningFaults, neverAdmits].find(({ id }) => id === process.env.RUNNING_FAULT)
if (fault === undefined) throw new Error('RUNNING_FAULT must be the id of a fault.')

const edits = new Map(
  fault.edits.map((edit) => [new URL(`../../${edit.file}`, import.meta.url).href, edit] as const),
)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const edit = edits.get(url)
    if (edit === undefined) return loaded
    const pieces = String(Buffer.from(loaded.source as Uint8Array)).split(edit.find)
    if (pieces.length !== 2) throw new Error(`${edit.file} does not hold exactly one: ${edit.find}`)
    return { ...loaded, source: pieces.join(edit.put) }
  },
})
