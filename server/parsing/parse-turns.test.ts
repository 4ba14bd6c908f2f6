import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ParseBudget } from './parse-budget.ts'
import { ParseTurns } from './parse-turns.ts'

type Serve = (incoming: IncomingMessage, response: ServerResponse) => void

/** A server whose connections are parsed in turns; gives its port. */
async function start(serve: Serve, turns = new ParseTurns()): Promise<number> {
  const server = createServer((incoming, response) => {
    turns.begin(incoming, response)
    serve(incoming, response)
  })
  server.on('connection', (socket) => turns.follow(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

const chunked = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'
const last = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

/** A clock that a look takes a millisecond on: after some slices all time is spent. */
function slowClock(): ParseBudget {
  let nowMs = 0
  return new ParseBudget(() => nowMs++)
}

/** Answers with what it was sent, when all of that is there. */
const echo: Serve = async (incoming, response) => {
  const body = await buffer(incoming)
  response.end(body)
}

test('what comes in a read of tiny pieces is spread over many turns, and is all there', async () => {
  let turns = 0
  const port = await start(async (incoming, response) => {
    let isRead = false
    const body = buffer(incoming).finally(() => (isRead = true))
    while (!isRead) {
      await nextTurn()
      turns++
    }
    response.end(await body)
  }, new ParseTurns(slowClock()))
  const socket = open(port)
  const pieces = Array.from({ length: 10_000 }, (_, index) => String(index % 10))
  socket.write(`${chunked}${pieces.map((piece) => `1\r\n${piece}\r\n`).join('')}0\r\n\r\n${last}`)
  const answers = await text(socket)
  expect(answers).toContain(pieces.join(''))
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  // At one go the body is there with the turn in which its head was.
  expect(turns).toBeGreaterThan(5)
})

test('when all time is spent, a small body is through before a large one that came first', async () => {
  const done: string[] = []
  const port = await start(async (incoming, response) => {
    const body = await text(incoming)
    done.push(body.slice(0, 6))
    response.end()
  }, new ParseTurns(slowClock()))
  const greedy = open(port)
  greedy.write(`${chunked}6\r\ngreedy\r\n${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`)
  await once(greedy, 'connect')
  const modest = open(port)
  modest.write(`${chunked}6\r\nmodest\r\n0\r\n\r\n`)
  await vi.waitFor(() => expect(done).toEqual(['modest', 'greedy']), 60_000)
})

/** Lets a slice be parsed in each millisecond, whatever it takes. */
class OneAtATime extends ParseBudget {
  #isSpent = false
  override get waitMs(): number {
    return this.#isSpent ? 1 : 0
  }
  override spend(work: () => void): number {
    this.#isSpent = true
    setTimeout(() => (this.#isSpent = false), 1)
    work()
    return 1
  }
}

test('those that come anew again and again do not keep the others from their turn', async () => {
  let isThrough = false
  let later = 0
  const port = await start(async (incoming, response) => {
    const body = await text(incoming)
    if (body.startsWith('first')) isThrough = true
    else later++
    response.end()
  }, new ParseTurns(new OneAtATime()))
  const first = open(port)
  first.write(`${chunked}5\r\nfirst\r\n${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`)
  await once(first, 'connect')
  const comeAgain = async (): Promise<void> => {
    while (!isThrough && later < 1_000) {
      const socket = open(port)
      socket.write(`${chunked}${'1\r\nx\r\n'.repeat(250)}0\r\n\r\n`)
      await once(socket, 'data')
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: 10 }, comeAgain))
  expect(later).toBeLessThan(1_000)
})

test('bodies that are thrown away come behind one that somebody waits for', async () => {
  const ended: string[] = []
  const port = await start((incoming, response) => {
    const isRefused = incoming.headers.host === 'refused'
    if (isRefused) response.end('no')
    incoming.resume().once('end', () => {
      ended.push(isRefused ? 'refused' : 'taken')
      if (!isRefused) response.end('yes')
    })
  }, new ParseTurns(new OneAtATime()))
  const refused = Array.from({ length: 5 }, () => open(port))
  for (const socket of refused) socket.write(chunked.replace(': x', ': refused'))
  await Promise.all(refused.map((socket) => once(socket, 'data')))
  for (const socket of refused) socket.write(`${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`)
  const taken = open(port)
  taken.write(`${chunked}${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`)
  await vi.waitFor(() => expect(ended).toHaveLength(6))
  expect(ended[0]).toBe('taken')
})

test('a request is not looked at before the one ahead of it is answered', async () => {
  const waiting: ServerResponse[] = []
  let served = 0
  const port = await start((_, response) => {
    served++
    waiting.push(response)
  })
  const socket = open(port)
  const padded = `GET / HTTP/1.1\r\nhost: x\r\nx-padding: ${'x'.repeat(2_000)}\r\n\r\n`
  socket.resume().write(padded.repeat(40))
  for (let answered = 0; answered < 40; answered++) {
    await vi.waitFor(() => expect(waiting).toHaveLength(1), 60_000)
    for (let turn = 0; turn < 3; turn++) await nextTurn()
    expect(served).toBe(answered + 1)
    waiting.pop()!.end()
  }
})

test('what stands behind a body of a known length is not parsed with it', async () => {
  let running = 0
  let most = 0
  const port = await start(async (incoming, response) => {
    most = Math.max(most, ++running)
    await buffer(incoming)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    response.once('close', () => running--).end('ok')
  })
  const socket = open(port)
  const body = 'x'.repeat(2_000)
  const padded = `GET / HTTP/1.1\r\nhost: x\r\nx-padding: ${'x'.repeat(2_000)}\r\n\r\n`
  const first = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  socket.write(`${first}${padded.repeat(10)}${last}`)
  expect((await text(socket)).match(/HTTP\/1\.1 200/g)).toHaveLength(12)
  expect(most).toBe(1)
})

/** Cuts bytes into as many pieces as there are sizes, over and over. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length]!
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

test.each([
  ['in chunks of every size', [1, 2, 3, 1_021, 1_024, 5_000, 70_000]],
  ['in large chunks', [300_000]],
  ['in small chunks', [7]],
])('a body %s arrives as it was sent, with what is behind it', async (_, sizes) => {
  const port = await start(echo)
  const sent = Buffer.from(Array.from({ length: 600_000 }, (_, index) => (index * 31) % 251))
  const socket = open(port)
  const parts = cut(sent.subarray(0, sizes[0] === 7 ? 20_000 : sent.length), sizes)
  socket.write(chunked)
  for (const part of parts) {
    socket.write(`${part.length.toString(16)};extension=1\r\n`)
    socket.write(part)
    socket.write('\r\n')
  }
  socket.write(`0\r\ntrailer: x\r\n\r\n${last}`)
  const answers = await buffer(socket)
  expect(answers.includes(Buffer.concat(parts))).toBe(true)
  expect(answers.toString('latin1').match(/HTTP\/1\.1 200/g)).toHaveLength(2)
})

test.each([1, 2, 3, 5, 1_023, 1_024, 1_025, 1_026, 1_027])(
  'what stands behind an end is not parsed with it, though it comes in pieces of %d bytes',
  async (size) => {
    let running = 0
    let most = 0
    const paths: string[] = []
    const port = await start(async (incoming, response) => {
      most = Math.max(most, ++running)
      paths.push(incoming.url!)
      await buffer(incoming)
      for (let turn = 0; turn < 3; turn++) await nextTurn()
      response.once('close', () => running--).end('ok')
    })
    const socket = open(port).setNoDelay()
    const answers = text(socket)
    const head = (path: number, more: string) => `POST /${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
    const kinds = [
      'transfer-encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n',
      'content-length: 3\r\n\r\n\r\n',
      '',
      `x-padding: ${'x'.repeat(975)}\r\n`,
    ]
    const sent = Array.from({ length: 40 }, (_, path) => head(path, kinds[path % kinds.length]!)).join('')
    for (const piece of cut(Buffer.from(sent + last), [size])) {
      socket.write(piece)
      await nextTurn()
    }
    expect((await answers).match(/HTTP\/1\.1 200/g)).toHaveLength(41)
    expect(paths).toEqual([...Array.from({ length: 40 }, (_, path) => `/${path}`), '/'])
    expect(most).toBe(1)
  },
)

test('line ends ahead of a request are not parsed one by one', async () => {
  const turns = new ParseTurns()
  const server = createServer((incoming, response) => {
    turns.begin(incoming, response)
    response.end('ok')
  })
  let parsed = 0
  server.on('connection', (socket) => {
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void]
    socket.off('data', parse).on('data', (bytes) => {
      parsed++
      parse(bytes)
    })
    turns.follow(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const socket = open((server.address() as AddressInfo).port)
  const ends = '\r\n\r\n'.repeat(50_000)
  socket.write(`${ends}GET / HTTP/1.1\r\nhost: x\r\n\r\n${ends}${last}`)
  expect((await text(socket)).match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  expect(parsed).toBeLessThan(10)
})

test('connections are kept and used again, whatever the bodies', async () => {
  const port = await start(echo)
  for (let count = 0; count < 20; count++) {
    const sent = Buffer.alloc(count * 4_000, 'x')
    const headers = count % 2 === 0 ? { 'content-length': sent.length } : { 'transfer-encoding': 'chunked' }
    const asked = request({ port, host: '127.0.0.1', method: 'POST', headers }).end(sent)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect(await buffer(response)).toEqual(sent)
  }
})

test('a sender that leaves while it waits for its turn is forgotten', async () => {
  let closed = 0
  const port = await start(
    (incoming) =>
      void incoming
        .on('error', () => {})
        .once('close', () => closed++)
        .resume(),
    new ParseTurns(slowClock()),
  )
  const socket = open(port)
  socket.write(`${chunked}${'1\r\nx\r\n'.repeat(20_000)}`)
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.resetAndDestroy()
  await vi.waitFor(() => expect(closed).toBe(1), 60_000)
})

/** A server that answers a request of these bytes at once, once another one was served on its connection. */
async function startAtOnce(atOnce: string) {
  const asked: string[] = []
  const sockets: Socket[] = []
  const tell = (bytes: Buffer) => {
    asked.push(bytes.toString())
    return bytes.toString() === atOnce ? 'at once' : undefined
  }
  const port = await start((_, response) => {
    sockets.push(response.socket!)
    response.end('parsed')
  }, new ParseTurns(undefined, tell))
  const socket = open(port)
  const send = async (bytes: string): Promise<string> => {
    socket.write(bytes)
    const [answer] = await once(socket, 'data')
    return String(answer)
  }
  return { asked, sockets, send }
}

const whole = 'GET /whole HTTP/1.1\r\nhost: x\r\n\r\n'

test('what can be answered at once is, once another request was served on its connection', async () => {
  const { send } = await startAtOnce(whole)
  expect(await send(whole)).toMatch(/parsed$/)
  expect(await send(whole)).toBe('at once')
  expect(await send(`\r\n${whole}`)).toBe('at once')
  expect(await send(whole.replace('whole', 'other'))).toMatch(/parsed$/)
  expect(await send(whole)).toBe('at once')
})

test('of a request that has begun to be parsed nobody is asked any more', async () => {
  const { asked, send } = await startAtOnce(whole)
  await send(whole)
  const half = whole.length / 2
  const answer = send(whole.slice(0, half))
  await vi.waitFor(() => expect(asked).toEqual([whole.slice(0, half)]))
  expect(await send(whole.slice(half))).toMatch(/parsed$/)
  await answer
  expect(asked).toHaveLength(1)
})

test('who does not read its answers is given none at once', async () => {
  const { sockets, send } = await startAtOnce(whole)
  await send(whole)
  sockets[0]!.cork()
  sockets[0]!.write('HTTP/1.1 100 Continue\r\n\r\n')
  const answer = send(whole)
  await vi.waitFor(() => expect(sockets).toHaveLength(2))
  sockets[0]!.uncork()
  expect(await answer).toMatch(/^HTTP\/1\.1 100 /)
})
