import { registerHooks } from 'node:module'
import { faults } from './faults.ts'

// Loaded before the verifier, as register.ts is: one file of the product reads otherwise on its way in.
const fault = faults.find(({ id }) => id === process.env.PLANTED_FAULT)
if (fault === undefined) throw new Error('PLANTED_FAULT must be the id of a fault.')

const { file, find, put } = fault
const target = new URL(`../../${file}`, import.meta.url).href

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (url !== target) return loaded
    const pieces = String(Buffer.from(loaded.source as Uint8Array)).split(find)
    if (pieces.length !== 2) throw new Error(`${file} does not hold exactly one: ${find}`)
    return { ...loaded, source: pieces.join(put) }
  },
})
