const root = document.body.dataset.root ?? ''

for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) arm(form)

/** Makes a form send its request, and show what comes back as it comes. */
function arm(form: HTMLFormElement): void {
  const output = form.querySelector('output')!
  const stop = form.querySelector<HTMLButtonElement>('button[name=stop]')!
  let running: AbortController | undefined
  stop.addEventListener('click', () => running?.abort())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    running?.abort()
    const own = new AbortController()
    running = own
    stop.hidden = false
    output.hidden = false
    output.replaceChildren()
    send(form, output, own.signal)
      .catch((error: unknown) => tell(output, own.signal.aborted ? 'Stopped.' : explain(error)))
      .finally(() => {
        if (running === own) stop.hidden = true
      })
  })
}

async function send(form: HTMLFormElement, output: HTMLElement, signal: AbortSignal): Promise<void> {
  const data = new FormData(form)
  const method = form.dataset.method ?? 'GET'
  const key = textOf(data, 'key')
  const body = method === 'POST' ? textOf(data, 'body') : undefined
  const response = await fetch(addressOf(form, data), {
    method,
    signal,
    credentials: 'omit',
    headers: {
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  tell(output, `${response.status} ${response.statusText}`)
  for (const [name, value] of response.headers) tell(output, `${name}: ${value}`, 'small')
  const shown = document.createElement('pre')
  output.append(shown)
  let whole = ''
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    whole += decoder.decode(bytes, { stream: true })
    shown.textContent = whole
  }
  if (response.headers.get('content-type')?.includes('json')) shown.textContent = indent(whole)
  for (const code of codesIn(whole)) output.append(linkTo(code))
}

function addressOf(form: HTMLFormElement, data: FormData): string {
  let path = form.dataset.path ?? ''
  const query = new URLSearchParams()
  for (const name of data.keys()) {
    const value = textOf(data, name)
    if (name.startsWith('path:')) path = path.replace(`{${name.slice(5)}}`, encodeURIComponent(value))
    if (name.startsWith('query:')) query.set(name.slice(6), value)
  }
  return `${textOf(data, 'base').replace(/\/+$/, '')}${path}${query.size > 0 ? `?${query}` : ''}`
}

function textOf(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** The codes of errors in a body, in the events of a stream too. */
function codesIn(body: string): ReadonlySet<string> {
  const codes = [...body.matchAll(/"error"\s*:\s*\{[^{}]*?"code"\s*:\s*"(\w+)"/g)].map(
    ([, code = '']) => code,
  )
  return new Set(codes)
}

function linkTo(code: string): HTMLElement {
  const line = document.createElement('p')
  const link = document.createElement('a')
  link.href = `${root}errors/${code}.html`
  link.textContent = `What ${code} means, and what to do`
  line.append(link)
  return line
}

function tell(output: HTMLElement, words: string, name = 'p'): void {
  const line = document.createElement(name)
  line.textContent = words
  output.append(line)
}

/** A browser does not tell a page why it may not read an answer. */
function explain(error: unknown): string {
  return `No answer that this page may read: nobody listens at that address, or the router does not name this page among its cors.origins. (${String(error)})`
}
