import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDescriptor, writeCsv } from './csv.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csv-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('a file is written for its owner alone, appears when it is whole, and replaces the last one', async () => {
  const file = join(folder, 'usage.csv')
  writeFileSync(file, 'last month')
  await writeCsv(file, ['a', 'b'], async (csv) => {
    await csv.write([['1', 2n]])
    expect(readFileSync(file, 'utf8')).toBe('last month')
    await csv.write([['3', 4n]])
  })
  expect(readFileSync(file, 'utf8')).toBe('a,b\r\n1,2\r\n3,4\r\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a failure leaves what was there, and nothing beside it', async () => {
  const file = join(folder, 'kept.csv')
  writeFileSync(file, 'last month')
  const failing = writeCsv(file, ['a'], async (csv) => {
    await csv.write([['1']])
    throw new Error('the database has gone')
  })
  await expect(failing).rejects.toThrow('the database has gone')
  expect(readFileSync(file, 'utf8')).toBe('last month')
  expect(readdirSync(folder).filter((name) => name.startsWith('kept'))).toEqual(['kept.csv'])
})

test('nothing is written through a link that lies where the file is made, nor where the name leads to one', async () => {
  const [secret, file, link] = ['secret', 'made.csv', 'link.csv'].map((name) => join(folder, name))
  writeFileSync(secret!, 'mine')
  symlinkSync(secret!, `${file}.${process.pid}.part`)
  await writeCsv(file!, ['a'], (csv) => csv.write([['1']]))
  expect([readFileSync(secret!, 'utf8'), readFileSync(file!, 'utf8')]).toEqual(['mine', 'a\r\n1\r\n'])
  symlinkSync(file!, link!)
  await writeCsv(link!, ['b'], async () => {})
  expect([readFileSync(file!, 'utf8'), lstatSync(link!).isSymbolicLink()]).toEqual(['b\r\n', true])
})

test('a device is written to as it is', async () => {
  await expect(writeCsv('/dev/null', ['a'], (csv) => csv.write([['1']]))).resolves.toBe(false)
})

test.each([
  ['its name', (name: string) => name],
  [
    'a link to it',
    (name: string) => {
      symlinkSync(name, join(folder, 'out'))
      return join(folder, 'out')
    },
  ],
])('what is open already is written on by %s, and loses nothing of what stands there', async (_, nameOf) => {
  const file = join(folder, 'open.csv')
  const descriptor = openSync(file, 'w')
  writeSync(descriptor, 'before\n')
  const name = nameOf(`/dev/fd/${descriptor}`)
  await expect(writeCsv(name, ['a'], (csv) => csv.write([['1']]))).resolves.toBe(false)
  writeSync(descriptor, 'after\n')
  closeSync(descriptor)
  expect(readFileSync(file, 'utf8')).toBe('before\na\r\n1\r\nafter\n')
})

test('links that lead in a circle lead to nothing that is open', async () => {
  const [one, other] = [join(folder, 'one'), join(folder, 'other')]
  symlinkSync(one, other)
  symlinkSync(other, one)
  expect(await findDescriptor(one)).toBeUndefined()
})
