/** Whether two hostnames are the same; the case of their letters does not count (RFC 4343). */
export function equalHostnames(one: string, other: string): boolean {
  // A name of a million letters is not even put into small ones.
  return one.length === other.length && lowerCase(one) === lowerCase(other)
}

/** A hostname in small letters. Only those of ASCII have two cases: the Kelvin sign is no `k`. */
function lowerCase(hostname: string): string {
  return hostname.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * Whether a certificate's DNS name covers a hostname: the same name, or a wildcard that is the whole left-most label
 * and stands for one label (RFC 6125, 6.4.3). As in browsers, no wildcard covers a hostname of only two labels.
 */
export function coversHostname(name: string, hostname: string): boolean {
  if (!name.includes('*')) return equalHostnames(name, hostname)
  const [first = '', ...rest] = hostname.split('.')
  return first !== '' && rest.length > 1 && equalHostnames(name, `*.${rest.join('.')}`)
}
