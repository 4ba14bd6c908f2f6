import { expect, test } from 'vitest'
import { createChance } from './chance.ts'

test('each byte of the system’s is given once, in order, and more are asked for when all are given', () => {
  let fills = 0
  const chance = createChance((pool) => {
    for (const index of pool.keys()) pool[index] = index + fills
    fills++
  })
  const given = Array.from({ length: 2 * 4_096 }, chance)
  expect(given.slice(0, 3)).toEqual([0, 1 / 256, 2 / 256])
  expect(given.slice(4_096, 4_098)).toEqual([1 / 256, 2 / 256])
  expect(fills).toBe(2)
})

test('the system’s own bytes are numbers from 0 to below 1, of all sizes', () => {
  const given = Array.from({ length: 10_000 }, createChance())
  expect(Math.min(...given)).toBe(0)
  expect(Math.max(...given)).toBe(255 / 256)
  expect(new Set(given).size).toBe(256)
})
