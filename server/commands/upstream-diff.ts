import { AttestationError, toHex } from '#attestation'
import { changesInWords } from '#egress/deployment/words.ts'
import { findUpstream } from '../upstreams/administration.ts'
import { type ComparedOffer, compareOffer } from '../upstreams/offer.ts'
import { toDiffDocument } from '../upstreams/offer-document.ts'
import { withDatabase } from './database.ts'
import { type CommonOptions, print } from './output.ts'
import { parsePins } from './pins.ts'

/** `router upstream diff`: what it offers now, and every step to that from what is approved. Approves nothing. */
export async function diff(name: string, options: CommonOptions & { readonly pin?: string }): Promise<void> {
  const [pin] = options.pin === undefined ? [] : parsePins('--pin', [options.pin])
  await withDatabase(options.config, async (sql) => {
    const upstream = await findUpstream(sql, name)
    if (!upstream) throw new Error(`There is no upstream ${name}. See: router upstream list`)
    const found = await compareOffer(sql, upstream, pin).catch(inWords)
    if (!found) throw new Error(`${options.pin} is not approved, or no bundle of it is kept.`)
    print(options, toDiffDocument(found, upstream), describe(found, name))
  })
}

function describe({ pinned, offered, changes }: ComparedOffer, name: string): string[] {
  const approve = `To approve it: router upstream pin ${name} ${toHex(offered.digest)}`
  if (!pinned)
    return [`It offers ${toHex(offered.digest)}. No approved deployment is kept to compare with.`, approve]
  const heading = [`  ${toHex(pinned.digest)}  approved`, `  ${toHex(offered.digest)}  offered`, '']
  if (pinned.digest === offered.digest) return [...heading, 'Both are the same deployment.']
  if (changes.length === 0)
    return [...heading, 'Both hold the same values; what differs is their spelling.', approve]
  return [...heading, ...changesInWords(changes), '', approve]
}

function inWords(thrown: unknown): never {
  if (!(thrown instanceof AttestationError)) throw thrown
  const { stage, reason } = thrown
  throw new Error(`What is offered cannot be compared: ${stage}, ${reason}.`, { cause: thrown })
}
