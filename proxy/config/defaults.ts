/** Where clients connect unless told otherwise (PRXY-09). */
export const DEFAULT_LISTEN = { host: '127.0.0.1', port: 8484 } as const

/** Where health and metrics are once they are asked for (ours). */
export const DEFAULT_ADMIN = { host: '127.0.0.1', port: 8485 } as const
