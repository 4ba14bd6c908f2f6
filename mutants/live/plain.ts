/** What is called in faults, and changes nothing wherever that is. */
const PURE = new Set([
  ...['BigInt', 'Number', 'String', 'alloc', 'costMicros', 'errorEvent', 'exec', 'find'],
  ...['findLastIndex', 'findMember', 'from', 'get', 'getTime', 'header', 'includes'],
  ...['isContextLengthRefusal', 'isInScope', 'isObject', 'isReasonToDeny', 'isSameDigest', 'min'],
  ...['parse', 'parseDigest', 'query', 'rateLimitHeaders', 'repeat', 'replace', 'responseHeaders'],
  ...['rootOf', 'shownUsage', 'slice', 'some', 'splice', 'startsWith', 'stateAt', 'stringify'],
  ...['subarray', 'teeLabelOf', 'test', 'toBody', 'toHex', 'toLowerCase', 'toString', 'usageEvent'],
])

const CALL = /([\w$]+)\s*\(/g
const ACTS =
  /\b(?:await|yield|new|delete|throw|import|function|async)\b|\+\+|--|(?<![=!<>])=(?![=>])|[\])}]\s*\(|\?\.\s*\(|[\w)\]]`/

/**
 * Whether an expression can be evaluated once more without anybody noticing: it calls nothing but what only reads.
 * Whoever it does not understand is taken for one that acts.
 */
export function isPlain(expression: string): boolean {
  if (ACTS.test(expression)) return false
  return [...expression.matchAll(CALL)].every(([, name = '']) => PURE.has(name))
}

/** Whether two values are the same for whoever only reads them; what is more than data is the same as itself alone. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0
  if (!isData(one) || !isData(other) || Array.isArray(one) !== Array.isArray(other)) return false
  const [mine, theirs] = [Object.entries(one), Object.entries(other)]
  // Their order shows in what is written of them.
  return (
    mine.length === theirs.length &&
    mine.every(([name, value], place) => theirs[place]?.[0] === name && isSame(value, theirs[place][1]))
  )
}

function isData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}
