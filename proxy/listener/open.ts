import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { BACKLOG } from '#base/backlog.ts'
import { ListenError } from '../../config/listening.ts'

/** An address of this machine. Port 0 takes a free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** Where a server listens: a Unix socket, else an address. */
export interface Place extends Address {
  readonly socket?: string
}

/** Nobody but the owner may connect to a socket. */
const SOCKET_MODE = 0o600

/** A folder that is made for a socket is its owner's alone, too. */
const SOCKET_FOLDER_MODE = 0o700

/** Opens a server where the setting says; rejects with `ListenError`, such as when somebody else is there. */
export async function open(server: Server, place: Place, setting: 'listen' | 'admin'): Promise<void> {
  try {
    await openThere(server, place)
  } catch (cause) {
    throw new ListenError(cause, place, setting)
  }
}

async function openThere(server: Server, { host, port, socket }: Place): Promise<void> {
  if (socket === undefined) return begin(server, () => server.listen({ host, port, backlog: BACKLOG }))
  // Without its folder the system says EACCES, which sends people looking for permissions.
  mkdirSync(dirname(socket), { recursive: true, mode: SOCKET_FOLDER_MODE })
  await removeStale(socket)
  await begin(server, () => {
    // The mode is right from the first moment: the file is made within this call.
    const usual = process.umask(0o777 & ~SOCKET_MODE)
    try {
      server.listen({ path: socket, backlog: BACKLOG })
    } finally {
      process.umask(usual)
    }
  })
  chmodSync(socket, SOCKET_MODE)
}

function begin(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      resolve()
    })
    listen()
  })
}

/** A proxy that was killed leaves its socket behind, where nobody answers any more. */
async function removeStale(path: string): Promise<void> {
  if (!(statSync(path, { throwIfNoEntry: false })?.isSocket() ?? false)) return
  if (!(await isAnswered(path))) rmSync(path, { force: true })
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const settle = (answered: boolean) => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code !== 'ECONNREFUSED'))
  })
}
