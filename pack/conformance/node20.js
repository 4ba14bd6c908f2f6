// What the suite uses and Node 20 has not yet; later ones have it themselves.
Promise.withResolvers ??= function withResolvers() {
  const parts = {}
  parts.promise = new this((resolve, reject) => Object.assign(parts, { resolve, reject }))
  return parts
}
Map.groupBy ??= (items, keyOf) => {
  const groups = new Map()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    if (groups.has(key)) groups.get(key).push(item)
    else groups.set(key, [item])
  }
  return groups
}
