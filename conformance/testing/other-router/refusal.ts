/** A request that is not served: its status, and the members of the error object. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly type: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    type: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.type = type
    this.headers = headers
  }

  /** The error object, with a `param` of null and a member of its own. */
  get body(): object {
    const { message, type, code } = this
    return { error: { message, type, code, param: null, help: 'https://other.example/help' } }
  }
}

/** A mistake of the client's that the given specification has no code for. */
export function mistake(code: string, message: string): Refusal {
  return new Refusal(422, code, 'invalid_request_error', message)
}

/** A backend that fails; here the code says whether it answered at all. */
export function backendFailed(answered: boolean): Refusal {
  const code = answered ? 'backend_error' : 'backend_unavailable'
  return new Refusal(502, code, 'upstream_error', 'The model did not answer as it should.')
}
