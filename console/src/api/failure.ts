/** What went wrong with a call, in the words of the contract's error object; `status` is 0 when nothing answered. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly status: number
  readonly code: string
  /** The field that is at fault, where one is. */
  readonly param: string | undefined
  /** Seconds after which it is worth another try. */
  readonly retryAfter: number | undefined

  constructor(status: number, error: FailureWords) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.param = error.param
    this.retryAfter = error.retryAfter
  }

  /** Whether the router, or the way to it, is away: it is worth asking again without a person's doing. */
  get isAway(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504
  }

  /** Whether whoever asks is no administrator, or is none any more. */
  get isDismissed(): boolean {
    return this.code === 'not_administrator'
  }

  /** Whether there is no session any more. */
  get isSignedOut(): boolean {
    return this.status === 401
  }
}

interface FailureWords {
  readonly message: string
  readonly code: string
  readonly param?: string | undefined
  readonly retryAfter?: number | undefined
}

/** Reads a refusal's body; what is no error object of the contract (a gateway's page) is told by its status. */
export async function readFailure(response: Response): Promise<Failure> {
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfter = Number.isFinite(after) ? after : undefined
  const body: unknown = await response.json().catch(() => undefined)
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: Partial<FailureWords>
  }
  return new Failure(response.status, {
    message: error?.message ?? `The router answered ${response.status}.`,
    code: error?.code ?? 'unknown',
    param: error?.param,
    retryAfter,
  })
}

/** Nothing answered: the network, or the router, is away. */
export function unreachable(cause: unknown): Failure {
  const failure = new Failure(0, { message: 'The router cannot be reached.', code: 'unreachable' })
  failure.cause = cause
  return failure
}

/** Whatever was thrown, as a failure to be shown. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  const message = thrown instanceof Error ? thrown.message : 'Something went wrong in this page.'
  return new Failure(-1, { message, code: 'page' })
}
