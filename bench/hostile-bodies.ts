/** A way to write bodies of about so many bytes. */
export interface Shape {
  readonly name: string
  readonly write: (bytes: number, random: () => number) => string
}

const MOST_VALUES = 990_000

/** Units until they have `bytes` bytes together, or as many as the limit on values allows. */
function repeat(bytes: number, unit: (index: number) => string, values = 1): string[] {
  const units: string[] = []
  const most = Math.floor(MOST_VALUES / values)
  for (let length = 0; length < bytes && units.length < most; ) {
    const next = unit(units.length)
    units.push(next)
    length += next.length + 1
  }
  return units
}

const chat = (messages: string, more = '') => `{"model":"m","messages":${messages}${more}}`
const list = (units: readonly string[]) => `[${units.join(',')}]`
const said = (units: readonly string[]) => chat(list(units.map((unit) => `{"content":${unit}}`)))
const text = (unit: string) => (bytes: number) => chat(`[{"content":"${unit.repeat(bytes / unit.length)}"}]`)
const hex = (random: () => number) => Math.floor(random() * 16 ** 8).toString(16)

/** Bodies that are known to be slow in parsers, and those that might be slow in this one. */
export const shapes: readonly Shape[] = [
  { name: 'text', write: text('x') },
  { name: 'text of three bytes a character', write: text('入') },
  { name: 'escapes', write: text('\\n') },
  { name: 'escaped quotes', write: text('\\"') },
  { name: 'escaped characters', write: text('\\u5165') },
  { name: 'escaped pairs', write: text('\\ud83d\\ude42') },
  { name: 'white space', write: (bytes) => chat(`[1${' '.repeat(bytes)}]`) },
  { name: 'nested lists', write: (bytes) => nested(bytes, '[', ']') },
  { name: 'spaced lists', write: (bytes) => nested(bytes, '[ ', ']') },
  { name: 'widely spaced lists', write: (bytes) => nested(bytes, '[ ', '] ') },
  { name: 'lists in objects in lists', write: (bytes) => nested(bytes, '[[{"":', '}]]') },
  { name: 'lists of lists', write: (bytes) => chat(list(repeat(bytes, () => '[[]]', 3))) },
  { name: 'lists of lists of numbers', write: (bytes) => chat(list(repeat(bytes, () => '[[0]]', 3))) },
  { name: 'lists of two lists', write: (bytes) => chat(list(repeat(bytes, () => '[[],[]]', 4))) },
  { name: 'lists eight deep', write: (bytes) => chat(list(repeat(bytes, () => '[[[[[[[[]]]]]]]]', 9))) },
  { name: 'lists nine deep', write: (bytes) => chat(list(repeat(bytes, () => '[[[[[[[[[]]]]]]]]]', 10))) },
  { name: 'nested objects', write: (bytes) => nested(bytes, '{"":', '}') },
  {
    name: 'nested messages',
    write: (bytes) => chat(`[${'{"content":[{"x":'.repeat(bytes / 20)}1${'}]}'.repeat(bytes / 20)}]`),
  },
  { name: 'empty objects', write: (bytes) => chat(list(repeat(bytes, () => '{}', 2))) },
  { name: 'empty lists', write: (bytes) => chat(list(repeat(bytes, () => '[]', 2))) },
  { name: 'numbers', write: (bytes) => chat(list(repeat(bytes, () => '1'))) },
  {
    name: 'long numbers',
    write: (bytes, random) => chat(list(repeat(bytes, () => `-${hex(random).replace(/\D/g, '7')}.5e-9`))),
  },
  { name: 'one number', write: (bytes) => chat('[1]', `,"temperature":0.${'1'.repeat(bytes)}`) },
  { name: 'one seed', write: (bytes) => chat('[1]', `,"seed":${'1'.repeat(bytes)}`) },
  { name: 'short texts', write: (bytes) => said(repeat(bytes, () => '""', 4)) },
  {
    name: 'parts',
    write: (bytes) => chat(`[{"content":${list(repeat(bytes, () => '{"type":"text","text":""}', 3))}}]`),
  },
  {
    name: 'escaped types',
    write: (bytes) => chat(`[{"content":${list(repeat(bytes, () => '{"type":"t\\u0065xt"}', 3))}}]`),
  },
  {
    name: 'calls',
    write: (bytes) =>
      chat(`[{"tool_calls":${list(repeat(bytes, () => '{"function":{"arguments":"\\n"}}', 3))}}]`),
  },
  {
    name: 'names of one message',
    write: (bytes) => chat(`[{${repeat(bytes, (index) => `"a${index}":0`).join(',')}}]`),
  },
  { name: 'capitals', write: (bytes) => chat(`[{${repeat(bytes, () => '"CONTENX":0').join(',')}}]`) },
  { name: 'names that fold', write: (bytes) => chat(`[{${repeat(bytes, () => '"ĸontent":0').join(',')}}]`) },
  { name: 'escaped names', write: (bytes) => chat(`[{${repeat(bytes, () => '"\\u0061":0').join(',')}}]`) },
  { name: 'names at the top', write: (bytes, random) => top(bytes, () => hex(random)) },
  { name: 'marks in names at the top', write: (bytes) => top(bytes, () => '\u0301\u0316') },
  { name: 'invisible names at the top', write: (bytes) => top(bytes, () => '\u200b') },
  { name: 'spaces in names at the top', write: (bytes) => top(bytes, () => ' ') },
  { name: 'spaces that none sees in names at the top', write: (bytes) => top(bytes, () => ' \u200b') },
  {
    name: 'many names at the top',
    write: (bytes) => `{${repeat(bytes, (index) => `"a${index}":0`).join(',')}}`,
  },
  {
    name: 'many options',
    write: (bytes) =>
      chat('[1]', `,"stream_options":{${repeat(bytes, (index) => `"a${index}":0`).join(',')}}`),
  },
  { name: 'many stops', write: (bytes) => chat('[1]', `,"stop":${list(repeat(bytes, () => '""'))}`) },
  { name: 'tools', write: (bytes) => chat('[1]', `,"tools":${list(repeat(bytes, () => '{"a":[1]}', 3))}`) },
  { name: 'prompts', write: (bytes) => `{"model":"m","prompt":${list(repeat(bytes, () => '"a"'))}}` },
  { name: 'tokens', write: (bytes) => `{"model":"m","prompt":${list(repeat(bytes, () => '1'))}}` },
  {
    name: 'lists of tokens',
    write: (bytes) => `{"model":"m","prompt":${list(repeat(bytes, () => '[1]', 2))}}`,
  },
]

function nested(bytes: number, open: string, close: string): string {
  const depth = Math.min(MOST_VALUES, Math.floor(bytes / (open.length + close.length)))
  return chat(`[${open.repeat(depth)}${open.trim() === '[' ? '' : '1'}${close.repeat(depth)}]`)
}

/** The most members that a body may have at its top, sharing all bytes among their names. */
function top(bytes: number, unit: () => string): string {
  const each = Math.floor(bytes / 500)
  const names = Array.from({ length: 500 }, (_, index) => {
    const [first, second] = [unit(), unit()]
    return `"${index}${first}${second.repeat(each / Buffer.byteLength(second))}":0`
  })
  return `{"model":"m","messages":[1],${names.join(',')}}`
}

/** One body of parts of two shapes. */
export function mixed(one: string, other: string): string {
  return `${one.slice(0, -1)},"other":${other}}`
}
