import { parseBundle } from './bundle.ts'
import { checkChain, readChain, rootOf } from './chain.ts'
import { requiresLeafName, type TrustedRoot } from './roots.ts'

/** An admission of before: the bundle that it rests on, when that was judged, and by which roots. */
interface Held {
  readonly hostname: string
  readonly bytes: Uint8Array
  readonly judgedAt: Date
  readonly roots: readonly TrustedRoot[]
}

/** Refuses (`cert-chain`) an admission whose leaf was not asked for the hostname that its root asks for now. */
export function recheckLeafName(held: Held, roots: readonly TrustedRoot[]): void {
  // Where no root did without the name it was asked for.
  if (held.roots.every(({ requireLeafName }) => requireLeafName)) return
  const chain = readChain(parseBundle(held.bytes).certChain)
  const requireLeafName = requiresLeafName(rootOf(chain), roots)
  checkChain(chain, { hostname: held.hostname, now: held.judgedAt, requireLeafName })
}
