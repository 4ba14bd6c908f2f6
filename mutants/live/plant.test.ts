import { expect, test } from 'vitest'
import type { LiveFault } from './fault.ts'
import { plant } from './plant.ts'

const usual = { file: 'server/one.ts', violates: [], expectKilledBy: [] }
const planted = (source: string, ...faults: readonly (Partial<LiveFault> & { id: string })[]) =>
  plant(
    source,
    faults.map((fault): LiveFault => ({ ...usual, find: '', replace: '', ...fault })),
  )

test('of plain expressions both are at hand, so that it shows where they differ', () => {
  expect(planted('const x = a + b', { id: 'less', find: 'a + b', replace: 'a - b' })).toBe(
    "const x = plantedEither('less', () => (a + b), () => (a - b))",
  )
})

test('an expression that acts asks its switch, and no more often than it makes a difference', () => {
  const fault = { id: 'no', find: 'go()', replace: 'stop()' }
  expect(planted('x = go()', fault)).toBe("x = (plantedFaultIs('no') ? (stop()) : (go()))")
  expect(planted('x = go()', { ...fault, when: 'a > b' })).toBe(
    "x = ((a > b) && plantedFaultIs('no') ? (stop()) : (go()))",
  )
  expect(planted('go()', { ...fault, when: 'a > b', as: 'statement' })).toBe(
    "if ((a > b) && plantedFaultIs('no')) { stop() } else { go() }",
  )
})

test('faults may stand at the same place and within each other', () => {
  const faults = [
    { id: 'inner', find: 'b()', replace: 'c()', within: 'a + b()' },
    { id: 'outer', find: 'a + b()', replace: '0' },
    { id: 'too', find: 'a + b()', replace: '1' },
  ]
  expect(planted('f(a + b())', ...faults)).toBe(
    "f((plantedFaultIs('outer') ? (0) : ((plantedFaultIs('too') ? (1) : (a + (plantedFaultIs('inner') ? (c()) : (b())))))))",
  )
})

test('statements, migrations and pieces of SQL have switches of their own', () => {
  expect(planted('go()', { id: 'no', find: 'go()', replace: '', as: 'statement' })).toBe(
    "if (plantedFaultIs('no')) {  } else { go() }",
  )
  expect(planted('select a', { id: 'b', find: 'a', replace: 'b', within: ' a', file: 'one.sql' })).toBe(
    "select (case when (a) is distinct from (b) and planted_fault_is('b') then b else a end)",
  )
  expect(planted('sql`x and y`', { id: 'x', find: ' and y', replace: '', as: 'sql:sql' })).toBe(
    "sql`x${plantedFaultIs('x') ? sql`` : sql` and y`}`",
  )
})

test.each([
  ['does not stand there', 'a', { find: 'b' }],
  ['stands twice', 'a a', { find: 'a' }],
  ['begins a statement and does not say so', 'one\n  two()', { find: 'two()' }],
])('what %s is refused by its name', (_, source, fault) => {
  expect(() => planted(source, { id: 'bad', ...fault })).toThrow(/^bad: /)
})

test('faults that stand half in each other are refused', () => {
  const [one, other] = [
    { id: 'one', find: 'a b' },
    { id: 'other', find: 'b c' },
  ]
  expect(() => planted('a b c', one, other)).toThrow('one and other stand half in each other')
})
