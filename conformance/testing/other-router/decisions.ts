import type { RuleId } from '#contract/rules'
import { type Exchange, textOf } from '../../engine/http/exchange.ts'

/** A point that the given specification leaves open. */
export interface Decision {
  readonly point: string
  /** What this project decided, where it has. */
  readonly ours: string
  readonly theirs: string
  /** Chosen rules that the other router breaks by it. */
  readonly rules: readonly RuleId[]
  /** Where no rule tells, what shows it in an exchange. */
  readonly seen?: (exchange: Exchange) => boolean
}

const inText = (pattern: RegExp) => (exchange: Exchange) => pattern.test(textOf(exchange))
const inHeader = (name: string, pattern: RegExp) => (exchange: Exchange) =>
  pattern.test(exchange.headers[name] ?? '')

function decided(point: string, ours: string, theirs: string, ...rules: readonly RuleId[]): Decision {
  return { point, ours, theirs, rules }
}

function seen(point: string, theirs: string, shown: Decision['seen'] & object): Decision {
  return { point, ours: '', theirs, rules: [], seen: shown }
}

/** Every open point that the other router decides otherwise; other-router.integration.test.ts holds it to what is so. */
export const decisions: readonly Decision[] = [
  // Keys and who may ask.
  decided('spelling of `Bearer`', 'any case', 'just so', 'AUTH-12'),
  decided('names of keys', '1 to 64 characters', 'any, none too', 'KEY-16'),
  decided('revoking twice', 'keeps the first time', 'tells the second', 'KEY-22'),
  decided('changing a key', 'end and limits', 'nothing can be changed', 'KEY-23', 'CRED-20'),
  // Addresses and refusals.
  decided('what lies beside `/v1`', '404 in JSON', 'another site, in HTML', 'VERS-05'),
  decided('other paths and methods, HEAD', '404 `not_found`', '405 and a code of its own', 'REQ-45'),
  decided('ids of models with a slash', 'found as they are', 'no such path', 'MODL-19'),
  decided('a model outside the scope, looked up', '404', 'is told of', 'MODL-20'),
  decided('a generation that is not there', '404 `not_found`', '422 and a code of its own', 'GEN-23'),
  decided('`param` that does not apply', 'left out', 'null', 'ERR-50'),
  seen('other members of an error', '`help`', inText(/"help": /)),
  seen('content type of an error', '`application/problem+json`', inHeader('content-type', /problem\+json/)),
  // Request ids.
  decided('an odd `X-Request-Id`', 'is replaced', 'comes back', 'HDR-08'),
  decided('a request without an id', 'is given one', 'has none', 'HDR-09'),
  decided('the generation id of a failure', 'is told', 'there is none', 'HDR-10'),
  // What is read of a request.
  decided(
    'order of checks',
    'key, body, …, credit, spend, rate',
    'rate first, spend before credit',
    'REQ-20',
    'CRED-19',
  ),
  decided('a model that is missing', '400 `missing_field`', '422 and a code of its own', 'REQ-31'),
  decided('other fields that are missing', '400 `missing_field`', 'the backend is asked', 'REQ-32'),
  decided('null', 'counts as absent', 'is a value', 'REQ-25'),
  decided(
    'values out of range',
    '400 `unsupported_parameter`',
    'the backend is asked',
    'REQ-35',
    'REQ-30',
    'REQ-51',
    'REQ-29',
  ),
  decided('two choices', '400 `unsupported_parameter`', '422 and a code of its own', 'REQ-33'),
  decided(
    'a model that does something else',
    '400 `unsupported_parameter`',
    '422 and a code of its own',
    'REQ-34',
  ),
  decided('a name twice or in another case', '400', 'the last one, and unknown', 'REQ-26'),
  decided('bytes of unknown fields and messages', 'pass as they are', 'are written anew', 'REQ-70', 'REQ-27'),
  decided(
    'large and encoded bodies, many values',
    '413, 415',
    'are read',
    'REQ-44',
    'REQ-52',
    'REQ-58',
    'REQ-60',
    'REQ-53',
  ),
  decided('odd heads', '400, 431', 'as Node has them', 'REQ-62'),
  decided(
    'what is sent ahead of an answer',
    'waits for its turn, or is not read',
    'as Node has it',
    'REQ-74',
    'REQ-75',
  ),
  decided('the largest output of a request that names none', 'the model’s', 'the backend’s', 'CRED-12'),
  // Backends that fail.
  decided(
    'a backend’s 408, 429, 5xx',
    '`backend_unavailable` with its `Retry-After`',
    '`backend_error`',
    'RLAY-05',
  ),
  decided(
    'a backend’s 400, 413, 422',
    'the client’s mistake, in its words',
    '502',
    'REQ-36',
    'RLAY-11',
    'REQ-37',
  ),
  decided(
    'reasons of a backend that do not end',
    'are waited for for two seconds',
    'are waited for',
    'RLAY-17',
  ),
  decided('an answer that is none', '`backend_error`', '`backend_unavailable`', 'STRM-18', 'RLAY-13'),
  decided('a failure before any token', 'an aborted record', 'nothing was accepted', 'GEN-18'),
  decided('a backend that tells no usage', 'is counted', 'fails', 'MET-10', 'MET-13'),
  // Streams.
  decided('pings', 'a block of their own', 'a line', 'STRM-12'),
  decided('names and numbers of events', 'none', '`event:` and `id:`', 'STRM-13'),
  seen('line ends of a stream', 'CR and LF', inText(/^data: \{.*\}\r\n\r\n/m)),
  seen('content type of a stream', 'in capitals', inHeader('content-type', /^Text\/Event-Stream/)),
  decided('headers of a stream', 'no-cache, no buffering', 'none', 'STRM-23'),
  // What is told of models and generations.
  decided(
    'entries of models',
    'name, largest output, capabilities, endpoint, prices by name',
    'prices as texts, `abilities`',
    'MODL-14',
    'MODL-15',
    'MODL-16',
    'MODL-17',
  ),
  seen('order of the models', 'the last one first', inText(/"id": "poster"[\s\S]*"id": "parrot"/)),
  decided('labels of hardware', 'five are read', 'none is known', 'MODL-23'),
  decided('form of a record', '`data` with names of its own', 'one object with others', 'GEN-19'),
  seen('letters of an id', 'small ones', inText(/"id": "gen-[0-9a-z]*[a-z][0-9a-z]*"/)),
  decided('digest and endpoint in `usage`', 'wire form, its name', 'hexadecimal, its hostname', 'CHAT-13'),
  decided('texts', 'as chats', 'ids with `cmpl-`, OpenAI’s usage', 'CHAT-17'),
  decided('vectors', 'extended usage', 'OpenAI’s usage', 'CHAT-16'),
  seen('other members of an answer', '`served_by`', inText(/"served_by": /)),
  // Money and limits.
  decided('credit while others run', '402 with `Retry-After`', 'the request waits', 'CRED-24'),
  decided(
    'credit for less than a request may cost',
    'is enough',
    '402',
    'CRED-13',
    'CRED-25',
    'CRED-27',
    'CRED-36',
    'CRED-38',
  ),
  decided('refill of a bucket', 'continuous', 'whole, after a minute', 'LIM-21', 'LIM-23'),
  decided('`Retry-After` and `X-RateLimit-Reset`', 'seconds, and a time', 'a date, and `37s`', 'LIM-28'),
  decided('buckets of admitted requests', 'are told', 'are not', 'LIM-32'),
  decided('limits of a workspace', 'may be its own', 'are everybody’s', 'LIM-42'),
  decided('look-ups of invitations', '30 a minute', '7', 'LIM-34'),
  // Evidence and invitations.
  decided('how often evidence may be read', '120 times a minute', 'always', 'LIM-36', 'LIM-39'),
  decided(
    'refusals of evidence',
    '`statusCode` and `message`, `no-store`',
    '`error` beside them',
    'EVID-21',
    'EVID-27',
  ),
  decided('pages that may read evidence', '`*`', 'the one that asks', 'EVID-22'),
  decided('`ETag` of evidence', 'a strong one', 'none', 'EVID-23'),
  seen('content type of evidence', '`application/evidence+json`', inHeader('content-type', /evidence\+json/)),
  decided('what a look-up tells', 'object, code, grant, description, end', 'the worth in dollars', 'INV-04'),
  decided('codes of invitations', 'twelve letters, however spelt', 'long, and just so', 'INV-06', 'INV-08'),
]

/** The list for people, in Markdown. */
export function tableOf(list: readonly Decision[]): string {
  const rows = list.map(
    ({ point, ours, theirs, rules }) => `| ${point} | ${ours} | ${theirs} | ${rules.join(', ')} |`,
  )
  return ['| left open | ours | theirs | rules of ours that it breaks |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
}
