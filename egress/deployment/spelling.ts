/** What can be spelled in more than one way; of white space no digest depends. */
export type Spelling = 'order' | 'escapes' | 'numbers'

/** A value as it is spelled: a token, a list, or members by their names, each with the name's own spelling. */
type Spelled =
  | { readonly token: string }
  | { readonly items: readonly Spelled[] }
  | { readonly members: ReadonlyMap<string, { readonly name: string; readonly value: Spelled }> }

/** A string, a mark, or a number or word. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g

/** How two texts of JSON differ that hold the same values, as a reader of JSON has found before. */
export function differencesOfSpelling(one: string, other: string): ReadonlySet<Spelling> {
  const found = new Set<Spelling>()
  compare(read(one), read(other))
  return found

  function compare(left: Spelled, right: Spelled): void {
    if ('token' in left && 'token' in right) {
      if (left.token !== right.token) found.add(left.token.startsWith('"') ? 'escapes' : 'numbers')
    } else if ('items' in left && 'items' in right) {
      for (const [index, item] of left.items.entries()) compare(item, right.items[index]!)
    } else if ('members' in left && 'members' in right) {
      const names = [...right.members.keys()]
      if ([...left.members.keys()].some((name, index) => name !== names[index])) found.add('order')
      for (const [name, member] of left.members) {
        const same = right.members.get(name)!
        if (member.name !== same.name) found.add('escapes')
        compare(member.value, same.value)
      }
    } else throw new TypeError('The two texts do not hold the same values.')
  }
}

function read(text: string): Spelled {
  const tokens = (text.match(TOKEN) ?? []).values()
  const next = (): string => tokens.next().value ?? ''
  return readValue(next())

  function readValue(token: string): Spelled {
    if (token === '[') return { items: readItems() }
    return token === '{' ? { members: readMembers() } : { token }
  }

  function readItems(): readonly Spelled[] {
    const items: Spelled[] = []
    for (let token = next(); token !== ']'; token = next()) if (token !== ',') items.push(readValue(token))
    return items
  }

  function readMembers() {
    const members = new Map<string, { name: string; value: Spelled }>()
    for (let name = next(); name !== '}'; name = next()) {
      if (name === ',') continue
      next()
      members.set(JSON.parse(name), { name, value: readValue(next()) })
    }
    return members
  }
}
