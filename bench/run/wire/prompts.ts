/** How the model is to answer: whole without it, else so many chunks, one after so many milliseconds. */
export interface Script {
  readonly chunks: number
  /** 0: as fast as the connection takes them. */
  readonly everyMs: number
}

const SCRIPT = /\[chunks=(\d+) every=(\d+)\]/

/** A request's body that has the model answer so. It stands in the prompt, which every gateway passes on. */
export function bodyFor(model: string, script: Script | undefined): string {
  const words = script === undefined ? '' : ` [chunks=${script.chunks} every=${script.everyMs}]`
  const stream = script === undefined ? {} : { stream: true }
  return JSON.stringify({ model, messages: [{ role: 'user', content: `Hello${words}` }], ...stream })
}

/** Reads that out of a body again; undefined where the answer is to be whole. */
export function scriptIn(body: string): Script | undefined {
  const found = SCRIPT.exec(body)
  return found === null ? undefined : { chunks: Number(found[1]), everyMs: Number(found[2]) }
}
