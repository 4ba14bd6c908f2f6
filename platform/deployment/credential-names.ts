const ALWAYS = new Set([
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'secrets',
  'credential',
  'credentials',
])
/** What names a credential only at the end: `API_KEY`, and not `KEY_ROTATION_DAYS`. */
const LAST = new Set(['key', 'token', 'apikey', 'pass', 'auth'])
/** What is said of a credential without being it: where it lies, what it is called. */
const ABOUT = new Set([
  'name',
  'file',
  'path',
  'dir',
  'folder',
  'mount',
  'ref',
  'ttl',
  'length',
  'policy',
  'type',
])
const PUBLIC = new Set(['public', 'primary', 'partition', 'sort', 'cache'])

/** Filled in elsewhere (`${VAR}`, `$(VAR)`, `{{ … }}`), a path, a number, a switch or a placeholder of nothing. */
const HARMLESS =
  /^(\$\{[^}]*\}|\$\([^)]*\)|\{\{.*\}\}|\/[\w./-]*|-?\d[\d._]*|true|false|null|none|~|\[\]|\{\}|[|>][+-]?)?$/i

/** Whether a name says that its value is a credential, and the value is one that could be. */
export function isNamedLikeCredential(name: string, value: string): boolean {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ''
  if (ABOUT.has(last) || [value.trim(), bare(value)].some((text) => HARMLESS.test(text))) return false
  if (words.some((word) => ALWAYS.has(word))) return true
  return LAST.has(last) && !words.some((word) => PUBLIC.has(word))
}

/** `DB_PASSWORD`, `dbPassword` and `db.password` are the same two words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean)
}

function bare(value: string): string {
  return value
    .trim()
    .replace(/[,}\]]+$/, '')
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
}
