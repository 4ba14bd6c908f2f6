import type { RecordedExchange } from '#contract/models'
import { ANOTHER_KEY } from '../exchange.ts'

/** Headers that curl makes by itself. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding'])

/** The line of a shell that asks the same again; the key comes from the environment. */
export function toCurl({ request, request_headers: headers, request_body: body }: RecordedExchange): string {
  const [method = 'GET', url = ''] = request.split(' ')
  const sent = Object.entries(headers).filter(([name]) => !OWN.has(name.toLowerCase()))
  return [
    `curl -i -X ${quoted(method)} ${quoted(url)}`,
    ...sent.map(([name, value]) =>
      name.toLowerCase() === 'authorization'
        ? `-H "Authorization: ${schemeOf(String(value))}${String(value).endsWith(ANOTHER_KEY) ? '$ANOTHER_KEY' : '$CONFORMANCE_KEY'}"`
        : `-H ${quoted(`${name}: ${String(value)}`)}`,
    ),
    ...(body === '' ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' ')
}

/** The scheme with its blank, as it was sent; `Bearer` where results hold none, as those of earlier suites. */
function schemeOf(value: string): string {
  return value === '[secret]' ? 'Bearer ' : (/^[A-Za-z]+ /.exec(value)?.[0] ?? '')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
