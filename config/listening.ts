/** Where a program was told to listen: an address, or the path of a Unix socket. */
export interface Wanted {
  readonly host: string
  readonly port: number
  readonly socket?: string | undefined
}

/** A place where a program cannot listen; it says what to write into the configuration file instead. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  /** The system's own, such as `EADDRINUSE`. */
  readonly code: string | undefined

  /** `setting` is the key of the configuration file that says where. */
  constructor(cause: unknown, wanted: Wanted, setting: string) {
    const { code } = cause as NodeJS.ErrnoException
    super(wordsFor(code, wanted, setting) ?? `Cannot listen on ${nameOf(wanted)} (${code ?? cause})`, {
      cause,
    })
    this.code = code
  }
}

// Ours: the next ports are often taken by the program's own other listeners.
const AWAY = 10
const HIGHEST_PORT = 65_535

function wordsFor(code: string | undefined, wanted: Wanted, setting: string): string | undefined {
  const { host, port, socket } = wanted
  const other = port + AWAY > HIGHEST_PORT ? port - AWAY : port + AWAY
  if (code === 'EADDRINUSE' && socket !== undefined) {
    return `${socket} is taken (${code}): end the program that listens there, or name another ${setting}.socket in the configuration file`
  }
  if (code === 'EADDRINUSE') {
    return `${nameOf(wanted)} is taken (${code}): end the program that listens there, or set another port in the configuration file, such as ${setting}: ${written(host, other)}`
  }
  if (code === 'EACCES' && socket === undefined) {
    return `This user may not listen on ${nameOf(wanted)} (${code}): set a port of 1024 or above in the configuration file, such as ${setting}: ${written(host, 8_000 + (port % 1_000))}`
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${host} is no address of this machine (${code}): set ${setting}.host in the configuration file to one that is, or leave it out`
  }
  return undefined
}

function written(host: string, port: number): string {
  return host === '127.0.0.1' ? `{ port: ${port} }` : `{ host: "${host}", port: ${port} }`
}

function nameOf({ host, port, socket }: Wanted): string {
  return socket ?? (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)
}
