import { registerHooks } from 'node:module'
import { replacements, weakenedStages } from './stages.ts'

// Loaded before the verifier: node --import mutants/verifier/register.ts proxy/verifier/main.ts. The product is read as
// it stands; the modules of one stage are exchanged on their way in, and nothing weakened lies in the product itself.
const stage = weakenedStages.find((one) => one === process.env.WEAKENED_STAGE)
if (stage === undefined) throw new Error(`WEAKENED_STAGE must be one of ${weakenedStages.join(', ')}.`)

const HERE = new URL('./', import.meta.url).href
const ROOT = new URL('../../', import.meta.url)
const exchanged = new Map(
  Object.entries(replacements[stage]).map(([path, other]) => [
    new URL(path, ROOT).href,
    new URL(other, import.meta.url).href,
  ]),
)

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const other = exchanged.get(found.url)
    // What stands in for a module may ask for the module itself.
    return other === undefined || context.parentURL?.startsWith(HERE) ? found : { ...found, url: other }
  },
})
