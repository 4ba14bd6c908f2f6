import { type Certificate, type Chain, isSelfIssued } from './certificate.ts'
import { Demands } from './demands.ts'
import { around, Members, marked, membersOf, parseDer, tags, type Value } from './der-value.ts'
import { AttestationError } from './errors.ts'
import { extensionOids } from './extensions.ts'
import { type Name, namesOf, parseName } from './names.ts'

/** Parts of all names: what an authority permits of each kind that it names, and what it excludes. */
interface NameConstraints {
  readonly permitted: readonly Name[]
  readonly excluded: readonly Name[]
}

/**
 * Refuses (`cert-chain` / `name_constraint`) a name outside what the authorities above it may certify (VRFY-09). It
 * goes from the root down and looks at each name and at each constraint once. Throws for constraints it cannot read.
 */
export function keepToConstraints(chain: Chain): void {
  const demands = new Demands()
  for (const [index, certificate] of [...chain.entries()].toReversed()) {
    const isJudged = index === 0 || !isSelfIssued(certificate)
    if (isJudged && demands.areAny && !namesOf(certificate).every((name) => demands.admit(name)))
      throw new AttestationError('cert-chain', 'name_constraint')
    const constraints = constraintsOf(certificate)
    if (constraints) demands.add(constraints.permitted, constraints.excluded)
  }
}

function constraintsOf({ extensions }: Certificate): NameConstraints | undefined {
  const extension = extensions.get(extensionOids.nameConstraints)
  if (!extension) return undefined
  const members = new Members(parseDer(extension.value))
  const permitted = subtreesOf(members.take(around(0)))
  const excluded = subtreesOf(members.take(around(1)))
  members.end()
  return { permitted, excluded }
}

function subtreesOf(list: Value | undefined): Name[] {
  return list === undefined ? [] : membersOf(list).map(parseSubtree)
}

/** A subtree with the distances that nobody uses can be compared with nothing. */
function parseSubtree(value: Value): Name {
  const [base, ...distances] = value.tag === tags.sequence ? membersOf(value) : []
  if (!base || distances.some(({ tag }) => tag !== marked(0) && tag !== marked(1)))
    throw new TypeError('This is not a part of names.')
  const { type, content } = parseName(base)
  return { type, content: distances.length === 0 ? content : undefined }
}
