import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { divideCores, pinned } from './cores.ts'
import { readInstructions } from './instructions.ts'
import { cpuNanosOf, residentBytesOf } from './usage.ts'

/** A process as Linux shows it: its threads with what each took, its children, and what ended ones took in ticks. */
interface Shown {
  readonly threads: Readonly<Record<number, number>>
  readonly children?: readonly number[]
  readonly ownTicks?: number
  readonly endedTicks?: number
  readonly kib: number
}

function showProcesses(processes: Readonly<Record<number, Shown>>): string {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'))
  onTestFinished(() => rmSync(proc, { recursive: true }))
  for (const [pid, { threads, children = [], ownTicks = 0, endedTicks = 0, kib }] of Object.entries(
    processes,
  )) {
    for (const [place, [thread, nanos]] of Object.entries(threads).entries()) {
      const folder = join(proc, pid, 'task', thread)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'schedstat'), `${nanos} 12 3\n`)
      writeFileSync(
        join(folder, 'children'),
        place === 0 ? children.map((child) => `${child} `).join('') : '',
      )
    }
    writeFileSync(join(proc, pid, 'status'), `Name:\tone\nVmRSS:\t   ${kib} kB\n`)
    // Names may hold brackets and blanks.
    writeFileSync(
      join(proc, pid, 'stat'),
      `${pid} (a) b) S 1 1 1 0 -1 0 0 0 0 0 ${ownTicks} 0 ${endedTicks} 0 20 0\n`,
    )
  }
  return proc
}

test('a process has taken what its threads, its children and those that ended took', () => {
  const proc = showProcesses({
    10: { threads: { 10: 1_000, 11: 500 }, children: [20, 21], endedTicks: 2, kib: 100 },
    20: { threads: { 20: 70 }, kib: 10 },
    21: { threads: { 21: 7 }, kib: 1 },
  })
  expect(cpuNanosOf(10, proc)).toBe(20_001_577)
  expect(residentBytesOf(10, proc)).toBe(111 * 1_024)
})

test('what its ended threads took stays with a process', () => {
  const proc = showProcesses({
    10: { threads: { 10: 1_000 }, ownTicks: 3, kib: 100 },
    20: { threads: { 20: 39_999_999 }, ownTicks: 3, kib: 100 },
  })
  expect(cpuNanosOf(10, proc)).toBe(30_000_000)
  expect(cpuNanosOf(20, proc)).toBe(39_999_999)
})

test('a process that has gone has taken nothing', () => {
  expect(cpuNanosOf(10, '/nowhere')).toBe(0)
  expect(residentBytesOf(10, '/nowhere')).toBe(0)
})

test('instructions are read from what perf writes, and absent where it counts none', () => {
  expect(readInstructions('1234567,,instructions,1000,100.00,,\n')).toBe(1_234_567)
  expect(readInstructions('99,,instructions:u,1000,100.00,,\n')).toBe(99)
  expect(readInstructions('<not supported>,,instructions,0,100.00,,\n')).toBeUndefined()
})

test('what is measured has the last core to itself, if there are two and they can be told apart', () => {
  expect(divideCores(4, true)).toEqual({ subject: 3, others: [0, 1, 2] })
  expect(divideCores(1, true)).toEqual({ subject: undefined, others: [0] })
  expect(divideCores(2, false)).toEqual({ subject: undefined, others: [0, 1] })
  expect(pinned(3, 'node', ['main.ts'])).toEqual(['taskset', ['-c', '3', 'node', 'main.ts']])
  expect(pinned(undefined, 'node', ['main.ts'])).toEqual(['node', ['main.ts']])
})
