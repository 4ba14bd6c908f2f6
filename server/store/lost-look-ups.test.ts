import { execFile } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { outliveLostLookUps } from './lost-look-ups.ts'

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

test('a look-up that is lost with its connection is logged, and ends nothing', () => {
  const program = new EventEmitter()
  const lines: string[] = []
  outliveLostLookUps({ error: (line) => lines.push(line) }, program)
  program.emit('unhandledRejection', lost)
  expect(lines).toEqual(['a connection to the database was lost as it began'])
})

test('any other rejection that nobody handles ends the program', () => {
  const program = new EventEmitter()
  outliveLostLookUps({ error: () => {} }, program)
  expect(() => program.emit('unhandledRejection', new TypeError('a mistake'))).toThrow('a mistake')
})

test('what was begun can be ended', () => {
  const program = new EventEmitter()
  const end = outliveLostLookUps({ error: () => {} }, program)
  end()
  expect(program.listenerCount('unhandledRejection')).toBe(0)
})

/** What a program prints whose database lets it in, and resets the connection at its first question. */
async function runBeside(address: string, ...lines: readonly string[]): Promise<string> {
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url))
  const program = [
    `import { connect } from ${at('./connection.ts')}`,
    `import { outliveLostLookUps } from ${at('./lost-look-ups.ts')}`,
    ...lines,
    `const sql = connect({ url: ${JSON.stringify(address)} })`,
    `console.log(await sql\`select 1\`.catch(({ code }) => code))`,
    // Whoever is told of a rejection that nobody handles is told by then.
    `setImmediate(() => process.exit())`,
  ].join('\n')
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', program], (error, stdout) => {
      resolve(error === null ? stdout : `${stdout}exit ${error.code}\n`)
    })
  })
}

test('a database that dies as a connection begins ends no program, and whoever asked is told', async () => {
  const ok = Buffer.from('5200000008000000005a0000000549', 'hex')
  const database = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.once('data', () => socket.resetAndDestroy())
      socket.write(ok)
    })
  })
  onTestFinished(() => void database.close())
  await once(database.listen(0, '127.0.0.1'), 'listening')
  const { port } = database.address() as AddressInfo
  const address = `postgres://router@127.0.0.1:${port}/router?sslmode=disable`
  const log = 'outliveLostLookUps({ error: (line) => console.log(line) })'
  const told = await runBeside(address, log)
  expect(told.split('\n').toSorted()).toEqual([
    '',
    'ECONNRESET',
    'a connection to the database was lost as it began',
  ])
  // What all this is for: without it the driver ends the program.
  expect(await runBeside(address)).toBe('ECONNRESET\nexit 1\n')
})
