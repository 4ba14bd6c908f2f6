import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Connections } from './connections.ts'

function open(connections: Connections, address: string): Socket | undefined {
  const socket = Object.assign(new EventEmitter(), { address }) as unknown as Socket
  return connections.take(socket) ? socket : undefined
}

const addressOf = (socket: Socket) => (socket as unknown as { readonly address: string }).address

test('one address may have four fifths, and another one finds room', () => {
  const connections = new Connections({ most: () => 10, addressOf })
  const sockets = Array.from({ length: 12 }, () => open(connections, 'a'))
  expect(sockets.filter((socket) => socket !== undefined)).toHaveLength(8)
  expect(open(connections, 'b')).toBeDefined()
  expect(connections.usage).toEqual({ open: 9, most: 10, refused: 4 })
})

test('a connection that was closed counts no more', () => {
  const connections = new Connections({ most: () => 1, addressOf })
  const first = open(connections, 'a')
  expect(open(connections, 'a')).toBeUndefined()
  first!.emit('close')
  expect(connections.usage.open).toBe(0)
  expect(open(connections, 'a')).toBeDefined()
})

test('a bound that is lowered closes nothing', () => {
  let most = 10
  const connections = new Connections({ most: () => most, addressOf })
  for (let count = 0; count < 5; count++) open(connections, 'a')
  most = 3
  expect(open(connections, 'b')).toBeUndefined()
  expect(connections.usage.open).toBe(5)
})
