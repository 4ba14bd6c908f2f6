/** Names and values in turn, as Node's `rawHeaders` are. */
export type RawHeaders = readonly string[]

/** The value of a header, in whatever case it is written. */
export function headerOf(headers: RawHeaders, wanted: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]!.toLowerCase() === wanted) return headers[index + 1]
  }
  return undefined
}

/** All values of a header that may stand there several times. */
export function valuesOf(headers: RawHeaders, wanted: string): string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]!.toLowerCase() === wanted)
}
